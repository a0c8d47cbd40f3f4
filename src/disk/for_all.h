#pragma once

#include <functional>
#include <stop_token>

#include "base/status.h"

namespace hearth::disk {

// Does it for 0 .. count-1, each on a thread of its own, and waits for all. The first failure stops
// the others through their token, as does `stop`; it is the answer.
Status ForAll(size_t count, const std::stop_token& stop,
              const std::function<Status(size_t index, std::stop_token stop)>& work);

}  // namespace hearth::disk

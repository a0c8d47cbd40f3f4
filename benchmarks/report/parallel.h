#pragma once

#include <cstddef>
#include <functional>

#include "base/result.h"

namespace hearth::bench {

// Calls work(0) to work(count - 1), each once and roughly in order, from so many threads. After a
// failure nothing new is begun; the first one is returned.
Status ForEachInParallel(size_t count, size_t threads,
                         const std::function<Status(size_t number)>& work);

}  // namespace hearth::bench

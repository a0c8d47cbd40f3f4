#pragma once

#include <chrono>
#include <functional>

#include "base/clock.h"

namespace hearth {

// Asks until `condition` holds, for at most `limit`: for conditions on other processes that no
// event of ours announces.
bool Eventually(const std::function<bool()>& condition, Duration limit = std::chrono::seconds(30));

}  // namespace hearth

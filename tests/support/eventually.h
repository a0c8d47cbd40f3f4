#pragma once

#include <chrono>
#include <functional>

#include "base/clock.h"

namespace hearth {

// Asks until `condition` holds, for at most `limit`: for conditions on other processes that no
// event of ours announces. The limit is reached by failures only, on machines as busy as may be.
bool Eventually(const std::function<bool()>& condition, Duration limit = std::chrono::minutes(3));

}  // namespace hearth

#pragma once

#include <string_view>

#include "agent/criu/request.h"
#include "base/status.h"

namespace hearth::agent::criu {

// The oldest CRIU that is used: older ones fail on current kernels, some only when they restore.
inline constexpr std::string_view kOldestVersion = "4.2";

// kUnsupported, with what to do, when it is older.
Status CheckAge(const Version& version);

}  // namespace hearth::agent::criu

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace hearth::gms::internal {

// Who took the exclusive flock on this file, as /proc/locks lists it: the process that asked,
// alive or not. Nothing when it is free, or when the taker cannot be seen from here (another pid
// namespace, a file system with other numbers).
std::optional<pid_t> FlockTaker(int fd);

// The same from the text of /proc/locks, for the file "08:01:4711".
std::optional<pid_t> FindFlockTaker(std::string_view locks, std::string_view file);

}  // namespace hearth::gms::internal

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hearth::gms {

// Who took a failover lock last. The lock file itself holds only the identity, as engines of
// Dynamo write it; the rest stands beside it, in "<lock>.owner", as one line of text:
//   "1 <pid> <start time> <pid namespace> <identity>"
struct LockOwner {
  std::string identity;  // "engine-0"
  pid_t pid = 0;
  uint64_t start_time = 0;     // in clock ticks since the machine started: pids are used again
  uint64_t pid_namespace = 0;  // where the pid means something

  friend bool operator==(const LockOwner&, const LockOwner&) = default;
};

std::string FormatLockOwner(const LockOwner& owner);
Result<LockOwner> ParseLockOwner(std::string_view text);
std::string LockOwnerPath(const std::string& lock_path);

// This process under that name.
LockOwner ThisProcess(std::string identity);

// kUnknown: it lives in another pid namespace, whose processes cannot be seen from here.
enum class ProcessState : uint8_t { kRunning, kGone, kUnknown };
ProcessState StateOf(const LockOwner& owner);

}  // namespace hearth::gms

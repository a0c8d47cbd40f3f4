#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "gms/failover/lock_owner.h"

namespace hearth::gms {

enum class LockState : uint8_t {
  kFree,
  kHeld,
  // The process that took it is gone, and somebody it left behind still has the descriptor: nobody
  // will get the lock until that process ends, too.
  kOrphaned,
};

struct LockFacts {
  LockState state = LockState::kFree;
  // Whoever took it last, also after release; empty before the first.
  std::string identity;
  // Nothing when the last owner wrote no record or a newer one is just taking over.
  std::optional<LockOwner> owner;
};

// What anybody can know about a failover lock without waiting for it. The kernel's lock decides,
// not the file. A file that is not there is a free lock that nobody ever had.
Result<LockFacts> InspectFailoverLock(const std::string& path);

// "engine-0 (pid 12)", "engine-0 (pid 12, which is gone: ...)" for messages.
std::string DescribeHolder(const LockFacts& facts);

}  // namespace hearth::gms

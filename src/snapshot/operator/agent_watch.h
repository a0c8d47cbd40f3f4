#pragma once

#include <map>
#include <string>

#include "base/clock.h"
#include "base/guarded.h"

namespace hearth::snapshot {

// Whether the agent of a node is there.
struct AgentSight {
  enum class Kind {
    kUnknown,  // it has no Lease: an agent of others, or none
    kAlive,
    kSilent,
  };
  Kind kind = Kind::kUnknown;
  Duration silent_for = Duration::zero();  // since its Lease ran out
  Duration next_look = Duration::zero();   // when an agent that is alive would be silent
};

// Judges Leases by their changes and our own monotonic clock, never by the times written in them: a
// Lease that is seen for the first time counts as just renewed. So it must be shown every renewal.
// Thread-safe.
class AgentWatch {
 public:
  // `renewed` is spec.renewTime as it stands.
  AgentSight Look(const std::string& node, const std::string& renewed, Duration lasts,
                  SteadyTime now);
  // The node has no Lease any more.
  void Forget(const std::string& node);

 private:
  struct Seen {
    std::string renewed;
    SteadyTime at;
  };
  Guarded<std::map<std::string, Seen>> seen_;
};

}  // namespace hearth::snapshot

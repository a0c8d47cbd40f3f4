#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"

namespace hearth::gms {

// Where an engine of a failover group is between its start and serving.
enum class EngineState : uint8_t {
  kInit,     // loads weights, warms up on scratch memory
  kStandby,  // asleep: holds no device memory, waits for the lock
  kWaking,   // has the lock: maps the weights again, gets memory for its cache
  kActive,   // serves
};
enum class EngineEvent : uint8_t { kPaused, kLockAcquired, kServing };

std::string_view EngineStateName(EngineState state);  // init standby waking active
std::optional<EngineState> ParseEngineState(std::string_view name);
std::string_view EngineEventName(EngineEvent event);  // paused lock-acquired serving

struct EngineTransition {
  EngineState from;
  EngineEvent event;
  EngineState to;
};
// All there are. An engine never goes back: one that fails ends, and starts from the beginning.
std::span<const EngineTransition> EngineTransitions();

// Where one engine is, moved by what happens to it. Not thread-safe.
class ShadowSequence {
 public:
  EngineState state() const { return state_; }
  // The new state. kInvalid: it cannot happen now; nothing changes.
  Result<EngineState> On(EngineEvent event);

 private:
  EngineState state_ = EngineState::kInit;
};

}  // namespace hearth::gms

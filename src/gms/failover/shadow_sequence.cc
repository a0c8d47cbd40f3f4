#include "gms/failover/shadow_sequence.h"

#include <fmt/format.h>

#include <array>

namespace hearth::gms {
namespace {

constexpr std::array<std::string_view, 4> kStates = {"init", "standby", "waking", "active"};
constexpr std::array<std::string_view, 3> kEvents = {"paused", "lock-acquired", "serving"};

constexpr std::array<EngineTransition, 3> kTransitions = {{
    {EngineState::kInit, EngineEvent::kPaused, EngineState::kStandby},
    {EngineState::kStandby, EngineEvent::kLockAcquired, EngineState::kWaking},
    {EngineState::kWaking, EngineEvent::kServing, EngineState::kActive},
}};

}  // namespace

std::string_view EngineStateName(EngineState state) { return kStates[static_cast<size_t>(state)]; }

std::string_view EngineEventName(EngineEvent event) { return kEvents[static_cast<size_t>(event)]; }

std::optional<EngineState> ParseEngineState(std::string_view name) {
  for (size_t i = 0; i < kStates.size(); ++i) {
    if (kStates[i] == name) {
      return static_cast<EngineState>(i);
    }
  }
  return std::nullopt;
}

std::span<const EngineTransition> EngineTransitions() { return kTransitions; }

Result<EngineState> ShadowSequence::On(EngineEvent event) {
  for (const EngineTransition& transition : kTransitions) {
    if (transition.from == state_ && transition.event == event) {
      state_ = transition.to;
      return state_;
    }
  }
  return InvalidError(fmt::format("an engine that is {} cannot become {}", EngineStateName(state_),
                                  EngineEventName(event)));
}

}  // namespace hearth::gms

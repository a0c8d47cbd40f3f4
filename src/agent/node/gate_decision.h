#pragma once

#include <string>
#include <string_view>

#include "agent/node/content_facts.h"
#include "agent/node/pod_facts.h"

namespace hearth::agent::node {

// What the gate does about an order before anything is captured.
struct GateDecision {
  enum class Action { kNothing, kMarkEligible, kFail };
  Action action = Action::kNothing;
  std::string reason;  // of kFail
  std::string message;
};

// Pure. `pod`: null when the API server says that there is none.
GateDecision DecideGate(const ContentFacts& content, const PodFacts* pod, std::string_view node);

}  // namespace hearth::agent::node

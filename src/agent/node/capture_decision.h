#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/node/content_facts.h"
#include "agent/node/node_work.h"
#include "agent/node/pod_facts.h"
#include "base/result.h"

// What to do about an order whose pod the gate let through. Pure.
namespace hearth::agent::node {

// What is to be captured, and what it will be called.
struct CaptureAim {
  std::string checkpoint_id;
  std::string version;
  std::string target;  // the container's name
};
// From the pod's label and annotations and the order's list of containers. The reason of a failure
// is that of the condition to write.
Result<CaptureAim> FindAim(const ContentFacts& content, const PodFacts& pod);

struct CaptureQuestion {
  const ContentFacts& content;
  const PodFacts& pod;
  std::string_view node;
  const Result<CaptureAim>& aim;
  NodeWork::Stored stored;       // under the aim
  bool in_flight = false;        // this id is being captured here
  bool target_is_ready = false;  // by its own word, before the kubelet has heard of it
  // An agent was killed in the middle of it, see NodeWork::WasCutOff: of this order, or another one
  // of this very container.
  bool order_cut_off = false;
  bool target_cut_off = false;
};

struct CaptureDecision {
  enum class Action {
    kNothing,
    kAwaitReady,  // the target runs and has not said that it is ready
    kFail,        // `reason`, `message`; the pod is no longer eligible when `unmark`
    kFinish,      // the artifact is there: ready, then release
    kCapture,
  };
  Action action = Action::kNothing;
  std::string container_id;  // of the target; empty when it does not run
  std::string reason;
  std::string message;
  bool unmark = false;
  std::vector<std::string> kill;  // containers that go down with a failed one
};
CaptureDecision DecideCapture(const CaptureQuestion& question);

// The container to release because its order is ready: a crash may have come between the two.
// Nothing when it is another pod's, does not name one container, or does not run.
std::optional<std::string> FindReleasable(const ContentFacts& content, const PodFacts& pod);

}  // namespace hearth::agent::node

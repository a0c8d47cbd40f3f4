#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/node/node_work.h"
#include "agent/node/pod_facts.h"
#include "base/result.h"

// What to do about a pod that wants to be restored into. Pure.
namespace hearth::agent::node {

// Whether the pod is ours to look at: on this node, alive, and not one that is captured.
bool ConcernsRestore(const PodFacts& pod, std::string_view node);

// What is restored, and into which containers.
struct RestoreAim {
  std::string checkpoint_id;
  std::string version;
  std::vector<std::string> targets;
};
// kInvalid says what is wrong with the pod's labels or annotations.
Result<RestoreAim> FindRestoreAim(const PodFacts& pod);

struct RestoreQuestion {
  const PodFacts& pod;
  const RestoreAim& aim;
  std::string_view target;
  std::string_view resolved_id;  // from the runtime, when the kubelet has not told yet
  const NodeWork::Stored& stored;
  bool in_flight = false;         // this very container is being restored into, or was a moment ago
  bool needs_ip = false;          // connections are moved to the pod's address
  bool other_namespaces = false;  // artifacts may be taken from
  bool noted = false;             // that it is restored into this very container already
};

struct RestoreDecision {
  enum class Action {
    kNothing,
    kRefuse,   // never, as it is: `message`
    kWait,     // for something that is told of later: `message`
    kResolve,  // ask the runtime for the container's id
    kFail,     // what was begun has come to nothing: `message`
    kLetGo,    // an agent before this one restored it, and may not have said so
    kStart,
  };
  Action action = Action::kNothing;
  std::string container_id;
  std::string message;
};
RestoreDecision DecideRestore(const RestoreQuestion& question);

// The target's container as it is now: what the kubelet tells, else what the runtime told; empty
// when neither did.
std::string ContainerIdOf(const PodFacts& pod, std::string_view target,
                          std::string_view resolved_id);

// How far one target is: kInProgress, kCompleted or kFailed when that was written for this
// container, else empty.
std::string_view RestoreStatusOf(const PodFacts& pod, std::string_view target,
                                 std::string_view container_id);

// One word for all targets of a pod: failed when one is; completed when all are; waiting when
// nothing has begun anywhere; else in progress.
std::string SumUp(const std::vector<std::string>& words);

}  // namespace hearth::agent::node

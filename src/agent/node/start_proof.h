#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/node/node_work.h"

// How a pod proves that it was restored: what its annotations say of it. Pure.
namespace hearth::agent::node {

// Of one container that was restored.
struct RestoreProof {
  std::string from;    // "<checkpoint id>/<version>"
  std::string digest;  // of the artifact's root; empty: it has none
  Phases phases;
};

// "find=0.012,restore=1.734": seconds, to the millisecond.
std::string WritePhases(const Phases& phases);

// Annotations by their keys, without a value those that must not be there. `sum` is the word for
// all targets; only kCompleted makes a restored pod. `proofs` are those of its targets, as many as
// are known: the phases are those of the target that took longest, for the others were restored
// beside it. Completed without any proof, which a former agent has given: nothing is to be changed.
std::map<std::string, std::optional<std::string>> StartAnnotations(
    std::string_view sum, const std::vector<RestoreProof>& proofs);

// What a restore has saved, never less than nothing.
Duration Saved(const std::optional<Duration>& cold_start, Duration restore);

}  // namespace hearth::agent::node

#pragma once

#include <cstdint>
#include <string>

#include "json/projection.h"
#include "json/view.h"

// A restored engine holds memory of the GPU memory server beside it. When that server has been
// started anew, what the engine holds is nobody's any more and cannot be had again in place: the
// pod must be made anew, by whoever controls it. Pure.
namespace hearth::dynamo::recovery {

// What is read of pods that carry kRestoreTargetLabel.
using RestoredPodFields =
    json::Projection<json::Field<"metadata.labels", json::View>,
                     json::Field<"metadata.ownerReferences", json::View>,
                     json::Field<"spec.initContainers[].name", json::View>,
                     json::Field<"spec.initContainers[].restartPolicy", json::View>,
                     json::Field<"status.phase", std::string>,
                     json::Field<"status.initContainerStatuses[].name", json::View>,
                     json::Field<"status.initContainerStatuses[].restartCount", json::View>>;

struct RestoredPodFacts {
  bool restore_target = false;
  bool deleting = false;
  bool controlled = false;  // somebody makes another one
  bool over = false;        // it has failed or succeeded: nothing runs there
  // The server runs beside the engines, and how often it was started again.
  bool server_beside = false;
  int64_t server_restarts = 0;
};

// Whether it is being deleted is for the caller to fill in.
RestoredPodFacts ReadRestoredPod(json::View pod);

enum class ReplacementDecision {
  kReplace,
  kNotRestored,
  kDeleting,
  kNobodyReplaces,  // it has no controller: deleted it would be gone for good
  kOver,
  kNoServer,  // none, or one that is part of the start only
  kServerFine,
};
ReplacementDecision DecideReplacement(const RestoredPodFacts& pod);

}  // namespace hearth::dynamo::recovery

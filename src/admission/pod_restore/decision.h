#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "json/value.h"

// Whether a new pod starts cold or from a checkpoint. Pure functions; in doubt a pod starts cold,
// since a pod that is refused helps nobody.
namespace hearth::admission::pod_restore {

// Why a pod is admitted as it is.
enum class Skip {
  kNotCreate,
  kDisabled,           // checkpoints are off in the operator's configuration
  kNamespaceExcluded,  // another operator looks after it
  kAlreadyShaped,
  kNotCandidate,
  kNoCheckpointName,
  kNotOurs,  // a candidate without the operator's labels: somebody forged it
  kCheckpointUnreadable,
  kNotReady,
  kInvalidTargets,
  kShapingUnavailable,
  kStorageUnknown,  // where checkpoints are is not said, or wrong
  kShapingFailed,
};
constexpr std::pair<Skip, std::string_view> kSkipReasons[] = {
    {Skip::kNotCreate, "not_create"},
    {Skip::kDisabled, "disabled"},
    {Skip::kNamespaceExcluded, "namespace_excluded"},
    {Skip::kAlreadyShaped, "already_shaped"},
    {Skip::kNotCandidate, "not_candidate"},
    {Skip::kNoCheckpointName, "no_checkpoint_name"},
    {Skip::kNotOurs, "not_ours"},
    {Skip::kCheckpointUnreadable, "checkpoint_unreadable"},
    {Skip::kNotReady, "not_ready"},
    {Skip::kInvalidTargets, "invalid_targets"},
    {Skip::kShapingUnavailable, "shaping_unavailable"},
    {Skip::kStorageUnknown, "storage_unknown"},
    {Skip::kShapingFailed, "shaping_failed"},
};
std::string_view SkipReason(Skip skip);  // for metrics, and kStartReasonAnnotation
// Whether the owner of the pod should hear of it: it was to be restored and something is wrong.
bool IsTrouble(Skip skip);

struct Unchanged {
  Skip skip;
  std::string detail;  // for people; may be empty
};

// A pod that asks for a checkpoint.
struct Candidate {
  std::string name_space;
  std::string checkpoint;
};

struct RequestFacts {
  bool create = true;
  bool checkpoints_enabled = true;
  bool namespace_excluded = false;
  std::string name_space;  // the request's: a new pod need not name its own
};

// Whether the pod asked for a checkpoint, so that it has to say that it starts without one: one of
// ours, not shaped yet, in a namespace that is ours.
bool StartsColdInstead(const json::Value& pod, Skip skip);
// The pod saying so, and why; nothing it may say of a restore stays.
json::Value MarkCold(json::Value pod, Skip skip);

// Whether it is a pod at all, as far as this needs to know. kInvalid names the place.
Status CheckPod(const json::Value& pod);

// The first half, before the checkpoint is read. `pod` has passed CheckPod.
std::variant<Unchanged, Candidate> FindCandidate(const json::Value& pod, const RequestFacts& facts);

// What the second half knows of the DynamoCheckpoint.
struct CheckpointFacts {
  std::string name;
  std::string phase;
  json::Value object;  // whole, for shaping
};

// What is to be done to the pod: see Shape.
struct Restore {
  CheckpointFacts checkpoint;
  std::vector<std::string> targets;  // containers, in the order the pod names them; at least one
};

std::variant<Unchanged, Restore> Decide(const json::Value& pod,
                                        const Result<CheckpointFacts>& checkpoint);

// The names in the pod's annotation: separated by commas, trimmed, none empty, none twice, each a
// container of the pod. Never a silent first container.
Result<std::vector<std::string>> ReadTargets(const json::Value& pod);

}  // namespace hearth::admission::pod_restore

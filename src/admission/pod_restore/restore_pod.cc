#include "admission/pod_restore/restore_pod.h"

#include <utility>

namespace hearth::admission::pod_restore {
namespace {

constexpr Duration kReadTimeout = std::chrono::seconds(3);

const kube::ResourceType& Checkpoints() {
  static const kube::ResourceType kType{"nvidia.com", "v1alpha1", "dynamocheckpoints",
                                        "DynamoCheckpoint", true};
  return kType;
}

Result<CheckpointFacts> ReadCheckpoint(const Tools& tools, const Candidate& candidate) {
  if (!tools.read_checkpoint) {
    return UnavailableError("checkpoints cannot be read here");
  }
  return tools.read_checkpoint(candidate);
}

std::variant<Unchanged, json::Value> Shape(const json::Value& pod, const Restore& restore,
                                           const Tools& tools) {
  if (!tools.shape) {
    return Unchanged{Skip::kShapingUnavailable, "shaping unavailable"};
  }
  auto shaped = tools.shape(pod, restore);
  if (!shaped.ok()) {
    return Unchanged{
        shaped.status().reason() == kStorageUnknown ? Skip::kStorageUnknown : Skip::kShapingFailed,
        shaped.status().ToString()};
  }
  return *std::move(shaped);
}

}  // namespace

std::variant<Unchanged, json::Value> RestorePod(const json::Value& pod, const RequestFacts& facts,
                                                const Tools& tools) {
  const auto candidate = FindCandidate(pod, facts);
  if (const auto* unchanged = std::get_if<Unchanged>(&candidate)) {
    return *unchanged;
  }
  const auto decision = Decide(pod, ReadCheckpoint(tools, std::get<Candidate>(candidate)));
  if (const auto* unchanged = std::get_if<Unchanged>(&decision)) {
    return *unchanged;
  }
  return Shape(pod, std::get<Restore>(decision), tools);
}

std::function<Result<CheckpointFacts>(const Candidate& candidate)> ReadFrom(kube::Client& client,
                                                                            Clock& clock) {
  return [&client, &clock](const Candidate& candidate) -> Result<CheckpointFacts> {
    ASSIGN_OR_RETURN(const kube::Object object,
                     client.Get(Checkpoints(), {candidate.name_space, candidate.checkpoint},
                                WaitLimit::For(clock, kReadTimeout)));
    return CheckpointFacts{candidate.checkpoint, object.view()["status"]["phase"].StringOr(""),
                           object.ToValue()};
  };
}

}  // namespace hearth::admission::pod_restore

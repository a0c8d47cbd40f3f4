#include "admission/pod_restore/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "admission/pod_restore/contract.h"
#include "base/strings.h"
#include "snapshot/protocol/names.h"
#include "snapshot/protocol/start_proof.h"
#include "snapshot/protocol/targets.h"

namespace hearth::admission::pod_restore {
namespace {

using json::Value;

constexpr size_t kExcerptBytes = 200;

const Value* Metadata(const Value& pod, std::string_view map, std::string_view key) {
  const Value* metadata = pod.Find("metadata");
  const Value* values = metadata != nullptr ? metadata->Find(map) : nullptr;
  return values != nullptr ? values->Find(key) : nullptr;
}

std::string Annotation(const Value& pod, std::string_view key) {
  const Value* found = Metadata(pod, "annotations", key);
  return found != nullptr ? found->StringOr("") : "";
}

bool HasLabel(const Value& pod, std::string_view key) {
  return Metadata(pod, "labels", key) != nullptr;
}

Status CheckStrings(const Value& metadata, std::string_view map) {
  const Value* values = metadata.Find(map);
  if (values == nullptr || values->IsNull()) {
    return Status::Ok();
  }
  if (!values->IsObject()) {
    return InvalidError(fmt::format("metadata.{} must be an object", map));
  }
  for (const auto& [key, value] : values->members()) {
    if (!value.IsString()) {
      return InvalidError(
          fmt::format("metadata.{}[{}] must be a text", map, Excerpt(key, kExcerptBytes)));
    }
  }
  return Status::Ok();
}

bool IsContainerOf(const Value& pod, std::string_view name) {
  const Value* containers = pod.FindPath("spec.containers");
  if (containers == nullptr || !containers->IsArray()) {
    return false;
  }
  const auto& items = containers->items();
  return std::any_of(items.begin(), items.end(), [&](const Value& container) {
    const Value* found = container.Find("name");
    return found != nullptr && found->StringOr("") == name;
  });
}

// What keeps a pod from being a candidate, from the pod alone; in the order they are told.
std::optional<Unchanged> NoCandidate(const Value& pod) {
  if (HasLabel(pod, snapshot::kCheckpointIdLabel) || HasLabel(pod, snapshot::kSourceLabel)) {
    return Unchanged{Skip::kAlreadyShaped, ""};
  }
  if (Annotation(pod, kCandidateAnnotation) != "true") {
    return Unchanged{Skip::kNotCandidate, ""};
  }
  if (Annotation(pod, kCheckpointAnnotation).empty()) {
    return Unchanged{Skip::kNoCheckpointName,
                     fmt::format("annotation {} is empty", kCheckpointAnnotation)};
  }
  for (const std::string_view label : kOperatorLabels) {
    if (!HasLabel(pod, label)) {
      return Unchanged{Skip::kNotOurs, fmt::format("label {} is missing", label)};
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view SkipReason(Skip skip) {
  for (const auto& [value, reason] : kSkipReasons) {
    if (value == skip) {
      return reason;
    }
  }
  return "";
}

bool IsTrouble(Skip skip) {
  constexpr std::array kTrouble = {Skip::kNoCheckpointName, Skip::kCheckpointUnreadable,
                                   Skip::kInvalidTargets,   Skip::kShapingUnavailable,
                                   Skip::kStorageUnknown,   Skip::kShapingFailed};
  return std::find(kTrouble.begin(), kTrouble.end(), skip) != kTrouble.end();
}

bool StartsColdInstead(const Value& pod, Skip skip) {
  if (skip == Skip::kNotCreate || skip == Skip::kNamespaceExcluded) {
    return false;
  }
  const bool ours = std::all_of(std::begin(kOperatorLabels), std::end(kOperatorLabels),
                                [&](std::string_view label) { return HasLabel(pod, label); });
  return ours && !HasLabel(pod, snapshot::kCheckpointIdLabel) &&
         !HasLabel(pod, snapshot::kSourceLabel) && Annotation(pod, kCandidateAnnotation) == "true";
}

Value MarkCold(Value pod, Skip skip) {
  Value& annotations = pod.MakePath("metadata.annotations");
  std::erase_if(annotations.members(),
                [](const Value::Member& member) { return snapshot::IsStartProof(member.first); });
  annotations.Set(snapshot::kStartAnnotation, snapshot::kStartCold);
  annotations.Set(snapshot::kStartReasonAnnotation, SkipReason(skip));
  return pod;
}

Status CheckPod(const Value& pod) {
  const Value* metadata = pod.Find("metadata");
  if (metadata == nullptr || !metadata->IsObject()) {
    return InvalidError("metadata must be an object");
  }
  RETURN_IF_ERROR(CheckStrings(*metadata, "labels"));
  RETURN_IF_ERROR(CheckStrings(*metadata, "annotations"));
  const Value* spec = pod.Find("spec");
  return spec != nullptr && spec->IsObject() ? Status::Ok()
                                             : InvalidError("spec must be an object");
}

std::variant<Unchanged, Candidate> FindCandidate(const Value& pod, const RequestFacts& facts) {
  if (!facts.create) {
    return Unchanged{Skip::kNotCreate, ""};
  }
  if (!facts.checkpoints_enabled) {
    return Unchanged{Skip::kDisabled, ""};
  }
  if (facts.namespace_excluded) {
    return Unchanged{Skip::kNamespaceExcluded, ""};
  }
  if (auto no = NoCandidate(pod)) {
    return *std::move(no);
  }
  return Candidate{facts.name_space, Annotation(pod, kCheckpointAnnotation)};
}

Result<std::vector<std::string>> ReadTargets(const Value& pod) {
  ASSIGN_OR_RETURN(auto targets, snapshot::TargetsOf(pod, 1, 0));
  for (const std::string& name : targets) {
    if (!IsContainerOf(pod, name)) {
      return InvalidError(fmt::format("checkpoint restore target \"{}\" does not exist in pod spec",
                                      Excerpt(name, kExcerptBytes)));
    }
  }
  return targets;
}

std::variant<Unchanged, Restore> Decide(const Value& pod,
                                        const Result<CheckpointFacts>& checkpoint) {
  if (!checkpoint.ok()) {
    return Unchanged{Skip::kCheckpointUnreadable, checkpoint.status().ToString()};
  }
  if (checkpoint->phase != "Ready") {
    return Unchanged{Skip::kNotReady,
                     fmt::format("checkpoint {} is {}", checkpoint->name,
                                 checkpoint->phase.empty() ? "not begun" : checkpoint->phase)};
  }
  auto targets = ReadTargets(pod);
  if (!targets.ok()) {
    return Unchanged{Skip::kInvalidTargets, std::string(targets.status().message())};
  }
  return Restore{*checkpoint, *std::move(targets)};
}

}  // namespace hearth::admission::pod_restore

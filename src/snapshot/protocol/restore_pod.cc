#include <fmt/format.h>

#include <utility>

#include "snapshot/protocol/checkpoint_id.h"
#include "snapshot/protocol/internal/pod_fields.h"
#include "snapshot/protocol/names.h"
#include "snapshot/protocol/shaping.h"
#include "snapshot/protocol/start_proof.h"
#include "snapshot/protocol/targets.h"

namespace hearth::snapshot {
namespace {

using internal::FileProbe;
using internal::FindItem;
using internal::SetAnnotation;
using internal::SetEnv;
using internal::SetLabel;
using json::Value;

// Half an hour of seconds: how long a restore may take before the kubelet gives up on it.
constexpr int kStartupFailures = 1800;

// The pod's own idea of being up decides when it is; the file of the agent when it has none.
Value StartupGate(const Value& container) {
  Value gate;
  for (const char* const name : {"startupProbe", "livenessProbe", "readinessProbe"}) {
    if (const Value* const probe = container.Find(name); probe != nullptr && probe->IsObject()) {
      gate = *probe;
      break;
    }
  }
  if (gate.IsNull()) {
    gate = FileProbe(kRestoreCompleteFile);
    gate.Set("timeoutSeconds", 1);
  }
  gate.Set("initialDelaySeconds", 0);
  gate.Set("periodSeconds", 1);
  gate.Set("failureThreshold", kStartupFailures);
  gate.Set("successThreshold", 1);
  return gate;
}

// Keys of one target, and the keys without a target.
bool IsRestoreStatusKey(std::string_view key) {
  for (const std::string_view prefix : {kRestoreStatusAnnotation, kRestoreContainerIdAnnotation}) {
    if (key == prefix || (key.starts_with(prefix) && key.substr(prefix.size()).starts_with('.'))) {
      return true;
    }
  }
  return key == kOldCheckpointStatusAnnotation || key == kVersionAnnotation;
}

Result<std::vector<std::string>> RestoreTargets(Value& pod) {
  ASSIGN_OR_RETURN(auto names, TargetsOf(pod, 1, 0));
  for (const std::string& name : names) {
    if (FindContainer(pod["spec"], name) == nullptr) {
      return NotFoundError(
          fmt::format("restore target container \"{}\" not found in pod spec (from {} annotation)",
                      name, kTargetsAnnotation));
    }
    RETURN_IF_ERROR(KeysOfTarget(name).status());
  }
  return names;
}

Status ValidateTarget(const Value& container, std::string_view name) {
  const Value* const mount = FindItem(container, "volumeMounts", "name", kControlVolume);
  const auto field = [&](std::string_view key) {
    const Value* const value = mount->Find(key);
    return value == nullptr ? std::string() : value->StringOr("");
  };
  if (mount == nullptr || field("mountPath") != kControlDirectory) {
    return InvalidError(fmt::format("missing {} mount at {} on container \"{}\"", kControlVolume,
                                    kControlDirectory, name));
  }
  if (field("subPath") != name) {
    return InvalidError(fmt::format(
        "{} mount on container \"{}\" has SubPath \"{}\", must be \"{}\": targets of a pod must "
        "not share their control directories",
        kControlVolume, name, field("subPath"), name));
  }
  if (FindItem(container, "env", "name", kControlDirectoryEnv) == nullptr &&
      FindItem(container, "env", "name", kOldControlDirectoryEnv) == nullptr) {
    return InvalidError(
        fmt::format("missing {} env var on container \"{}\"", kControlDirectoryEnv, name));
  }
  const Value* const probe = container.Find("startupProbe");
  if (probe == nullptr || !probe->IsObject()) {
    return InvalidError(
        fmt::format("missing {} startup probe on container \"{}\"", kRestoreCompleteFile, name));
  }
  return Status::Ok();
}

Status ValidateSeccomp(const Value& spec, std::string_view profile) {
  if (profile.empty()) {
    return Status::Ok();
  }
  const Value* const set = spec.FindPath("securityContext.seccompProfile");
  const auto field = [&](std::string_view key) {
    const Value* const value = set == nullptr ? nullptr : set->Find(key);
    return value == nullptr ? std::string() : value->StringOr("");
  };
  if (field("type") != "Localhost") {
    return InvalidError("missing localhost seccomp profile");
  }
  return field("localhostProfile") == profile
             ? Status::Ok()
             : InvalidError(fmt::format("expected localhost seccomp profile \"{}\"", profile));
}

}  // namespace

void ClearSnapshotMetadata(Value& object) {
  if (Value* const metadata = object.Find("metadata"); metadata != nullptr) {
    if (Value* const labels = metadata->Find("labels"); labels != nullptr) {
      for (const std::string_view key :
           {kSourceLabel, kRestoreTargetLabel, kCheckpointIdLabel, kEligibleLabel}) {
        labels->Erase(key);
      }
    }
    if (Value* const annotations = metadata->Find("annotations");
        annotations != nullptr && annotations->IsObject()) {
      std::erase_if(annotations->members(), [](const Value::Member& member) {
        return IsRestoreStatusKey(member.first) || IsStartProof(member.first);
      });
    }
  }
}

void ApplyRestoreMetadata(Value& object, const RestoreOptions& options) {
  ClearSnapshotMetadata(object);
  SetLabel(object, kRestoreTargetLabel, "true");
  SetLabel(object, kCheckpointIdLabel, options.checkpoint_id);
  SetAnnotation(object, kVersionAnnotation, ArtifactVersionOr1(options.artifact_version));
}

Status PrepareRestorePod(Value& pod, std::string_view seccomp_profile, bool ready) {
  if (const Value* const spec = pod.Find("spec"); spec == nullptr || !spec->IsObject()) {
    return InvalidError("the pod has no spec");
  }
  ASSIGN_OR_RETURN(const auto names, RestoreTargets(pod));
  Value& spec = pod["spec"];
  EnsureSeccompProfile(spec, seccomp_profile);
  for (const std::string& name : names) {
    Value& container = *FindContainer(spec, name);
    EnsureControlVolume(spec, container);
    if (ready) {
      SetEnv(container, kStandbyEnv, "1");
      container.Set("startupProbe", StartupGate(container));
    }
  }
  return Status::Ok();
}

Result<Value> RestorePod(const Value& pod, const RestoreOptions& options) {
  RETURN_IF_ERROR(CheckCheckpointId(options.checkpoint_id));
  Value shaped = pod;
  ApplyRestoreMetadata(shaped, options);
  RETURN_IF_ERROR(PrepareRestorePod(shaped, options.seccomp_profile, true));
  shaped["metadata"].Set("namespace", options.namespace_name);
  shaped["spec"].Set("restartPolicy", "Never");
  return shaped;
}

Status ValidateRestorePod(const Value& pod, std::string_view seccomp_profile) {
  const Value* const spec = pod.Find("spec");
  if (spec == nullptr || !spec->IsObject()) {
    return InvalidError("the pod has no spec");
  }
  RETURN_IF_ERROR(TargetsOf(pod, 1, 0).status());
  const Value* const volume = FindItem(*spec, "volumes", "name", kControlVolume);
  if (volume == nullptr || volume->Find("emptyDir") == nullptr) {
    return InvalidError(
        "missing snapshot-control emptyDir volume; add it via "
        "snapshotprotocol.EnsureControlVolume");
  }
  Value copy = pod;
  ASSIGN_OR_RETURN(const auto names, RestoreTargets(copy));
  for (const std::string& name : names) {
    RETURN_IF_ERROR(ValidateTarget(*FindContainer(copy["spec"], name), name));
  }
  return ValidateSeccomp(*spec, seccomp_profile);
}

}  // namespace hearth::snapshot

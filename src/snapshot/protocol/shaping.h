#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/value.h"

// Turns pod templates into pods that are captured and into pods that are restored into. Pure:
// objects in, objects out. What is already there is not changed unless a rule says so, and doing it
// twice is doing it once. Errors name the container or the annotation.
namespace hearth::snapshot {

// Volume, mount (sub-path: the container's name) and both env entries of the control directory.
// Entries that have one of the names already stay as they are.
void EnsureControlVolume(json::Value& pod_spec, json::Value& container);
// The pod-level profile; nothing for an empty one. Other fields of the security context stay.
void EnsureSeccompProfile(json::Value& pod_spec, std::string_view profile);

struct CaptureJobOptions {
  std::string name;
  std::string namespace_name;
  std::string target_container;  // empty: the template's annotation must name one
  std::string checkpoint_id;
  std::string artifact_version = "1";
  std::string seccomp_profile;
  std::optional<int64_t> active_deadline_seconds;
  std::optional<int64_t> ttl_seconds_after_finished;
  // Starts the target through cuda-checkpoint, as captures of several GPUs need it.
  bool wrap_cuda_launch_job = false;
};
// A Job whose one pod is captured: marked as source, never restarted, its target ready when the
// ready file is there.
Result<json::Value> CaptureJob(const json::Value& pod_template, const CaptureJobOptions& options);

// The shell script that keeps the driver's job file where a restore finds it; its arguments are
// that place and the command.
std::string_view CudaLaunchScript();

struct RestoreOptions {
  std::string namespace_name;
  std::string checkpoint_id;
  std::string artifact_version = "1";
  std::string seccomp_profile;
};
// Removes from an object's metadata whatever captures and restores left there, but not the targets.
void ClearSnapshotMetadata(json::Value& object);
// Clears, then marks the object as restored from the checkpoint.
void ApplyRestoreMetadata(json::Value& object, const RestoreOptions& options);
// `ready`: there is a checkpoint, so the targets stand by and their start-up probes wait for the
// restore.
Status PrepareRestorePod(json::Value& pod, std::string_view seccomp_profile, bool ready);
// A pod to be created, of a manifest.
Result<json::Value> RestorePod(const json::Value& pod, const RestoreOptions& options);
// Whether a pod that exists can be restored into; the first thing that is missing, in upstream's
// words.
Status ValidateRestorePod(const json::Value& pod, std::string_view seccomp_profile);

}  // namespace hearth::snapshot

#include <fmt/format.h>

#include <utility>

#include "snapshot/protocol/checkpoint_id.h"
#include "snapshot/protocol/internal/pod_fields.h"
#include "snapshot/protocol/names.h"
#include "snapshot/protocol/shaping.h"
#include "snapshot/protocol/targets.h"

namespace hearth::snapshot {
namespace {

using internal::FileProbe;
using internal::SetAnnotation;
using internal::SetLabel;
using json::Value;

constexpr std::string_view kLaunchProgram = "cuda-checkpoint";
// How the script names itself in its messages.
constexpr std::string_view kScriptName = "dynamo-cuda-checkpoint";

// The target of a capture: by option, else by the annotation.
Result<std::string> TargetName(const Value& pod_template, const CaptureJobOptions& options) {
  if (!options.target_container.empty()) {
    return options.target_container;
  }
  ASSIGN_OR_RETURN(const auto names, TargetsOf(pod_template, 1, 1));
  return names.front();
}

Status WrapLaunch(Value& container, std::string_view name) {
  const Value* const command = container.Find("command");
  if (command == nullptr || !command->IsArray() || command->items().empty()) {
    return InvalidError(
        fmt::format("container '{}' has no command: one is needed to start it through {}", name,
                    kLaunchProgram));
  }
  Value arguments = Value::Array({"--launch-job", "/bin/sh", "-c", CudaLaunchScript(), kScriptName,
                                  fmt::format("{}/{}", kControlDirectory, kCudaJobFile)});
  for (const char* const list : {"command", "args"}) {
    if (const Value* const words = container.Find(list); words != nullptr && words->IsArray()) {
      for (const Value& word : words->items()) {
        arguments.Append(word);
      }
    }
  }
  container.Set("command", Value::Array({kLaunchProgram}));
  container.Set("args", std::move(arguments));
  return Status::Ok();
}

Status ShapeTarget(Value& spec, std::string_view name, bool wrap) {
  Value* const container = FindContainer(spec, name);
  if (container == nullptr) {
    return NotFoundError(fmt::format("target container '{}' is not in the pod template", name));
  }
  EnsureControlVolume(spec, *container);
  Value probe = FileProbe(kReadyFile);
  probe.Set("periodSeconds", 1);
  container->Set("readinessProbe", std::move(probe));
  container->Erase("livenessProbe");
  container->Erase("startupProbe");
  return wrap ? WrapLaunch(*container, name) : Status::Ok();
}

Value JobAround(Value pod_template, const CaptureJobOptions& options) {
  Value job = Value::Object({{"apiVersion", "batch/v1"}, {"kind", "Job"}});
  job["metadata"].Set("name", options.name);
  job["metadata"].Set("namespace", options.namespace_name);
  if (!options.checkpoint_id.empty()) {
    SetLabel(job, kCheckpointIdLabel, options.checkpoint_id);
  }
  Value& spec = job["spec"];
  spec.Set("backoffLimit", 0);
  if (options.active_deadline_seconds) {
    spec.Set("activeDeadlineSeconds", *options.active_deadline_seconds);
  }
  if (options.ttl_seconds_after_finished) {
    spec.Set("ttlSecondsAfterFinished", *options.ttl_seconds_after_finished);
  }
  spec.Set("template", std::move(pod_template));
  return job;
}

}  // namespace

std::string_view CudaLaunchScript() {
  return "set -eu\n"
         "stable=$1\n"
         "shift\n"
         "if [ -z \"${CUDA_CHECKPOINT_JOB_FILE:-}\" ]; then\n"
         "  echo \"$0: CUDA_CHECKPOINT_JOB_FILE is not set: checkpoints of several GPUs requires "
         "NVIDIA driver 610 or newer\" >&2\n"
         "  exit 1\n"
         "fi\n"
         "(umask 077 && cat \"$CUDA_CHECKPOINT_JOB_FILE\" >\"$stable\")\n"
         "export CUDA_CHECKPOINT_JOB_FILE=\"$stable\"\n"
         "exec \"$@\"\n";
}

Result<Value> CaptureJob(const Value& pod_template, const CaptureJobOptions& options) {
  Value shaped = pod_template;
  ClearSnapshotMetadata(shaped);
  SetAnnotation(shaped, kLinkerdInjectAnnotation, "disabled");
  SetAnnotation(shaped, kIstioInjectAnnotation, "false");
  SetLabel(shaped, kSourceLabel, "true");
  if (!options.checkpoint_id.empty()) {
    SetLabel(shaped, kCheckpointIdLabel, options.checkpoint_id);
  }
  SetAnnotation(shaped, kVersionAnnotation, ArtifactVersionOr1(options.artifact_version));
  Value& spec = shaped["spec"];
  spec.Set("restartPolicy", "Never");
  EnsureSeccompProfile(spec, options.seccomp_profile);
  const Value* const containers = spec.Find("containers");
  if (containers == nullptr || !containers->IsArray() || containers->items().empty()) {
    return InvalidError("the pod template has no containers");
  }
  ASSIGN_OR_RETURN(const std::string target, TargetName(pod_template, options));
  RETURN_IF_ERROR(ShapeTarget(spec, target, options.wrap_cuda_launch_job));
  return JobAround(std::move(shaped), options);
}

}  // namespace hearth::snapshot

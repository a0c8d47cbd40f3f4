#include "dynamo/checkpoint/restore_template.h"

#include <fmt/format.h>

#include <utility>

#include "api/dynamo/constants.h"
#include "json/parse.h"
#include "pods/environment.h"
#include "pods/lists.h"
#include "snapshot/protocol/checkpoint_id.h"
#include "snapshot/protocol/names.h"
#include "snapshot/protocol/shaping.h"
#include "snapshot/protocol/targets.h"

namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;
using json::Value;

constexpr std::string_view kCandidate = "nvidia.com/dynamo-checkpoint-restore-candidate";
constexpr std::string_view kCheckpointName = "nvidia.com/dynamo-checkpoint-name";
constexpr std::string_view kStartupPolicy = "nvidia.com/dynamo-checkpoint-startup-policy";
// What the component says of its loader, as JSON: whoever restores its pods has only the
// checkpoint otherwise, which may have many consumers.
constexpr std::string_view kLoader = "hearth.dev/restore-loader";

std::vector<std::string> TargetsOrMain(const std::vector<std::string>& targets) {
  return targets.empty() ? std::vector<std::string>{std::string(dyn::kMainContainer)} : targets;
}

Status CheckTargets(const Value& spec, const std::vector<std::string>& targets) {
  for (const std::string& target : targets) {
    if (pods::FindNamed(spec, "containers", target) == nullptr) {
      return InvalidError(
          fmt::format("checkpoint restore target \"{}\" does not exist in pod spec", target));
    }
  }
  return {};
}

// Its directory, when there is one that tells of its end.
Result<std::string> AddLoader(const RestoreSource& source, const Value& target, Value& spec) {
  if (!source.loader.wanted) {
    return std::string();
  }
  const dyn::GmsLoader* const said = source.loader.said ? &*source.loader.said : nullptr;
  ASSIGN_OR_RETURN(const std::string directory,
                   MemoryDirectory(source.storage, source.checkpoint_id, source.artifact_version));
  if (pods::FindNamed(spec, "containers", dyn::kGmsLoader) == nullptr) {
    Value loader = LoaderContainer(target, {.checkpoint_directory = directory}, said);
    MountMemory(source.storage, source.checkpoint_id, spec, loader);
    pods::MakeItems(spec, "containers").push_back(std::move(loader));
  }
  return TellsOfItsEnd(said) ? directory : "";
}

// The server once, every target a client, and whoever loads.
Result<std::string> AddMemory(const RestoreSource& source, const std::vector<std::string>& targets,
                              Value& spec) {
  if (source.memory) {
    MemoryService service = *source.memory;
    service.target = targets.front();
    RETURN_IF_ERROR(AddMemoryService(spec, service));
  }
  if (pods::FindNamed(spec, "initContainers", dyn::kGmsServer) == nullptr) {
    return std::string();
  }
  for (const std::string& target : targets) {
    MakeClient(spec, *pods::FindNamed(spec, "containers", target));
  }
  return AddLoader(source, Value(*pods::FindNamed(spec, "containers", targets.front())), spec);
}

// The mount of the container that leads to the folder of a server in another pod.
const Value* SharedFolder(const Value& container) {
  return pods::FindItem(container, "volumeMounts", "mountPath", dyn::kGmsSharedMountPath);
}

}  // namespace

Status AddLoaderBesideServer(Value& pod_spec, const Storage& storage,
                             const std::string& checkpoint_id, const std::string& directory,
                             const dyn::GmsLoader* said) {
  const Value* const server = pods::FindNamed(pod_spec, "containers", dyn::kMainContainer);
  const Value* const folder = server == nullptr ? nullptr : SharedFolder(*server);
  if (folder == nullptr) {
    return InvalidError("the memory server's pod has no folder for its sockets");
  }
  Value loader = LoaderContainer(*server, {.checkpoint_directory = directory}, said);
  loader.Erase("resources");
  pods::RemoveVariables(loader, {"GMS_POD_UID"});  // others wait for it, who know another
  pods::SetVariable(loader, pods::Variable(dyn::kGmsSocketDir, dyn::kGmsSharedMountPath));
  std::erase_if(pods::MakeItems(loader, "volumeMounts"),
                [](const Value& mount) { return pods::Text(mount, "name") == dyn::kGmsVolume; });
  pods::MakeItems(loader, "volumeMounts").push_back(*folder);
  MountMemory(storage, checkpoint_id, pod_spec, loader);
  pods::SetNamed(pod_spec, "containers", std::move(loader));
  return {};
}

void ShowSharedMemory(Value& pod_spec, const std::string& target) {
  Value* const container = pods::FindNamed(pod_spec, "containers", target);
  const Value* const folder = container == nullptr ? nullptr : SharedFolder(*container);
  if (folder == nullptr) {
    return;
  }
  Value mount = *folder;
  mount.Set("mountPath", dyn::kGmsMountPath);
  pods::SetItem(*container, "volumeMounts", "mountPath", std::move(mount));
}

void TellMemoryDirectory(Value& pod, std::string_view directory, std::string_view mode) {
  pods::SetAnnotation(pod, snapshot::kGmsDirectoryAnnotation, directory);
  pods::SetAnnotation(pod, snapshot::kGmsCompletionModeAnnotation, mode);
}

void ClearRestoreMarks(Value& pod_template) {
  snapshot::ClearSnapshotMetadata(pod_template);
  for (const std::string_view key :
       {kCandidate, kCheckpointName, kStartupPolicy, kLoader, kStorageType, kStoragePath,
        snapshot::kTargetsAnnotation, snapshot::kGmsDirectoryAnnotation,
        snapshot::kGmsCompletionModeAnnotation}) {
    pods::EraseAnnotation(pod_template, key);
  }
}

void MarkCandidate(Value& pod_template, const CandidateMarks& marks) {
  ClearRestoreMarks(pod_template);
  pods::SetAnnotation(pod_template, kCandidate, "true");
  pods::SetAnnotation(pod_template, kCheckpointName, marks.checkpoint);
  pods::SetAnnotation(
      pod_template, kStartupPolicy,
      marks.policy == dyn::CheckpointStartupPolicy::kImmediate ? "Immediate" : "WaitForCheckpoint");
  pods::SetAnnotation(pod_template, snapshot::kTargetsAnnotation,
                      snapshot::FormatTargets(TargetsOrMain(marks.targets)));
  if (marks.loader.wanted) {
    pods::SetAnnotation(pod_template, kLoader,
                        marks.loader.said ? api::Encoded(*marks.loader.said).Write() : "{}");
  }
}

Result<LoaderWish> LoaderAskedBy(const Value& pod) {
  const std::string text(pods::Annotation(pod, kLoader));
  if (text.empty()) {
    return LoaderWish{};
  }
  const auto context = fmt::format("annotation {}", kLoader);
  ASSIGN_OR_RETURN(const auto object, json::Parse(text).WithContext(context));
  ASSIGN_OR_RETURN(auto said, api::DecodeAs<dyn::GmsLoader>(object.view()).WithContext(context));
  return LoaderWish{.wanted = true, .said = std::move(said)};
}

Status ShapeForRestore(Value& pod_template, const RestoreSource& source) {
  RETURN_IF_ERROR(snapshot::CheckCheckpointId(source.checkpoint_id));
  if (source.storage.pvc_name.empty() || source.storage.base_path.empty()) {
    return InvalidError("there is no storage to restore from");
  }
  Value shaped = pod_template;
  if (shaped.Find("spec") == nullptr || !shaped.Find("spec")->IsObject()) {
    return InvalidError("the pod template has no spec");
  }
  const std::vector<std::string> targets = TargetsOrMain(source.targets);
  RETURN_IF_ERROR(CheckTargets(shaped["spec"], targets));
  ClearRestoreMarks(shaped);
  pods::SetAnnotation(shaped, snapshot::kTargetsAnnotation, snapshot::FormatTargets(targets));
  snapshot::ApplyRestoreMetadata(shaped, {.checkpoint_id = source.checkpoint_id,
                                          .artifact_version = source.artifact_version,
                                          .seccomp_profile = source.seccomp_profile});
  RETURN_IF_ERROR(snapshot::PrepareRestorePod(shaped, source.seccomp_profile, true));
  Value& spec = shaped["spec"];
  for (const std::string& target : targets) {
    // A copy: the pod's lists grow meanwhile.
    Value container = *pods::FindNamed(spec, "containers", target);
    MountCheckpoint(source.storage, source.checkpoint_id, source.loader.wanted, spec, container);
    *pods::FindNamed(spec, "containers", target) = std::move(container);
  }
  ASSIGN_OR_RETURN(const std::string memory, AddMemory(source, targets, spec));
  if (!memory.empty()) {
    TellMemoryDirectory(shaped, memory, snapshot::kGmsModePodUid);
  }
  TellStorage(source.storage, shaped);
  pod_template = std::move(shaped);
  return {};
}

}  // namespace hearth::dynamo

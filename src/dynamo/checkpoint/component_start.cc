#include "dynamo/checkpoint/component_start.h"

#include <fmt/format.h>

#include <utility>

#include "api/dynamo/checkpoint_id.h"
#include "api/dynamo/constants.h"
#include "dynamo/checkpoint/restore_template.h"
#include "dynamo/model/labels.h"
#include "pods/lists.h"
#include "snapshot/protocol/names.h"

namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;
using json::Value;
using Policy = dyn::CheckpointStartupPolicy;

std::vector<std::string> TargetsOf(const dyn::ComponentSpec& component,
                                   const dyn::CheckpointConfig& config) {
  if (HasIntraPodFailover(component)) {
    return {std::begin(dyn::kEngines), std::end(dyn::kEngines)};
  }
  return {config.target_container_name.empty() ? std::string(dyn::kMainContainer)
                                               : config.target_container_name};
}

// The loader is always the consuming component's: a checkpoint may have several that differ. The
// servers of memory between pods load it themselves.
LoaderWish LoaderOf(const dyn::ComponentSpec& component) {
  const dyn::GpuMemoryService* const memory = MemoryOf(component);
  if (memory == nullptr || !memory->checkpoint || !HasIntraPodMemory(component)) {
    return {};
  }
  return {.wanted = true, .said = memory->checkpoint->loader};
}

StartWay WayOf(const dyn::ComponentSpec& component, Policy policy, const CheckpointFacts* found,
               bool ready) {
  if (policy == Policy::kWaitForCheckpoint) {
    return ready ? StartWay::kRestored : StartWay::kWaits;
  }
  // Of engines whose memory is in other pods nobody knows, one by one, whether somebody loads it.
  return found == nullptr || HasInterPodMemory(component) ? StartWay::kPlain : StartWay::kCandidate;
}

}  // namespace

std::optional<AskedCheckpoint> CheckpointAskedBy(const GraphFacts& graph,
                                                 const dyn::ComponentSpec& component,
                                                 std::string_view component_hash) {
  const dyn::CheckpointConfig* const config = CheckpointOf(component);
  if (config == nullptr) {
    return std::nullopt;
  }
  if (!config->checkpoint_ref.empty()) {
    return AskedCheckpoint{.name = config->checkpoint_ref};
  }
  const std::string id = dyn::AutoCheckpointId(
      {.name_space = graph.name_space,
       .graph_name = graph.name,
       .graph_uid = graph.uid,
       .component_name = component.name,
       .worker_hash = IsWorker(component) ? std::string(component_hash) : ""});
  return AskedCheckpoint{.name = "checkpoint-" + id, .id = id, .automatic = true};
}

Result<ComponentStart> PlanStart(const dyn::ComponentSpec& component,
                                 const std::optional<AskedCheckpoint>& asked,
                                 const CheckpointFacts* found) {
  const dyn::CheckpointConfig* const config = CheckpointOf(component);
  if (config == nullptr || !asked) {
    return ComponentStart{};
  }
  ComponentStart start{.checkpoint = asked->name,
                       .checkpoint_id = asked->id,
                       .targets = TargetsOf(component, *config)};
  if (found != nullptr) {
    if (MemoryOf(component) != nullptr && found->memory() == nullptr) {
      return InvalidError(
          fmt::format("component \"{}\": gpuMemoryService restore requires resolved checkpoint "
                      "\"{}\" to enable gpuMemoryService",
                      component.name, found->name));
    }
    start.checkpoint = found->name;
    start.checkpoint_id = found->Id();
    start.ready = found->status.phase == dyn::CheckpointPhase::kReady && !found->deleting;
    start.failed = found->status.phase == dyn::CheckpointPhase::kFailed;
    start.message = found->status.message;
  }
  start.way = WayOf(component, config->startup_policy, found, start.ready);
  if (start.way == StartWay::kWaits && start.failed &&
      pods::Annotation(component.pod_template, kFallbackAnnotation) == kColdStart) {
    start.way = StartWay::kPlain;
    start.fell_back = true;
  }
  return start;
}

Status ShapeStart(json::Value& pod_template, const dyn::ComponentSpec& component,
                  const ComponentStart& start, const CheckpointFacts* found,
                  const StartSurroundings& surroundings) {
  switch (start.way) {
    case StartWay::kPlain:
    case StartWay::kWaits:
      ClearRestoreMarks(pod_template);
      return {};
    case StartWay::kCandidate:
      MarkCandidate(pod_template, {.checkpoint = start.checkpoint,
                                   .policy = Policy::kImmediate,
                                   .targets = start.targets,
                                   .loader = LoaderOf(component)});
      return {};
    case StartWay::kRestored:
      break;
  }
  if (found == nullptr || !surroundings.storage) {
    return InvalidError(
        fmt::format("component \"{}\": there is no storage to restore from", component.name));
  }
  RETURN_IF_ERROR(ShapeForRestore(pod_template, {.checkpoint_id = start.checkpoint_id,
                                                 .artifact_version = found->artifact_version,
                                                 .storage = *surroundings.storage,
                                                 .seccomp_profile = surroundings.seccomp_profile,
                                                 .targets = start.targets,
                                                 .loader = LoaderOf(component)})
                      .WithContext(fmt::format("component \"{}\"", component.name)));
  if (HasInterPodMemory(component)) {
    for (const std::string& target : start.targets) {
      Value& spec = pod_template["spec"];
      ShowSharedMemory(spec, target);
      Value container = *pods::FindNamed(spec, "containers", target);
      MountCheckpoint(*surroundings.storage, start.checkpoint_id, true, spec, container);
      *pods::FindNamed(spec, "containers", target) = std::move(container);
    }
    ASSIGN_OR_RETURN(
        const std::string directory,
        MemoryDirectory(*surroundings.storage, start.checkpoint_id, found->artifact_version));
    TellMemoryDirectory(pod_template, directory, snapshot::kGmsModeShared);
  }
  return {};
}

Status ShapeMemoryServer(json::Value& pod_template, const dyn::ComponentSpec& component,
                         const ComponentStart& start, const CheckpointFacts* found,
                         const StartSurroundings& surroundings) {
  ClearRestoreMarks(pod_template);
  if (start.way != StartWay::kRestored || found == nullptr || !surroundings.storage ||
      found->memory() == nullptr || !found->memory()->checkpoint) {
    return {};
  }
  ASSIGN_OR_RETURN(
      const std::string directory,
      MemoryDirectory(*surroundings.storage, start.checkpoint_id, found->artifact_version));
  const auto& said = MemoryOf(component)->checkpoint;
  return AddLoaderBesideServer(pod_template["spec"], *surroundings.storage, start.checkpoint_id,
                               directory, said && said->loader ? &*said->loader : nullptr);
}

}  // namespace hearth::dynamo

#include "dynamo/model/component.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/dynamo/constants.h"
#include "base/strings.h"
#include "dynamo/command/start_command.h"
#include "dynamo/model/labels.h"
#include "pods/environment.h"
#include "pods/lists.h"

namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;
using json::Value;

constexpr std::string_view kHandedOn[] = {kEnableMetricsAnnotation, kDiscoveryBackendAnnotation,
                                          dyn::kDiscoveryMode,      dyn::kOriginVersion,
                                          dyn::kExecutorBackend,    kFallbackAnnotation};

void AddAnnotation(Value& object, std::string_view key, std::string_view value) {
  if (!value.empty() && pods::Annotation(object, key).empty()) {
    pods::SetAnnotation(object, key, value);
  }
}

void AddLabel(Value& object, std::string_view key, std::string_view value) {
  if (pods::Label(object, key).empty()) {
    pods::SetLabel(object, key, value);
  }
}

template <typename E>
std::string_view NameOf(E value) {
  for (const auto& [name, candidate] : EnumNames(value)) {
    if (candidate == value) {
      return name;
    }
  }
  return "";
}

}  // namespace

std::string_view GraphFacts::Annotation(std::string_view key) const {
  const auto found = annotations.find(std::string(key));
  return found == annotations.end() ? std::string_view() : std::string_view(found->second);
}

bool IsWorker(const dyn::ComponentSpec& component) {
  return component.type == dyn::ComponentType::kWorker ||
         component.type == dyn::ComponentType::kPrefill ||
         component.type == dyn::ComponentType::kDecode;
}

std::string_view TypeName(const dyn::ComponentSpec& component) {
  return component.type ? NameOf(*component.type) : std::string_view();
}

const dyn::GpuMemoryService* MemoryOf(const dyn::ComponentSpec& component) {
  const auto& experimental = component.experimental;
  return experimental && experimental->gpu_memory_service ? &*experimental->gpu_memory_service
                                                          : nullptr;
}

const dyn::Failover* FailoverOf(const dyn::ComponentSpec& component) {
  const auto& experimental = component.experimental;
  return experimental && experimental->failover ? &*experimental->failover : nullptr;
}

const dyn::CheckpointConfig* CheckpointOf(const dyn::ComponentSpec& component) {
  const auto& experimental = component.experimental;
  return experimental && experimental->checkpoint && experimental->checkpoint->enabled
             ? &*experimental->checkpoint
             : nullptr;
}

bool HasIntraPodMemory(const dyn::ComponentSpec& component) {
  const auto* const memory = MemoryOf(component);
  return memory != nullptr && memory->mode == dyn::GpuMemoryMode::kIntraPod;
}

bool HasInterPodMemory(const dyn::ComponentSpec& component) {
  const auto* const memory = MemoryOf(component);
  return memory != nullptr && memory->mode == dyn::GpuMemoryMode::kInterPod;
}

bool HasIntraPodFailover(const dyn::ComponentSpec& component) {
  const auto* const failover = FailoverOf(component);
  return failover != nullptr && failover->mode == dyn::GpuMemoryMode::kIntraPod;
}

bool HasInterPodFailover(const dyn::ComponentSpec& component) {
  const auto* const failover = FailoverOf(component);
  return failover != nullptr && failover->mode == dyn::GpuMemoryMode::kInterPod;
}

int32_t NodesOf(const dyn::ComponentSpec& component) {
  return component.multinode ? std::max(1, component.multinode->node_count) : 1;
}

int32_t EnginesPerRank(const dyn::ComponentSpec& component) {
  return HasInterPodFailover(component) ? 1 + std::max(1, FailoverOf(component)->num_shadows) : 1;
}

dyn::ComponentSpec WithGraphDefaults(const GraphFacts& graph, const dyn::ComponentSpec& component) {
  dyn::ComponentSpec whole = component;
  if (!whole.pod_template.IsObject()) {
    whole.pod_template = Value::Object();
  }
  for (const std::string_view key : kHandedOn) {
    AddAnnotation(whole.pod_template, key, graph.Annotation(key));
  }
  for (const auto& [key, value] : graph.spec.annotations) {
    AddAnnotation(whole.pod_template, key, value);
  }
  for (const auto& [key, value] : graph.spec.labels) {
    AddLabel(whole.pod_template, key, value);
  }
  if (graph.spec.env.empty()) {
    return whole;
  }
  // The graph's come first, so that a component's can refer to them.
  Value& spec = whole.pod_template["spec"];
  if (pods::FindNamed(spec, "containers", dyn::kMainContainer) == nullptr) {
    pods::MakeItems(spec, "containers").push_back(Value::Object({{"name", dyn::kMainContainer}}));
  }
  Value& main = *pods::FindNamed(spec, "containers", dyn::kMainContainer);
  const Value::Items own = pods::Items(main, "env");
  main.Set("env", Value::FromItems({graph.spec.env.begin(), graph.spec.env.end()}));
  pods::MergeVariables(main, own);
  return whole;
}

std::string_view EngineName(dyn::BackendFramework engine) { return NameOf(engine); }

Result<std::optional<dyn::BackendFramework>> EngineOf(
    const dyn::ComponentSpec& component, const std::optional<dyn::BackendFramework>& said) {
  if (!IsWorker(component)) {
    return std::optional<dyn::BackendFramework>();
  }
  const Value* const spec = component.pod_template.Find("spec");
  const Value* const main =
      spec == nullptr ? nullptr : pods::FindNamed(*spec, "containers", dyn::kMainContainer);
  const std::vector<std::string> started =
      main == nullptr ? std::vector<std::string>() : StartCommand::EnginesOf(*main);
  if (started.empty()) {
    return said;
  }
  if (started.size() > 1) {
    return InvalidError(fmt::format("component \"{}\" starts several engines: {}", component.name,
                                    Join(started, ", ")));
  }
  if (said && EngineName(*said) != started.front()) {
    return InvalidError(
        fmt::format("backend framework mismatch: detected \"{}\" from command but explicitly "
                    "configured as \"{}\"",
                    started.front(), EngineName(*said)));
  }
  for (const auto& [name, engine] : dyn::kBackendFrameworks) {
    if (started.front() == name) {
      return std::optional(engine);
    }
  }
  return said;
}

}  // namespace hearth::dynamo

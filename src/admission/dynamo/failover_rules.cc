#include <fmt/format.h>

#include <algorithm>

#include "admission/dynamo/internal/backend.h"
#include "admission/dynamo/internal/component_rules.h"
#include "admission/rules/reading.h"
#include "api/dynamo/constants.h"

namespace hearth::admission::dynamo {

using json::Value;
using schema::FieldPath;
using schema::Forbidden;

const Rule kOneShadow{
    "failover-one-shadow",
    "One engine stands by for each one that serves; more are not rendered. Leave numShadows out or "
    "set it to 1.",
    /*in_schema=*/true};

namespace {

constexpr Rule kFailoverNeedsVllm{
    "failover-needs-vllm",
    "Only vLLM can stand by on memory that another engine uses. Set spec.backendFramework to vllm "
    "or start it by a command line that is recognised (python3 -m dynamo.vllm)."};
constexpr Rule kFailoverNeedsGpu{"failover-needs-gpu",
                                 "Engines of inter-pod failover share claimed GPUs. Set "
                                 "resources.limits of the container main."};
constexpr Rule kFailoverForWorkers{
    "failover-for-workers",
    "Failover keeps an engine ready. A frontend, planner or endpoint picker has none; raise its "
    "replicas instead."};
constexpr Rule kEngineNames{
    "failover-engine-names",
    "Intra-pod failover makes the containers engine-0 and engine-1 out of main. Name your own "
    "containers otherwise."};

void CheckBackend(const ComponentFacts& component, const ComponentContext& context,
                  const FieldPath& place, Findings& findings) {
  const std::string backend = EffectiveBackend(component.main, context.backend);
  if (backend != "vllm") {
    findings.Add(kFailoverNeedsVllm,
                 Forbidden(place, fmt::format("failover is currently supported only for vLLM "
                                              "(detected: {})",
                                              backend)));
  }
}

void CheckEngineNames(const ComponentFacts& component, const FieldPath& path, Findings& findings) {
  const auto& containers = Items(component.containers);
  const FieldPath pod_template = path.Child("podTemplate");
  const FieldPath spec = pod_template.Child("spec");
  const FieldPath list = spec.Child("containers");
  for (size_t i = 0; i < containers.size(); ++i) {
    const Value* name = containers[i].Find("name");
    if (std::ranges::find(api::dynamo::kEngines, Text(name)) !=
        std::ranges::end(api::dynamo::kEngines)) {
      findings.Add(kEngineNames, Invalid(list.Item(i).Child("name"), *name,
                                         "is the name of an engine of intra-pod failover; rename "
                                         "the container"));
    }
  }
}

void CheckInterPod(const ComponentFacts& component, const FieldPath& place, Findings& findings) {
  if (GpuCount(component.main).value_or(0) < 1) {
    findings.Add(kFailoverNeedsGpu,
                 Forbidden(place,
                           "GMS failover requires at least 1 GPU in "
                           "podTemplate.spec.containers[main].resources.limits.nvidia.com/gpu"));
  }
  if (component.type == "epp" || component.type == "frontend" || component.type == "planner") {
    findings.Add(kFailoverForWorkers,
                 Forbidden(place, fmt::format("GMS failover is not supported for component type "
                                              "\"{}\"",
                                              component.type)));
  }
}

void CheckShadows(const ComponentFacts& component, const FieldPath& place, Findings& findings) {
  if (component.Shadows() <= 1) {
    return;
  }
  const std::string detail =
      component.InterPodFailover()
          ? "must be 1: one engine stands by for each rank"
          : "is invalid for mode=\"intraPod\": intraPod uses a fixed 1 primary + 1 shadow sidecar; "
            "use failover.mode=\"interPod\" to configure numShadows";
  findings.Add(kOneShadow,
               Invalid(place.Child("numShadows"), *component.failover->Find("numShadows"), detail));
}

}  // namespace

void CheckFailover(const ComponentFacts& component, const ComponentContext& context,
                   const FieldPath& path, Findings& findings) {
  if (component.failover == nullptr) {
    return;
  }
  const FieldPath experimental = path.Child("experimental");
  const FieldPath place = experimental.Child("failover");
  if (component.InterPodFailover()) {
    CheckInterPod(component, place, findings);
  } else {
    CheckBackend(component, context, place, findings);
    CheckEngineNames(component, path, findings);
  }
  CheckShadows(component, place, findings);
}

RuleList FailoverRuleList() {
  return {&kFailoverNeedsVllm, &kFailoverNeedsGpu, &kFailoverForWorkers, &kEngineNames,
          &kOneShadow};
}

}  // namespace hearth::admission::dynamo

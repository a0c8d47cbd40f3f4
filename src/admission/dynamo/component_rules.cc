#include "admission/dynamo/internal/component_rules.h"

#include <fmt/format.h>

#include "admission/dynamo/internal/backend.h"
#include "admission/rules/reading.h"
#include "base/strings.h"

namespace hearth::admission::dynamo {
namespace {

using json::Value;
using schema::FieldPath;
using schema::Forbidden;

constexpr Rule kNoEndpointPicker{
    "no-endpoint-picker",
    "Endpoint pickers need the inference extension of the Gateway API, which this operator does "
    "not drive. A component of type epp would never run; leave it out and route to the frontend."};
constexpr Rule kMinAvailableNeedsGrove{
    "min-available-needs-grove",
    "Pods are scheduled in groups by Grove only; elsewhere minAvailable would silently mean "
    "nothing. Take it away, or run the component in a graph on Grove."};
constexpr Rule kFrontendSidecarExists{
    "frontend-sidecar-exists",
    "frontendSidecar names a container of podTemplate that gets the defaults of a frontend. "
    "Without such a container no pod can be made."};

void CheckType(const ComponentFacts& component, const FieldPath& path, Findings& findings) {
  if (component.type == "epp") {
    findings.Add(kNoEndpointPicker,
                 Forbidden(path.Child("type"),
                           "components of type \"epp\" are not supported by this operator: "
                           "endpoint pickers need the Gateway API inference extension; remove the "
                           "component and send requests to the frontend"));
  }
}

void CheckMinAvailable(const ComponentFacts& component, const ComponentContext& context,
                       const FieldPath& path, Findings& findings) {
  const Value* min_available = component.value.Find("minAvailable");
  if (min_available != nullptr && !min_available->IsNull() && !context.pathway.grove) {
    findings.Add(kMinAvailableNeedsGrove,
                 Forbidden(path.Child("minAvailable"),
                           "is currently supported only for Grove-backed DynamoGraphDeployment "
                           "components"));
  }
}

void CheckFrontendSidecar(const ComponentFacts& component, const FieldPath& path,
                          Findings& findings) {
  const Value* sidecar = component.value.Find("frontendSidecar");
  if (sidecar == nullptr || !sidecar->IsString()) {
    return;
  }
  const FieldPath place = path.Child("frontendSidecar");
  if (ObjectOrNull(component.value.Find("podTemplate")) == nullptr) {
    findings.Add(kFrontendSidecarExists,
                 Required(path.Child("podTemplate").Child("spec").Child("containers"),
                          "is required when frontendSidecar is set"));
  } else if (sidecar->string().empty()) {
    findings.Add(kFrontendSidecarExists, Invalid(place, *sidecar, "must not be empty"));
  } else if (FindNamed(component.containers, sidecar->string()) == nullptr) {
    findings.Add(kFrontendSidecarExists,
                 Invalid(place, *sidecar, "must match a podTemplate.spec.containers name"));
  }
}

void WarnOfNodes(const ComponentFacts& component, const ComponentContext& context,
                 const FieldPath& path, Findings& findings) {
  if (component.nodes > 1 && !context.pathway.grove) {
    findings.Warn(path.Child("multinode"),
                  "no multinode orchestrator available; instances that span several nodes need a "
                  "DynamoGraphDeployment on the Grove pathway");
  }
}

void WarnOfBackend(const ComponentFacts& component, const ComponentContext& context,
                   const FieldPath& path, Findings& findings) {
  if (!component.IsWorker()) {
    return;
  }
  const auto detected = DetectBackends(component.main);
  if (detected.size() > 1) {
    findings.Warn(path.Child("podTemplate"),
                  fmt::format("the command line of main starts several inference engines ({})",
                              EffectiveBackend(component.main, "")));
  } else if (detected.size() == 1 && !context.backend.empty() && detected[0] != context.backend) {
    findings.Warn(path.Child("podTemplate"),
                  fmt::format("backend framework mismatch: detected \"{}\" from command but "
                              "explicitly configured as \"{}\"",
                              detected[0], Excerpt(context.backend, 63)));
  }
}

}  // namespace

void CheckComponent(const ComponentFacts& component, const ComponentContext& context,
                    const FieldPath& path, Findings& findings) {
  CheckType(component, path, findings);
  CheckMinAvailable(component, context, path, findings);
  CheckFrontendSidecar(component, path, findings);
  CheckGpuMemory(component, context, path, findings);
  CheckFailover(component, context, path, findings);
  CheckCheckpointConfig(component, context, path, findings);
  WarnOfNodes(component, context, path, findings);
  WarnOfBackend(component, context, path, findings);
}

RuleList ComponentRuleList() {
  RuleList all = {&kNoEndpointPicker, &kMinAvailableNeedsGrove, &kFrontendSidecarExists};
  for (const RuleList& more : {GpuMemoryRuleList(), FailoverRuleList(), CheckpointConfigRuleList(),
                               ComponentUpdateRuleList()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace hearth::admission::dynamo

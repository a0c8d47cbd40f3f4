#include <fmt/format.h>

#include <algorithm>

#include "admission/dynamo/internal/backend.h"
#include "admission/dynamo/internal/component_rules.h"
#include "admission/dynamo/internal/gms_client_rules.h"
#include "admission/rules/reading.h"
#include "base/strings.h"

namespace hearth::admission::dynamo {
namespace {

using json::Value;
using schema::FieldPath;
using schema::Forbidden;

constexpr Rule kMemoryForWorkers{
    "gms-for-workers",
    "The GPU memory service keeps the weights of an engine. A frontend or planner has none; "
    "set gpuMemoryService on components of type worker, prefill or decode."};
constexpr Rule kMemoryNeedsGpu{
    "gms-needs-gpu",
    "The claim for GPUs is made from what main asks for. Without a whole number of GPUs there is "
    "nothing to claim; set resources.limits of the container main."};
constexpr Rule kInterPodNeedsGrove{
    "gms-inter-pod-needs-grove",
    "Servers and engines in pods of their own are put side by side by Grove. Without it, use mode "
    "IntraPod."};
constexpr Rule kInterPodNeedsVllm{
    "gms-inter-pod-needs-vllm",
    "Only vLLM can attach to GPU memory of another pod. Set spec.backendFramework to vllm, or use "
    "mode IntraPod."};
constexpr Rule kInterPodNeedsGraph{
    "gms-inter-pod-needs-graph",
    "A DynamoComponentDeployment that stands alone becomes one Deployment, which cannot put "
    "servers and engines side by side. Make it a component of a DynamoGraphDeployment, or use mode "
    "IntraPod."};
constexpr Rule kClientContainersExist{
    "gms-client-containers-exist",
    "A name in extraClientContainers that is no container would be passed over, and the container "
    "that was meant would not reach the memory. Write the name as in podTemplate."};

void CheckWho(const ComponentFacts& component, const FieldPath& path, Findings& findings) {
  const FieldPath experimental = path.Child("experimental");
  const FieldPath place = experimental.Child("gpuMemoryService");
  if (!component.IsWorker()) {
    findings.Add(kMemoryForWorkers,
                 Forbidden(place,
                           "GPU memory service is only supported for worker, prefill, or decode "
                           "components"));
  }
  if (GpuCount(component.main).value_or(0) < 1) {
    findings.Add(kMemoryNeedsGpu,
                 Forbidden(place,
                           "GPU memory service requires "
                           "podTemplate.spec.containers[main].resources.limits.nvidia.com/gpu >= "
                           "1"));
  }
}

// A component of a graph: what the layout needs of the graph.
void CheckGraphLayout(const ComponentFacts& component, const ComponentContext& context,
                      const FieldPath& mode, Findings& findings) {
  if (!context.pathway.grove) {
    findings.Add(kInterPodNeedsGrove, Forbidden(mode, context.pathway.requirement));
  }
  if (context.backend != "vllm") {
    findings.Add(
        kInterPodNeedsVllm,
        Invalid(mode, *component.memory->Find("mode"),
                fmt::format("the inter-pod GMS layout is currently supported only for vLLM "
                            "(detected backend: {})",
                            context.backend.empty() ? "<unset>" : Excerpt(context.backend, 63))));
  }
}

void CheckLayout(const ComponentFacts& component, const ComponentContext& context,
                 const FieldPath& path, Findings& findings) {
  if (!component.InterPodMemory()) {
    return;
  }
  const FieldPath experimental = path.Child("experimental");
  const FieldPath memory = experimental.Child("gpuMemoryService");
  const FieldPath mode = memory.Child("mode");
  if (context.in_graph) {
    CheckGraphLayout(component, context, mode, findings);
  } else if (context.stand_alone) {
    findings.Add(kInterPodNeedsGraph,
                 Forbidden(mode,
                           "the inter-pod GMS layout is not supported on a stand-alone "
                           "DynamoComponentDeployment; make it a component of a "
                           "DynamoGraphDeployment on the Grove pathway, or use mode IntraPod"));
  }
}

void CheckClients(const ComponentFacts& component, const FieldPath& path, Findings& findings) {
  const auto& clients = Items(component.memory->Find("extraClientContainers"));
  if (clients.empty() || component.InterPodMemory()) {
    return;
  }
  const auto known = Names(component.containers);
  const FieldPath experimental = path.Child("experimental");
  const FieldPath memory = experimental.Child("gpuMemoryService");
  const FieldPath list = memory.Child("extraClientContainers");
  for (size_t i = 0; i < clients.size(); ++i) {
    if (clients[i].IsString() && !known.contains(clients[i].string())) {
      findings.Add(kClientContainersExist,
                   Invalid(list.Item(i), clients[i],
                           "does not name a container in podTemplate.spec.containers"));
    }
  }
}

bool Mentions(const Value* container, std::string_view flag) {
  for (const char* list : {"command", "args"}) {
    for (const Value& word : Items(At(container, list))) {
      if (Text(&word).find(flag) != std::string_view::npos) {
        return true;
      }
    }
  }
  return false;
}

// The operator adds a flag to the command line of vLLM; it must find the place for it.
void WarnOfCommand(const ComponentFacts& component, const ComponentContext& context,
                   const FieldPath& path, Findings& findings) {
  const bool has_command =
      !Items(At(component.main, "command")).empty() || !Items(At(component.main, "args")).empty();
  if (context.backend == "vllm" && has_command && DetectBackends(component.main).empty() &&
      !Mentions(component.main, "--load-format")) {
    findings.Warn(path.Child("podTemplate"),
                  "no start of vLLM is recognised in the command line of main, so --load-format "
                  "gms cannot be added to it; add the flag yourself");
  }
}

}  // namespace

void CheckGpuMemory(const ComponentFacts& component, const ComponentContext& context,
                    const FieldPath& path, Findings& findings) {
  if (component.memory == nullptr) {
    return;
  }
  const FieldPath experimental = path.Child("experimental");
  CheckWho(component, path, findings);
  CheckLayout(component, context, path, findings);
  CheckClients(component, path, findings);
  CheckGmsClients(*component.memory, context.setup, experimental.Child("gpuMemoryService"),
                  findings);
  CheckReservedNames(component, path, findings);
  CheckGmsPod(component, path, findings);
  WarnOfCommand(component, context, path, findings);
}

RuleList GpuMemoryRuleList() {
  RuleList all = {&kMemoryForWorkers,  &kMemoryNeedsGpu,     &kInterPodNeedsGrove,
                  &kInterPodNeedsVllm, &kInterPodNeedsGraph, &kClientContainersExist};
  for (const Rule* rule : GmsClientRuleList()) {
    all.push_back(rule);
  }
  return all;
}

}  // namespace hearth::admission::dynamo

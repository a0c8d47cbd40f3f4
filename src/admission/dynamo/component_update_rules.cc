#include <fmt/format.h>

#include "admission/dynamo/internal/component_rules.h"
#include "admission/rules/reading.h"

namespace hearth::admission::dynamo {
namespace {

using json::Value;
using schema::FieldPath;

constexpr Rule kFixedBackend{
    "backend-is-fixed",
    "Pods of two engines in one graph do not understand each other. Make a new object for another "
    "backend."};
constexpr Rule kFixedNodes{
    "node-topology-is-fixed",
    "An instance on one node and one on several are different objects underneath. Make a new "
    "object; the number of nodes alone may change."};
constexpr Rule kFixedTopology{
    "topology-constraint-is-fixed",
    "Pods that run cannot be packed anew. Make a new object for another constraint."};
constexpr Rule kFixedLayout{
    "gms-layout-is-fixed",
    "GPU memory in a server of its own cannot be moved into the engine's pod, nor back. Make a new "
    "object."};
constexpr Rule kFixedFailover{
    "inter-pod-failover-is-fixed",
    "Engines of inter-pod failover are pods that are made together with their memory server. Make "
    "a new object."};
constexpr Rule kFixedShadows{
    "inter-pod-shadows-are-fixed",
    "Engines of inter-pod failover are pods that are made together with their memory server. Make "
    "a new object for another number."};

Value ValueOr(const Value* value) { return value == nullptr ? Value() : *value; }

void CheckNodes(const ComponentFacts& component, const ComponentFacts& old, const FieldPath& path,
                Findings& findings) {
  if ((component.nodes > 1) != (old.nodes > 1)) {
    findings.Add(kFixedNodes,
                 Invalid(path.Child("multinode"), ValueOr(component.value.Find("multinode")),
                         "cannot change node topology between single-node and multi-node after "
                         "creation"));
  }
}

void CheckTopology(const ComponentFacts& component, const ComponentFacts& old,
                   std::string_view owner, const FieldPath& path, Findings& findings) {
  const Value now = ValueOr(component.value.Find("topologyConstraint"));
  if (!(now == ValueOr(old.value.Find("topologyConstraint")))) {
    findings.Add(kFixedTopology,
                 Invalid(path.Child("topologyConstraint"), now,
                         fmt::format("is immutable and cannot be added, removed, or changed after "
                                     "creation; delete and recreate the {} to change topology "
                                     "constraints",
                                     owner)));
  }
}

void CheckLayout(const ComponentFacts& component, const ComponentFacts& old, std::string_view owner,
                 const FieldPath& path, Findings& findings) {
  if (component.InterPodMemory() != old.InterPodMemory()) {
    const FieldPath experimental = path.Child("experimental");
    const FieldPath memory = experimental.Child("gpuMemoryService");
    findings.Add(kFixedLayout,
                 Invalid(memory.Child("mode"), ValueOr(At(component.memory, "mode")),
                         fmt::format("the inter-pod GMS layout cannot be toggled after creation; "
                                     "delete and recreate the {}",
                                     owner)));
  }
}

void CheckFailoverUpdate(const ComponentFacts& component, const ComponentFacts& old,
                         std::string_view owner, const FieldPath& path, Findings& findings) {
  const FieldPath experimental = path.Child("experimental");
  const FieldPath place = experimental.Child("failover");
  if (component.InterPodFailover() != old.InterPodFailover()) {
    findings.Add(kFixedFailover,
                 Invalid(place, ValueOr(component.failover),
                         fmt::format("inter-pod GMS failover cannot be toggled after creation; "
                                     "delete and recreate the {}",
                                     owner)));
  } else if (component.InterPodFailover() && component.Shadows() != old.Shadows()) {
    findings.Add(kFixedShadows,
                 Invalid(place.Child("numShadows"), Value(component.Shadows()),
                         fmt::format("is immutable for inter-pod GMS failover; delete and recreate "
                                     "the {} to change it",
                                     owner)));
  }
}

}  // namespace

void CheckComponentUpdate(const ComponentFacts& component, const ComponentFacts& old,
                          std::string_view owner, const FieldPath& path, Findings& findings) {
  CheckNodes(component, old, path, findings);
  CheckTopology(component, old, owner, path, findings);
  CheckLayout(component, old, owner, path, findings);
  CheckFailoverUpdate(component, old, owner, path, findings);
}

void CheckBackendUpdate(const Value& object, const Value& old, Findings& findings) {
  const Value* now = object.FindPath("spec.backendFramework");
  if (Text(now) == Text(old.FindPath("spec.backendFramework"))) {
    return;
  }
  const FieldPath spec = FieldPath::Base("spec");
  findings.Warn({.text = "Changing spec.backendFramework may cause unexpected behavior"});
  findings.Add(kFixedBackend, Invalid(spec.Child("backendFramework"), Value(Text(now)),
                                      "is immutable and cannot be changed after creation"));
}

RuleList ComponentUpdateRuleList() {
  return {&kFixedBackend, &kFixedNodes,    &kFixedTopology,
          &kFixedLayout,  &kFixedFailover, &kFixedShadows};
}

}  // namespace hearth::admission::dynamo

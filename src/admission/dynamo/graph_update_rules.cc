#include <fmt/format.h>

#include <algorithm>

#include "admission/dynamo/internal/graph_rules.h"
#include "admission/rules/reading.h"
#include "base/strings.h"

namespace hearth::admission::dynamo {
namespace {

using json::Value;
using schema::FieldPath;

constexpr Rule kFixedComponents{
    "components-are-fixed",
    "Components find each other through the graph they were made with. Make a new graph for other "
    "components; their order may change."};
constexpr Rule kFixedGraphTopology{
    "graph-topology-constraint-is-fixed",
    "Pods that run cannot be packed anew. Make a new graph for another constraint."};
constexpr Rule kReplicasOfScaler{
    "replicas-belong-to-the-scaler",
    "With a scaling adapter the replicas of a component belong to the scaler, which would undo "
    "other changes. Scale through it. This operator makes no adapter: where nothing else does, "
    "take scalingAdapter away in one change and set replicas in the next."};

std::vector<std::string> Missing(const ComponentsByName& of, const ComponentsByName& in) {
  std::vector<std::string> names;
  for (const auto& [name, component] : of) {
    if (!in.contains(name)) {
      names.emplace_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

void CheckSet(const ComponentsByName& now, const ComponentsByName& before, Findings& findings) {
  const auto added = Missing(now, before);
  const auto removed = Missing(before, now);
  std::vector<std::string> changes;
  if (!added.empty()) {
    changes.push_back("components added: [" + Join(added, " ") + "]");
  }
  if (!removed.empty()) {
    changes.push_back("components removed: [" + Join(removed, " ") + "]");
  }
  if (!changes.empty()) {
    findings.Add(kFixedComponents,
                 Forbidden(FieldPath::Base("spec.components"),
                           "component topology is immutable and cannot be modified after "
                           "creation: " +
                               Join(changes, ", ")));
  }
}

// The operator itself, or a planner, whose account has the same name in every namespace.
bool MayScale(const Request& request) {
  constexpr std::string_view kAccounts = "system:serviceaccount:";
  const std::string_view user = request.user;
  if (!user.starts_with(kAccounts)) {
    return false;
  }
  const auto parts = Split(user, ':');
  return user == request.setup.operator_account ||
         (parts.size() == 4 && parts[3] == "planner-serviceaccount");
}

bool HasScaler(const Value& component) {
  return ObjectOrNull(component.Find("scalingAdapter")) != nullptr;
}

void CheckReplicas(const Value& component, const Value& old, const Request& request,
                   const FieldPath& path, Findings& findings) {
  const int64_t now = Integer(component.Find("replicas")).value_or(1);
  if ((HasScaler(component) || HasScaler(old)) && !MayScale(request) &&
      now != Integer(old.Find("replicas")).value_or(1)) {
    findings.Add(kReplicasOfScaler,
                 Forbidden(path.Child("replicas"),
                           "cannot be modified directly when scaling adapter is enabled; scale or "
                           "update the related DynamoGraphDeploymentScalingAdapter instead, or "
                           "where there is none remove scalingAdapter first, in a change of its "
                           "own"));
  }
}

void CheckTopology(const Value& graph, const Value& old, Findings& findings) {
  const auto read = [](const Value& object) {
    const Value* constraint = object.FindPath("spec.topologyConstraint");
    return constraint == nullptr ? Value() : *constraint;
  };
  if (!(read(graph) == read(old))) {
    findings.Add(kFixedGraphTopology,
                 Invalid(FieldPath::Base("spec.topologyConstraint"), read(graph),
                         "is immutable and cannot be added, removed, or changed after creation; "
                         "delete and recreate the DynamoGraphDeployment to change topology "
                         "constraints"));
  }
}

void CheckEach(const Value& graph, const ComponentsByName& before, const Request& request,
               Findings& findings) {
  const FieldPath list = FieldPath::Base("spec.components");
  const auto& components = Items(graph.FindPath("spec.components"));
  for (size_t i = 0; i < std::min(components.size(), kMostComponents); ++i) {
    const auto old = before.find(Text(components[i].Find("name")));
    if (old != before.end()) {
      CheckReplicas(components[i], *old->second, request, list.Item(i), findings);
      CheckComponentUpdate(ComponentFacts(components[i]), ComponentFacts(*old->second),
                           "DynamoGraphDeployment", list.Item(i), findings);
    }
  }
}

}  // namespace

void CheckGraphUpdate(const Value& graph, const Request& request, Findings& findings) {
  const Value& old = *request.old;
  const ComponentsByName before = ByName(old);
  CheckSet(ByName(graph), before, findings);
  CheckEach(graph, before, request, findings);
  CheckBackendUpdate(graph, old, findings);
  CheckTopology(graph, old, findings);
  CheckAnnotationsUpdate(graph, old, findings);
  CheckRestartUpdate(graph, old, findings);
}

RuleList GraphUpdateRuleList() {
  return {&kFixedComponents, &kFixedGraphTopology, &kReplicasOfScaler};
}

}  // namespace hearth::admission::dynamo

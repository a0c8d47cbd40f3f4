#include "admission/grove/internal/topology.h"

#include <fmt/format.h>

#include "admission/grove/internal/part.h"
#include "admission/rules/reading.h"

namespace hearth::admission::grove {
namespace {

using schema::FieldPath;

constexpr Rule kDisabled{
    "topology-enabled",
    "The operator does not pass topology constraints on unless topology-aware scheduling is on, so "
    "the set would run anywhere. Remove topologyConstraint, or set topologyAwareScheduling.enabled "
    "in the operator's configuration."};
constexpr Rule kName{
    "topology-name",
    "Domains such as rack mean something only in a ClusterTopologyBinding, and a set can use one. "
    "Give topologyName on the set, or the same name wherever it is not inherited."};

void CheckDisabled(const json::Value& object, const FieldPath& path, Findings& findings) {
  const json::Value& constraint = Member(object, "topologyConstraint");
  if (!constraint.IsNull()) {
    findings.Add(kDisabled, schema::Invalid(path.Child("topologyConstraint"), constraint,
                                            "topology-aware scheduling is off in this operator"));
  }
}

// Resolves names from the outside in and tells what does not resolve.
class Names {
 public:
  Names(const SetOutline& set, Findings& findings) : set_(set), findings_(findings) {}

  void Check() {
    const std::string_view of_set = Resolve(set_.set_template, kTemplatePath, "");
    std::vector<std::string_view> of_groups;
    for (size_t i = 0; i < set_.groups.size(); ++i) {
      of_groups.push_back(Resolve(*set_.groups[i].value, kGroupsPath.Item(i), of_set));
    }
    for (size_t i = 0; i < set_.cliques.size(); ++i) {
      Resolve(*set_.cliques[i].value, kCliquesPath.Item(i),
              set_.Standalone(i) ? of_set : of_groups[set_.cliques[i].group]);
    }
  }

 private:
  // The name in force within `object`.
  std::string_view Resolve(const json::Value& object, const FieldPath& path,
                           std::string_view inherited) {
    const json::Value& constraint = Member(object, "topologyConstraint");
    if (!constraint.IsObject()) {
      return inherited;
    }
    const std::string_view own = Text(constraint, "topologyName");
    const FieldPath constraint_path = path.Child("topologyConstraint");
    const FieldPath name = constraint_path.Child("topologyName");
    if (own.empty() && inherited.empty()) {
      findings_.Add(kName, schema::Required(name,
                                            "name of a ClusterTopologyBinding; there is none "
                                            "to inherit"));
    }
    if (!own.empty()) {
      first_ = first_.empty() ? own : first_;
      if (own != first_) {
        findings_.Add(kName, schema::Invalid(name, own,
                                             fmt::format("all topologyNames of a set must be the "
                                                         "same, and another one is '{}'",
                                                         first_)));
      }
    }
    return own.empty() ? inherited : own;
  }

  const SetOutline& set_;
  Findings& findings_;
  std::string_view first_;
};

// Whether domains are levels of the binding, and broad enough, only the cluster can tell: the
// controller of sets does, in the condition TopologyLevelsUnavailable (grove/plan/topology.h).
void Check(const SetOutline& set, const Request& request, Findings& findings) {
  if (request.operation == Operation::kCreate) {
    CheckTopology(set, request.setup, findings);
  }
}

}  // namespace

void CheckTopology(const SetOutline& set, const Setup& setup, Findings& findings) {
  if (setup.topology) {
    return Names(set, findings).Check();
  }
  CheckDisabled(set.set_template, kTemplatePath, findings);
  for (size_t i = 0; i < set.groups.size(); ++i) {
    CheckDisabled(*set.groups[i].value, kGroupsPath.Item(i), findings);
  }
  for (size_t i = 0; i < set.cliques.size(); ++i) {
    CheckDisabled(*set.cliques[i].value, kCliquesPath.Item(i), findings);
  }
}

Part TopologyPart() { return {Check, {&kDisabled, &kName}}; }

}  // namespace hearth::admission::grove

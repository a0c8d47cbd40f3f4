#include "admission/grove/internal/part.h"
#include "admission/grove/internal/words.h"
#include "admission/rules/reading.h"

namespace hearth::admission::grove {
namespace {

using schema::FieldPath;

constexpr Rule kSome{
    "set-needs-cliques",
    "A set without cliques has no pods and could never be ready. Describe at least one clique."};
constexpr Rule kReplicas{
    "clique-replicas",
    "A clique is a role that the workload needs, so it starts with at least one pod. Leave "
    "replicas out for 1; scale the PodClique later if it shall have none."};
constexpr Rule kMinAvailable{
    "clique-min-available",
    "minAvailable pods are scheduled together and must go on working. More than replicas would "
    "never be scheduled, none would ask for nothing. Choose from 1 to replicas."};
constexpr Rule kMetadata{
    "clique-labels-and-annotations",
    "They are put on PodCliques and pods, which the API server would refuse with malformed keys or "
    "values. Correct the key or value that is named."};

void CheckCounts(const json::Value& spec, const FieldPath& path, Findings& findings) {
  CheckPositive(kReplicas, path, spec, "replicas", findings);
  const FieldPath min_path = path.Child("minAvailable");
  if (spec.IsObject() && !Has(spec, "minAvailable")) {
    findings.Add(kMinAvailable, schema::Required(min_path, "field is required"));
  }
  CheckPositive(kMinAvailable, path, spec, "minAvailable", findings);
  const auto least = Integer(spec, "minAvailable");
  const auto replicas = Integer(spec, "replicas");
  if (least.has_value() && replicas.has_value() && *least > *replicas) {
    findings.Add(kMinAvailable, schema::Invalid(min_path, Member(spec, "minAvailable"),
                                                "minAvailable must not be greater than replicas"));
  }
}

void Check(const SetOutline& set, const Request& /*request*/, Findings& findings) {
  const json::Value& list = Member(set.set_template, "cliques");
  if (list.IsArray() && list.items().empty()) {
    findings.Add(kSome, schema::Required(kCliquesPath, "at least one PodClique must be defined"));
  }
  for (size_t i = 0; i < set.cliques.size(); ++i) {
    const FieldPath path = kCliquesPath.Item(i);
    CheckLabels(kMetadata, path, *set.cliques[i].value, findings);
    CheckAnnotations(kMetadata, path, *set.cliques[i].value, findings);
    CheckCounts(*set.cliques[i].spec, path.Child("spec"), findings);
  }
}

}  // namespace

Part CliquesPart() { return {Check, {&kSome, &kReplicas, &kMinAvailable, &kMetadata}}; }

}  // namespace hearth::admission::grove

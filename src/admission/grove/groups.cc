#include <fmt/format.h>

#include "admission/grove/internal/part.h"
#include "admission/grove/internal/words.h"
#include "admission/rules/reading.h"
#include "base/seeded_hash.h"

namespace hearth::admission::grove {
namespace {

using schema::FieldPath;

constexpr Rule kMembers{
    "group-members",
    "A scaling group scales cliques of its set, each of which can follow only one group. Name "
    "cliques that the set has, and each in one group only."};
constexpr Rule kReplicas{
    "group-replicas",
    "A scaling group starts with at least one copy of its cliques. Leave replicas out for 1; scale "
    "the PodCliqueScalingGroup later if it shall have none."};
constexpr Rule kMinAvailable{
    "group-min-available",
    "minAvailable copies are scheduled together with the set's replica. More than replicas would "
    "never be scheduled, none would ask for nothing. Choose from 1 to replicas."};
constexpr Rule kAnnotations{
    "group-annotations",
    "They are put on PodCliqueScalingGroups, which the API server would refuse with malformed "
    "keys. Correct the key that is named."};

using Owners = SeededMap<std::string_view, size_t>;  // group of a clique, by name

void CheckMembers(const SetOutline& set, size_t index, Owners& owners, Findings& findings) {
  const FieldPath group = kGroupsPath.Item(index);
  const FieldPath path = group.Child("cliqueNames");
  const json::Value::Items& names = Items(*set.groups[index].value, "cliqueNames");
  for (size_t i = 0; i < names.size(); ++i) {
    if (!names[i].IsString()) {
      continue;
    }
    if (!set.clique_of.contains(names[i].string())) {
      findings.Add(kMembers, schema::NotFound(path.Item(i), names[i]));
    }
    const auto [owner, fresh] = owners.emplace(names[i].string(), index);
    if (!fresh) {
      findings.Add(kMembers,
                   DuplicateOf(path.Item(i), names[i],
                               fmt::format("already in podCliqueScalingGroups[{}].cliqueNames; a "
                                           "clique can be in one scaling group only",
                                           owner->second)));
    }
  }
}

void CheckCounts(const json::Value& group, const FieldPath& path, Findings& findings) {
  CheckPositive(kReplicas, path, group, "replicas", findings);
  CheckPositive(kMinAvailable, path, group, "minAvailable", findings);
  const auto least = Integer(group, "minAvailable");
  const auto replicas = Integer(group, "replicas");
  if (least.has_value() && replicas.has_value() && *least > *replicas) {
    findings.Add(kMinAvailable,
                 schema::Invalid(path.Child("minAvailable"), Member(group, "minAvailable"),
                                 "minAvailable must not be greater than replicas"));
  }
}

void Check(const SetOutline& set, const Request& /*request*/, Findings& findings) {
  Owners owners;
  for (size_t i = 0; i < set.groups.size(); ++i) {
    const FieldPath path = kGroupsPath.Item(i);
    CheckMembers(set, i, owners, findings);
    CheckCounts(*set.groups[i].value, path, findings);
    CheckAnnotations(kAnnotations, path, *set.groups[i].value, findings);
  }
}

}  // namespace

Part GroupsPart() { return {Check, {&kMembers, &kReplicas, &kMinAvailable, &kAnnotations}}; }

}  // namespace hearth::admission::grove

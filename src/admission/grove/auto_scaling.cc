#include "admission/grove/internal/part.h"
#include "admission/grove/internal/words.h"
#include "admission/rules/reading.h"

namespace hearth::admission::grove {
namespace {

using schema::FieldPath;

constexpr Rule kMinReplicas{
    "scaling-min-replicas",
    "An autoscaler that may go below minAvailable would break the gang it scales. Let minReplicas "
    "be minAvailable or more."};
constexpr Rule kMaxReplicas{
    "scaling-max-replicas",
    "An autoscaler needs room between minReplicas and maxReplicas, and a clique must not start "
    "with more pods than it may have. Raise maxReplicas."};
constexpr Rule kMembers{
    "scaling-not-for-members",
    "The cliques of a scaling group are scaled as one, through scaleConfig of the group. Remove "
    "autoScalingConfig from the clique, or the clique from the group."};

// What the two places where autoscaling is configured call things.
struct Words {
  const char* below_min_available;
  const char* below_min_replicas;
};
constexpr Words kOfClique{"must be greater than or equal to podCliqueSpec.minAvailable",
                          "must be greater than or equal to podCliqueSpec.minReplicas"};
constexpr Words kOfGroup{"scaleConfig.minReplicas must be greater than or equal to minAvailable",
                         "scaleConfig.maxReplicas must be greater than or equal to minReplicas"};

bool Below(const json::Value& object, std::string_view member, std::optional<int64_t> least) {
  const auto number = Integer(object, member);
  return number.has_value() && least.has_value() && *number < *least;
}

void CheckRange(const json::Value& config, std::optional<int64_t> min_available, const Words& words,
                const FieldPath& path, Findings& findings) {
  if (Below(config, "minReplicas", min_available)) {
    findings.Add(kMinReplicas,
                 schema::Invalid(path.Child("minReplicas"), Member(config, "minReplicas"),
                                 words.below_min_available));
  }
  if (Below(config, "maxReplicas", Integer(config, "minReplicas"))) {
    findings.Add(kMaxReplicas,
                 schema::Invalid(path.Child("maxReplicas"), Member(config, "maxReplicas"),
                                 words.below_min_replicas));
  }
}

void CheckClique(const json::Value& spec, bool standalone, const FieldPath& path,
                 Findings& findings) {
  const json::Value& config = Member(spec, "autoScalingConfig");
  if (!config.IsObject()) {
    return;
  }
  if (!standalone) {
    findings.Add(kMembers, schema::Forbidden(path,
                                             "not allowed for a clique in a scaling group: "
                                             "use scaleConfig of the group"));
  }
  if (!Has(config, "minReplicas")) {
    findings.Add(kMinReplicas, schema::Required(path.Child("minReplicas"), "field is required"));
  }
  CheckRange(config, Integer(spec, "minAvailable"), kOfClique, path, findings);
  if (Below(config, "maxReplicas", Integer(spec, "replicas"))) {
    findings.Add(kMaxReplicas,
                 schema::Invalid(path.Child("maxReplicas"), Member(config, "maxReplicas"),
                                 "must be greater than or equal to replicas"));
  }
}

void Check(const SetOutline& set, const Request& /*request*/, Findings& findings) {
  for (size_t i = 0; i < set.cliques.size(); ++i) {
    const FieldPath item = kCliquesPath.Item(i);
    const FieldPath spec = item.Child("spec");
    CheckClique(*set.cliques[i].spec, set.Standalone(i), spec.Child("autoScalingConfig"), findings);
  }
  for (size_t i = 0; i < set.groups.size(); ++i) {
    const FieldPath item = kGroupsPath.Item(i);
    CheckRange(Member(*set.groups[i].value, "scaleConfig"),
               Integer(*set.groups[i].value, "minAvailable"), kOfGroup, item.Child("scaleConfig"),
               findings);
  }
}

}  // namespace

Part AutoScalingPart() { return {Check, {&kMinReplicas, &kMaxReplicas, &kMembers}}; }

}  // namespace hearth::admission::grove

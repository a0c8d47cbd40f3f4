#include <limits>

#include "admission/grove/internal/part.h"
#include "admission/grove/internal/words.h"
#include "admission/rules/reading.h"
#include "base/duration.h"

namespace hearth::admission::grove {
namespace {

using schema::FieldPath;

constexpr Rule kReplicas{
    "set-replicas-not-negative",
    "There cannot be fewer than no copies of a set. To stop a workload and keep its definition, "
    "set replicas to 0."};
constexpr Rule kTerminationDelay{
    "set-termination-delay",
    "The replica of a set in which too few pods work is restarted after terminationDelay. No time "
    "at all would restart it at every hiccup. Give a duration such as 30m, or leave it out for "
    "4h."};
constexpr Rule kCountFits{
    "counts-fit-32-bits",
    "Kubernetes counts replicas in 32 bits, and clients that read the object would fail on a "
    "larger number. Give the number that was meant."};

void CheckTerminationDelay(const json::Value& set_template, Findings& findings) {
  const FieldPath path = kTemplatePath.Child("terminationDelay");
  const json::Value& value = Member(set_template, "terminationDelay");
  if (value.IsNull()) {
    findings.Add(kTerminationDelay, schema::Required(path, "a duration such as 4h0m0s"));
  }
  if (!value.IsString()) {
    return;
  }
  const auto delay = ParseDuration(value.string());
  if (!delay.ok()) {
    findings.Add(kTerminationDelay,
                 schema::Invalid(path, value, "must be a duration such as 30m or 4h0m0s"));
  } else if (*delay <= Duration::zero()) {
    findings.Add(kTerminationDelay, schema::Invalid(path, value, kPositive));
  }
}

void CheckCount(const json::Value& object, std::string_view member, const FieldPath& path,
                Findings& findings) {
  const json::Value& value = Member(object, member);
  if (value.kind() != json::Kind::kNumber) {
    return;
  }
  const auto number = Integer(object, member);
  if (!number.has_value() || *number > std::numeric_limits<int32_t>::max() ||
      *number < std::numeric_limits<int32_t>::min()) {
    findings.Add(kCountFits,
                 schema::Invalid(path.Child(member), value, "must be a 32-bit integer"));
  }
}

void CheckCounts(const json::Value& object, std::string_view scaling, const FieldPath& path,
                 Findings& findings) {
  CheckCount(object, "replicas", path, findings);
  CheckCount(object, "minAvailable", path, findings);
  CheckCount(Member(object, scaling), "minReplicas", path.Child(scaling), findings);
  CheckCount(Member(object, scaling), "maxReplicas", path.Child(scaling), findings);
}

void Check(const SetOutline& set, const Request& /*request*/, Findings& findings) {
  const FieldPath spec = FieldPath::Base("spec");
  if (Integer(set.spec, "replicas").value_or(0) < 0) {
    findings.Add(kReplicas, schema::Invalid(spec.Child("replicas"), Member(set.spec, "replicas"),
                                            "must be greater than or equal to 0"));
  }
  CheckTerminationDelay(set.set_template, findings);
  CheckCount(set.spec, "replicas", spec, findings);
  for (size_t i = 0; i < set.cliques.size(); ++i) {
    CheckCounts(*set.cliques[i].spec, "autoScalingConfig", kCliquesPath.Item(i).Child("spec"),
                findings);
  }
  for (size_t i = 0; i < set.groups.size(); ++i) {
    CheckCounts(*set.groups[i].value, "scaleConfig", kGroupsPath.Item(i), findings);
  }
}

}  // namespace

Part SpecPart() { return {Check, {&kReplicas, &kTerminationDelay, &kCountFits}}; }

}  // namespace hearth::admission::grove

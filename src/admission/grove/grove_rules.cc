#include "admission/grove/grove_rules.h"

#include "admission/grove/cluster_topology.h"
#include "admission/grove/defaults.h"
#include "admission/grove/internal/part.h"
#include "admission/rules/reading.h"
#include "api/grove/constants.h"

namespace hearth::admission {
namespace grove {
namespace {

// What must hold of every set.
const std::vector<Part>& StateParts() {
  static const std::vector<Part> kParts = {
      SpecPart(),        NamesPart(),      CliquesPart(),        AutoScalingPart(),
      StartsAfterPart(), PodSpecPart(),    GroupsPart(),         SchedulerPart(),
      TopologyPart(),    MnnvlPart(),      ClaimTemplatesPart(), ClaimRequestsPart(),
      SharingPart(),     ClaimNamesPart(), ObjectNamesPart(),    ClaimConsumersPart(),
      HostnamesPart()};
  return kParts;
}

// What must hold of a change, asked of sets that are fine themselves.
const std::vector<Part>& ChangeParts() {
  static const std::vector<Part> kParts = {UpdatePart(), TopologyUpdatePart()};
  return kParts;
}

bool IsUpdate(const Request& request) {
  return request.operation == Operation::kUpdate && request.old != nullptr;
}

bool HadFault(const Part& part, const Request& request) {
  Findings before;
  part.check(SetOutline(*request.old), request, before);
  return !before.ok();
}

// The old object is looked at only when there is something to find.
void CheckFresh(const Part& part, const SetOutline& set, const Request& request,
                Findings& findings) {
  Findings now;
  part.check(set, request, now);
  for (const Warning& warning : now.warnings()) {
    findings.Warn(warning);
  }
  if (now.ok() || (IsUpdate(request) && HadFault(part, request))) {
    return;
  }
  for (const Finding& finding : now.errors()) {
    findings.Add(*finding.rule, finding.error);
  }
}

// Nothing is made from an object that is going away, and whoever takes its finalizers off must not
// be kept from it by rules or a configuration that came after it.
bool IsGoing(const Request& request) {
  return IsUpdate(request) && Has(Member(*request.old, "metadata"), "deletionTimestamp");
}

void Validate(const json::Value& object, const Request& request, Findings& findings) {
  if (IsGoing(request)) {
    return;
  }
  const SetOutline set(object);
  for (const Part& part : StateParts()) {
    if (part.when == Part::When::kFresh) {
      CheckFresh(part, set, request, findings);
    } else {
      part.check(set, request, findings);
    }
  }
  if (!IsUpdate(request) || !findings.ok()) {
    return;
  }
  for (const Part& part : ChangeParts()) {
    part.check(set, request, findings);
  }
}

std::vector<const Rule*> Rules() {
  std::vector<const Rule*> rules;
  for (const auto* parts : {&StateParts(), &ChangeParts()}) {
    for (const Part& part : *parts) {
      rules.insert(rules.end(), part.rules.begin(), part.rules.end());
    }
  }
  return rules;
}

}  // namespace
}  // namespace grove

const std::vector<KindRules>& GroveRules() {
  static const std::vector<KindRules> kRules = {
      {api::grove::kGroup, api::grove::kVersion, "PodCliqueSet", grove::SetDefaults,
       grove::Validate, grove::Rules()},
      {api::grove::kGroup, api::grove::kVersion, "ClusterTopologyBinding", nullptr,
       grove::CheckClusterTopology, grove::ClusterTopologyRules()}};
  return kRules;
}

}  // namespace hearth::admission

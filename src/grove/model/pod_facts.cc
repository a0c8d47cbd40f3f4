#include <utility>

#include "grove/model/facts.h"
#include "grove/model/labels.h"
#include "grove/model/names.h"

namespace hearth::grove {
namespace {

using json::View;

View FindByType(View conditions, std::string_view type) {
  for (const View condition : conditions.items()) {
    if (condition["type"].Equals(type)) {
      return condition;
    }
  }
  return {};
}

void ReadConditions(View conditions, PodFacts& facts) {
  const View scheduled = FindByType(conditions, "PodScheduled");
  facts.scheduled = scheduled["status"].Equals("True");
  facts.schedule_gated =
      scheduled["status"].Equals("False") && scheduled["reason"].Equals("SchedulingGated");
  facts.ready = FindByType(conditions, "Ready")["status"].Equals("True");
}

void ReadContainers(View statuses, PodFacts& facts) {
  facts.unstarted = statuses.size() == 0;
  for (const View container : statuses.items()) {
    const bool started = container["started"].Bool().value_or(false);
    const bool ready = container["ready"].Bool().value_or(false);
    facts.unstarted |= !started;
    facts.started_not_ready |= started && !ready;
    const auto exit = container["lastState"]["terminated"]["exitCode"].Int();
    facts.failed_before |= exit.value_or(0) != 0;
  }
}

bool HasGate(View gates) {
  for (const View gate : gates.items()) {
    if (gate["name"].Equals(kGate)) {
      return true;
    }
  }
  return false;
}

}  // namespace

PodFacts PodFacts::From(Identity id, View object) {
  const View labels = object["metadata"]["labels"];
  const View spec = object["spec"];
  const View status = object["status"];
  PodFacts facts;
  facts.id = std::move(id);
  facts.clique = labels[kCliqueLabel].StringOr("");
  facts.gang = labels[kGangLabel].StringOr("");
  facts.template_hash = labels[kTemplateHashLabel].StringOr("");
  facts.index = IndexAfter(facts.clique, spec["hostname"].StringOr(""));
  facts.phase = status["phase"].StringOr("");
  facts.assigned = spec["nodeName"].IsString();
  facts.gated = HasGate(spec["schedulingGates"]);
  ReadConditions(status["conditions"], facts);
  ReadContainers(status["containerStatuses"], facts);
  for (const View claim : spec["resourceClaims"].items()) {
    if (claim["resourceClaimName"].IsString()) {
      facts.claims.push_back(claim["resourceClaimName"].StringOr(""));
    }
  }
  return facts;
}

}  // namespace hearth::grove

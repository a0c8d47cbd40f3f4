#pragma once

#include <vector>

#include "admission/grove/internal/set_outline.h"
#include "admission/rules/request.h"
#include "admission/rules/rule.h"

namespace hearth::admission::grove {

// Some of the rules of a PodCliqueSet: those about one thing. All are pure and take any object.
struct Part {
  enum class When {
    kAlways,
    // On creation, and on updates of an object that did not have the fault before. For what
    // upstream admits: its objects must stay changeable here, all the more since what is wrong with
    // them often cannot be changed.
    kFresh,
  };

  void (*check)(const SetOutline& set, const Request& request, Findings& findings);
  std::vector<const Rule*> rules;
  When when = When::kAlways;
};

Part SpecPart();            // what the set says of itself
Part NamesPart();           // of cliques and groups
Part HostnamesPart();       // what is made of these and of the set's
Part CliquesPart();         // their numbers, labels and annotations
Part AutoScalingPart();     // of cliques and groups
Part StartsAfterPart();     // the order in which cliques start
Part PodSpecPart();         // what Grove needs of the pods' specs
Part GroupsPart();          // scaling groups
Part SchedulerPart();       // who schedules, and what that scheduler asks for
Part TopologyPart();        // topologyConstraint, as far as the set alone tells
Part MnnvlPart();           // annotations for multi-node NVLink
Part ClaimTemplatesPart();  // resourceClaimTemplates
Part ClaimRequestsPart();   // what their requests must say
Part SharingPart();         // resourceSharing at all levels
Part ClaimNamesPart();      // names of the ResourceClaims
Part ObjectNamesPart();     // names of PodCliques and autoscalers
Part ClaimConsumersPart();  // how many pods share a claim

// Of a change; request.old is there.
Part UpdatePart();          // what cannot be changed
Part TopologyUpdatePart();  // what of topologyConstraint cannot be changed

}  // namespace hearth::admission::grove

#pragma once

#include "controller/sources.h"
#include "grove/reconcile/caches.h"

// From a change of some object to the objects that must be looked at because of it.
namespace hearth::grove {

// A claim template, to the sets that share claims made from it, and to their groups and cliques.
controller::Mapper MapTemplateToSets(const controller::Cached<SetFields>& sets);
// A ClusterTopologyBinding, to the sets that name it.
controller::Mapper MapTopologyToSets(const controller::Cached<SetFields>& sets);
// A set, to its groups or its cliques.
controller::Mapper MapSetToGroups(const controller::Cached<GroupFields>& groups);
controller::Mapper MapSetToCliques(const controller::Cached<CliqueFields>& cliques);
// A set, to those of them in the replicas that are being updated.
controller::Mapper MapSetToUpdatingGroups(const controller::Cached<GroupFields>& groups);
controller::Mapper MapSetToUpdatingCliques(const controller::Cached<CliqueFields>& cliques);
// A claim template, to what its sets consist of.
controller::Mapper MapTemplateToGroups(const GroveCaches& caches);
controller::Mapper MapTemplateToCliques(const GroveCaches& caches);
// A scaling group, to its cliques.
controller::Mapper MapGroupToCliques(const controller::Cached<CliqueFields>& cliques);
// A gang, to the cliques whose pods are in it.
controller::Mapper MapGangToCliques(const controller::Cached<CliqueFields>& cliques);
// A clique, to those that wait for its gang to be scheduled, once all of the gang's cliques that
// are there have enough pods scheduled: before that they would wait on.
controller::Mapper MapToWaitingCliques(const controller::Cached<CliqueFields>& cliques);
// A claim, to the cliques whose pods may be waiting for it.
controller::Mapper MapClaimToCliques(const controller::Cached<CliqueFields>& cliques);
// A set, to its gangs; a scaling group, to those of its replica of the set.
controller::Mapper MapSetToGangs(const controller::Cached<GangFields>& gangs);
controller::Mapper MapGroupToGangs(const controller::Cached<GangFields>& gangs);
// Something that may concern any gang and seldom changes.
controller::Mapper MapToAllGangs(const controller::Cached<GangFields>& gangs);
// A pod, to the owners of this type whose claims for single replicas it uses: those that are no
// longer wanted are deleted when no pod needs them.
controller::Mapper MapPodToClaimOwners(const controller::Cached<ClaimFields>& claims,
                                       const kube::ResourceType& owner);
// A pod or a clique, to its gang; the key is the gang's.
controller::Mapper MapToGang();

}  // namespace hearth::grove

#include "grove/reconcile/mappers.h"

#include <algorithm>

#include "grove/model/labels.h"
#include "kube/model/object.h"

namespace hearth::grove {
namespace {

using controller::CachedObject;
using controller::Enqueue;

std::string LabelOf(const CachedObject& object, std::string_view label) {
  return object.view()["metadata"]["labels"][label].StringOr("");
}

template <typename P>
void EnqueueAll(const std::vector<controller::Snapshot<P>>& objects, const Enqueue& enqueue) {
  for (const auto& object : objects) {
    enqueue(object->key());
  }
}

std::vector<controller::Snapshot<SetFields>> SetsThatUse(const controller::Cached<SetFields>& sets,
                                                         const CachedObject& claim_template) {
  return sets.Lookup(kBySharedTemplate,
                     InNamespace(claim_template.name_space(), claim_template.name()));
}

bool IsOfOneReplica(const CachedObject& claim) {
  return !LabelOf(claim, kSetReplicaLabel).empty() || !LabelOf(claim, kGroupReplicaLabel).empty();
}

// The cliques whose pods may use a claim: those below the object that it is made for.
std::vector<controller::Snapshot<CliqueFields>> CliquesThatMayUse(
    const controller::Cached<CliqueFields>& cliques, const CachedObject& claim) {
  const std::string_view name_space = claim.name_space();
  const std::string group = LabelOf(claim, kGroupLabel);
  if (const std::string j = LabelOf(claim, kGroupReplicaLabel); !j.empty()) {
    return cliques.Lookup(kByPlace, GroupReplicaPlace(name_space, group, j));
  }
  if (!group.empty()) {
    return cliques.Lookup(kByPlace, GroupPlace(name_space, group));
  }
  const std::string set = LabelOf(claim, kPartOfLabel);
  if (const std::string i = LabelOf(claim, kSetReplicaLabel); !i.empty()) {
    return cliques.Lookup(kByPlace, SetReplicaPlace(name_space, set, i));
  }
  return cliques.Lookup(kBySet, InNamespace(name_space, set));
}

// Whether nobody needs to wait for it: what base_gang.h asks of a clique, or it goes.
bool IsPlaced(const CachedObject& clique) {
  const json::View spec = clique.view()["spec"];
  const int64_t scheduled = clique.view()["status"]["scheduledReplicas"].Int().value_or(0);
  return clique.deleting() || spec["replicas"].Int().value_or(0) == 0 ||
         scheduled >= spec["minAvailable"].Int().value_or(1);
}

// To the parts of a set.
template <typename P>
controller::Mapper MapSetTo(const controller::Cached<P>& parts) {
  return [parts](const CachedObject& set, const Enqueue& enqueue) {
    EnqueueAll(parts.Lookup(kBySet, InNamespace(set.name_space(), set.name())), enqueue);
  };
}

// To the parts of its replicas that are being updated.
template <typename P>
controller::Mapper MapSetToUpdating(const controller::Cached<P>& parts, const char* by_replica) {
  return [parts, by_replica](const CachedObject& set, const Enqueue& enqueue) {
    const json::View progress = set.view()["status"]["updateProgress"];
    for (const json::View turn : progress["currentlyUpdating"].items()) {
      const std::string i = std::to_string(turn["replicaIndex"].Int().value_or(-1));
      EnqueueAll(parts.Lookup(by_replica, SetReplicaPlace(set.name_space(), set.name(), i)),
                 enqueue);
    }
  };
}

template <typename P>
controller::Mapper MapTemplateTo(const controller::Cached<SetFields>& sets,
                                 const controller::Cached<P>& parts) {
  return [sets, parts](const CachedObject& claim_template, const Enqueue& enqueue) {
    for (const auto& set : SetsThatUse(sets, claim_template)) {
      EnqueueAll(parts.Lookup(kBySet, InNamespace(set->name_space(), set->name())), enqueue);
    }
  };
}

}  // namespace

controller::Mapper MapTemplateToSets(const controller::Cached<SetFields>& sets) {
  return [sets](const CachedObject& claim_template, const Enqueue& enqueue) {
    EnqueueAll(SetsThatUse(sets, claim_template), enqueue);
  };
}

controller::Mapper MapTopologyToSets(const controller::Cached<SetFields>& sets) {
  return [sets](const CachedObject& topology, const Enqueue& enqueue) {
    EnqueueAll(sets.Lookup(kByTopology, topology.name()), enqueue);
  };
}

controller::Mapper MapSetToGroups(const controller::Cached<GroupFields>& groups) {
  return MapSetTo(groups);
}

controller::Mapper MapSetToCliques(const controller::Cached<CliqueFields>& cliques) {
  return MapSetTo(cliques);
}

controller::Mapper MapSetToUpdatingGroups(const controller::Cached<GroupFields>& groups) {
  return MapSetToUpdating(groups, kByReplica);
}

controller::Mapper MapSetToUpdatingCliques(const controller::Cached<CliqueFields>& cliques) {
  return MapSetToUpdating(cliques, kByPlace);
}

controller::Mapper MapTemplateToGroups(const GroveCaches& caches) {
  return MapTemplateTo(caches.sets, caches.groups);
}

controller::Mapper MapTemplateToCliques(const GroveCaches& caches) {
  return MapTemplateTo(caches.sets, caches.cliques);
}

controller::Mapper MapGroupToCliques(const controller::Cached<CliqueFields>& cliques) {
  return [cliques](const CachedObject& group, const Enqueue& enqueue) {
    EnqueueAll(cliques.Lookup(kByOwner, group.uid()), enqueue);
  };
}

controller::Mapper MapGangToCliques(const controller::Cached<CliqueFields>& cliques) {
  return [cliques](const CachedObject& gang, const Enqueue& enqueue) {
    EnqueueAll(cliques.Lookup(kByGang, InNamespace(gang.name_space(), gang.name())), enqueue);
  };
}

controller::Mapper MapToWaitingCliques(const controller::Cached<CliqueFields>& cliques) {
  return [cliques](const CachedObject& clique, const Enqueue& enqueue) {
    const std::string gang = InNamespace(clique.name_space(), LabelOf(clique, kGangLabel));
    const auto base = cliques.Lookup(kByGang, gang);
    if (std::all_of(base.begin(), base.end(), [](const auto& one) { return IsPlaced(*one); })) {
      EnqueueAll(cliques.Lookup(kByBaseGang, gang), enqueue);
    }
  };
}

controller::Mapper MapClaimToCliques(const controller::Cached<CliqueFields>& cliques) {
  return [cliques](const CachedObject& claim, const Enqueue& enqueue) {
    if (const std::string clique = LabelOf(claim, kCliqueLabel); !clique.empty()) {
      enqueue({std::string(claim.name_space()), clique});
      return;
    }
    EnqueueAll(CliquesThatMayUse(cliques, claim), enqueue);
  };
}

controller::Mapper MapSetToGangs(const controller::Cached<GangFields>& gangs) {
  return MapSetTo(gangs);
}

controller::Mapper MapGroupToGangs(const controller::Cached<GangFields>& gangs) {
  return [gangs](const CachedObject& group, const Enqueue& enqueue) {
    EnqueueAll(
        gangs.Lookup(kByReplica, SetReplicaPlace(group.name_space(), LabelOf(group, kPartOfLabel),
                                                 LabelOf(group, kSetReplicaLabel))),
        enqueue);
  };
}

controller::Mapper MapToAllGangs(const controller::Cached<GangFields>& gangs) {
  return
      [gangs](const CachedObject&, const Enqueue& enqueue) { EnqueueAll(gangs.List(), enqueue); };
}

controller::Mapper MapPodToClaimOwners(const controller::Cached<ClaimFields>& claims,
                                       const kube::ResourceType& owner) {
  return [claims, owner](const CachedObject& pod, const Enqueue& enqueue) {
    for (const json::View used : pod.view()["spec"]["resourceClaims"].items()) {
      const auto claim =
          claims.Get({std::string(pod.name_space()), used["resourceClaimName"].StringOr("")});
      const auto controller = claim ? kube::Meta((*claim)->view()).controller() : std::nullopt;
      if (controller && controller->kind == owner.kind && IsOfOneReplica(**claim)) {
        enqueue({std::string(pod.name_space()), controller->name});
      }
    }
  };
}

controller::Mapper MapToGang() {
  return [](const CachedObject& object, const Enqueue& enqueue) {
    const std::string gang = LabelOf(object, kGangLabel);
    if (!gang.empty()) {
      enqueue({std::string(object.name_space()), gang});
    }
  };
}

}  // namespace hearth::grove

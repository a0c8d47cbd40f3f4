#include "grove/reconcile/group_reconciler.h"

#include <fmt/format.h>

#include <utility>

#include "grove/model/labels.h"
#include "grove/model/names.h"
#include "grove/reconcile/bounds.h"
#include "grove/reconcile/mappers.h"
#include "grove/reconcile/outcome.h"
#include "grove/reconcile/owners.h"
#include "grove/reconcile/stuck.h"
#include "grove/render/children.h"

namespace hearth::grove {
namespace {

using controller::Outcome;
using controller::Pass;

}  // namespace

GroupReconciler::GroupReconciler(controller::Manager& manager, const GroveCaches& caches,
                                 GroveMetrics& metrics, int workers)
    : clock_(manager.clock()), caches_(caches), claims_(caches, metrics) {
  auto builder = manager.AddController(
      {.name = "podcliquescalinggroup", .workers = workers, .retry = kRetry}, *this);
  builder.For(caches_.groups)
      .Watches(manager.Watch<SetDecisionFields>(
                   PodCliqueSets(), {.scope = caches_.sets.informer().scope(), .indexes = {}}),
               MapSetToGroups(caches_.groups))
      .Watches(manager.Watch<SetTurnFields>(
                   PodCliqueSets(), {.scope = caches_.sets.informer().scope(), .indexes = {}}),
               MapSetToUpdatingGroups(caches_.groups))
      .Watches(manager.Watch<CliqueProgressFields>(
                   PodCliques(), {.scope = caches_.cliques.informer().scope(), .indexes = {}}),
               controller::MapToLabel(std::string(kGroupLabel)))
      .Owns(caches_.cliques, PodCliqueScalingGroups());
  if (caches_.claims) {
    builder.Owns(*caches_.claims, PodCliqueScalingGroups())
        .Watches(
            manager.Watch<PresenceFields>(
                kube::types::Pods(), {.scope = caches_.pods.informer().scope(), .indexes = {}}),
            MapPodToClaimOwners(*caches_.claims, PodCliqueScalingGroups()))
        .Watches(*caches_.claim_templates, MapTemplateToGroups(caches_));
  }
}

Result<Outcome> GroupReconciler::Reconcile(Pass& pass, const kube::ObjectKey& key) {
  const auto cached = caches_.groups.Get(key);
  if (!cached || !caches_.Include(key.name_space)) {
    return Outcome::Done();
  }
  GroupFacts group = FactsOf<GroupFacts>(*cached);
  (void)Bound(group.replicas);
  if (group.id.deleting) {
    return Delete(pass, *cached, group);
  }
  const auto set = OwningSet(caches_, group.id, group.place);
  if (!set) {
    return Outcome::Done();  // it goes with its set, or the set is not seen yet, which wakes us
  }
  ASSIGN_OR_RETURN(const auto known, caches_.known_sets->Read(*set));
  const SetFacts& facts = known->facts;
  const auto name = NameAfter(facts.id.name, group.place.set_replica.value_or(-1), group.id.name);
  const auto* config = name ? facts.FindGroup(*name) : nullptr;
  if (config == nullptr) {
    return Outcome::Done();  // the set takes it away
  }
  if (const auto held = pass.AddFinalizer(PodCliqueScalingGroups(), **cached, kGroupFinalizer);
      !held.ok()) {
    return EndUnheld(pass, PodCliqueScalingGroups(), **cached, group, held.status(),
                     clock_.WallNow());
  }
  return Sync(pass, *cached, *known, group, *config);
}

// Its cliques go with it, unless they are to stay: each of them takes its pods away.
Result<Outcome> GroupReconciler::Delete(Pass& pass, const Cached& cached, const GroupFacts& group) {
  std::vector<api::grove::LastError> errors;
  std::vector<Removal> cliques;
  for (const auto& clique : caches_.cliques.Lookup(kByOwner, group.id.uid)) {
    if (Identity::Of(*clique).IsControlledBy(group.id.uid)) {
      cliques.push_back({error_code::kDeleteClique, &PodCliques(), clique.ptr()});
    }
  }
  Status failure = SendRemovals(pass, PodCliqueScalingGroups(), *cached,
                                claims_.OfOwner(group.id.uid), cliques, errors)
                       .status();
  if (failure.ok()) {
    failure = pass.RemoveFinalizer(PodCliqueScalingGroups(), *cached, kGroupFinalizer).status();
    if (failure.ok()) {
      return Outcome::Done();
    }
    AddError(errors, error_code::kFinalizer, failure);
  }
  return EndStuck(pass, PodCliqueScalingGroups(), *cached, group, "it cannot be deleted", failure,
                  std::move(errors), clock_.WallNow());
}

Result<Outcome> GroupReconciler::Sync(Pass& pass, const Cached& cached, const KnownSet& known,
                                      const GroupFacts& group,
                                      const api::grove::ScalingGroupTemplate& config) {
  const SetFacts& set = known.facts;
  const Hashes& hashes = known.hashes;
  const GroupWorld world{set, hashes, group, &config, MembersOf(group), clock_.WallNow()};
  const GroupPlan plan = PlanGroup(world);
  PassNotes notes;
  ASSIGN_OR_RETURN(const claims::Owner owner, claims::GroupOwner(set, group));
  const ClaimSync::Outcome claimed = claims_.Run(pass, set, owner, PodCliqueScalingGroups(),
                                                 *cached, error_code::kGroupClaims, notes);
  const Sent removed = SendEach(Removals(pass, cached, world, plan), notes.errors);
  const Sent made = SendEach(Members(pass, world, plan), notes.errors);
  NoteRefusal(made, group.id.generation, notes);
  NoteRefusal(removed, group.id.generation, notes);
  const Status failure = Worse(Worse(removed.failure, made.failure), claimed.failure);
  NoteTooMany(AskedReplicas(*cached), group.id.generation, notes);
  StampErrors(notes.errors, group.status.last_errors, world.now);

  const GroupStatus status = MakeGroupStatus(world, plan, notes);
  RETURN_IF_ERROR(pass.ApplyStatus(PodCliqueScalingGroups(), *cached, api::Encoded(status.status),
                                   kFormerManagers));
  for (const StatusEvent& event : status.events) {
    pass.Event(PodCliqueScalingGroups(), *cached, EventTypeOf(event), event.reason, event.note);
  }
  return EndPass(failure, {plan.look_again, claimed.look_again});
}

std::vector<CliqueFacts> GroupReconciler::MembersOf(const GroupFacts& group) const {
  std::vector<CliqueFacts> members;
  for (const auto& clique : caches_.cliques.Lookup(kByOwner, group.id.uid)) {
    CliqueFacts member = FactsOf<CliqueFacts>(clique);
    if (member.id.IsControlledBy(group.id.uid)) {
      members.push_back(std::move(member));
    }
  }
  return members;
}

std::vector<Wish> GroupReconciler::Removals(Pass& pass, const Cached& cached,
                                            const GroupWorld& world, const GroupPlan& plan) const {
  std::vector<Wish> wishes;
  for (const GroupPlan::Removal& removal : plan.remove) {
    for (const CliqueFacts& member : world.members) {
      const auto object = caches_.cliques.Get({world.group.id.name_space, member.id.name});
      if (member.place.group_replica == removal.replica && !member.id.deleting && object) {
        wishes.push_back({error_code::kDeleteClique, [&pass, object = object->ptr()] {
                            return Remove(pass, PodCliques(), *object);
                          }});
      }
    }
    pass.Event(PodCliqueScalingGroups(), *cached, controller::EventType::kNormal,
               "PodCliqueScalingGroupReplicaDeleteSuccessful",
               fmt::format("replica {} is taken away: {}", removal.replica, removal.why));
  }
  return wishes;
}

Status GroupReconciler::EnsureMember(Pass& pass, const GroupWorld& world,
                                     const GroupPlan::Member& member) const {
  const GroupFacts& group = world.group;
  const std::string name = MemberName(group.id.name, member.replica, member.clique->name);
  const auto there = caches_.cliques.Get({group.id.name_space, name});
  std::optional<int32_t> replicas;
  std::string hash;
  if (there) {
    const CliqueFacts clique = FactsOf<CliqueFacts>(*there);
    replicas = clique.replicas;
    hash = clique.template_hash;
  }
  json::Value desired = RenderMember(world.set, group, *member.clique, member.replica,
                                     world.hashes.LabelFor(member.clique->name, hash), replicas);
  return Ensure(pass,
                {PodCliques(), std::move(desired), there ? &**there : nullptr, Birth::kCreate},
                group.id.uid)
      .status();
}

std::vector<Wish> GroupReconciler::Members(Pass& pass, const GroupWorld& world,
                                           const GroupPlan& plan) const {
  std::vector<Wish> wishes;
  const auto want = [&](const GroupPlan::Member& member) {
    wishes.push_back({error_code::kClique,
                      [this, &pass, &world, member] { return EnsureMember(pass, world, member); }});
  };
  for (const GroupPlan::Member& member : plan.create) {
    want(member);
  }
  for (const GroupPlan::Member& member : plan.refresh) {
    want(member);
  }
  return wishes;
}

}  // namespace hearth::grove

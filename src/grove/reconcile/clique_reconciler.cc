#include "grove/reconcile/clique_reconciler.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "claims/inject.h"
#include "grove/model/labels.h"
#include "grove/model/names.h"
#include "grove/plan/base_gang.h"
#include "grove/reconcile/bounds.h"
#include "grove/reconcile/mappers.h"
#include "grove/reconcile/outcome.h"
#include "grove/reconcile/owners.h"
#include "grove/reconcile/stuck.h"

namespace hearth::grove {
namespace {

using controller::Outcome;
using controller::Pass;

// The name that a clique has in its set.
std::optional<std::string_view> TemplateName(const SetFacts& set, const CliqueFacts& clique) {
  return clique.standalone()
             ? NameAfter(set.id.name, clique.place.set_replica.value_or(-1), clique.id.name)
             : NameAfter(clique.place.group, clique.place.group_replica.value_or(-1),
                         clique.id.name);
}

std::set<int32_t> LiveIndices(const CliqueWorld& world) {
  std::set<int32_t> indices;
  for (const PodFacts& pod : world.pods) {
    if (pod.index && !pod.id.deleting) {
      indices.insert(*pod.index);
    }
  }
  return indices;
}

bool HasClaimsPerReplica(const api::grove::CliqueTemplate& clique) {
  return std::any_of(
      clique.resource_sharing.begin(), clique.resource_sharing.end(),
      [](const auto& entry) { return entry.scope == api::grove::SharingScope::kPerReplica; });
}

}  // namespace

CliqueReconciler::CliqueReconciler(controller::Manager& manager, const GroveCaches& caches,
                                   GroveMetrics& metrics, Options options)
    : clock_(manager.clock()),
      caches_(caches),
      metrics_(metrics),
      claims_(caches, metrics),
      options_(std::move(options)) {
  auto builder = manager.AddController(
      {.name = "podclique", .workers = options_.workers, .retry = kRetry}, *this);
  builder.For(caches_.cliques)
      .Owns(caches_.pods, PodCliques())
      .Watches(manager.Watch<SetDecisionFields>(
                   PodCliqueSets(), {.scope = caches_.sets.informer().scope(), .indexes = {}}),
               MapSetToCliques(caches_.cliques))
      .Watches(manager.Watch<SetTurnFields>(
                   PodCliqueSets(), {.scope = caches_.sets.informer().scope(), .indexes = {}}),
               MapSetToUpdatingCliques(caches_.cliques))
      .Watches(manager.Watch<PresenceFields>(
                   PodCliqueScalingGroups(),
                   {.scope = caches_.groups.informer().scope(), .indexes = {}}),
               MapGroupToCliques(caches_.cliques))
      .Watches(manager.Watch<CliqueScheduledFields>(
                   PodCliques(), {.scope = caches_.cliques.informer().scope(), .indexes = {}}),
               MapToWaitingCliques(caches_.cliques))
      .Watches(caches_.gangs, MapGangToCliques(caches_.cliques));
  if (caches_.claims) {
    const auto& claims = *caches_.claims;
    builder.Owns(claims, PodCliques())
        .Watches(manager.Watch<PresenceFields>(claims.informer().type(),
                                               {.scope = claims.informer().scope(), .indexes = {}}),
                 MapClaimToCliques(caches_.cliques))
        .Watches(*caches_.claim_templates, MapTemplateToCliques(caches_));
  }
}

Result<Outcome> CliqueReconciler::Reconcile(Pass& pass, const kube::ObjectKey& key) {
  const auto cached = caches_.cliques.Get(key);
  if (!cached || !caches_.Include(key.name_space)) {
    return Outcome::Done();
  }
  CliqueFacts clique = FactsOf<CliqueFacts>(*cached);
  (void)Bound(clique.replicas);
  if (clique.id.deleting) {
    return Delete(pass, *cached, clique);
  }
  const auto set = OwningSet(caches_, clique);
  if (!set) {
    return Outcome::Done();  // it goes with its owner, or that is not seen yet, which wakes us
  }
  ASSIGN_OR_RETURN(const auto known, caches_.known_sets->Read(*set));
  if (const auto held = pass.AddFinalizer(PodCliques(), **cached, kCliqueFinalizer); !held.ok()) {
    return EndUnheld(pass, PodCliques(), **cached, clique, held.status(), clock_.WallNow());
  }
  return Sync(pass, *cached, *known, clique);
}

// Its pods and claims go at once, unless they are to stay, and not when garbage collection comes to
// them: another clique of this name may be waiting for their indices.
Result<Outcome> CliqueReconciler::Delete(Pass& pass, const Cached& cached,
                                         const CliqueFacts& clique) {
  if (!clique.id.HasFinalizer(kCliqueFinalizer)) {
    return Outcome::Done();
  }
  std::vector<api::grove::LastError> errors;
  const auto removed = SendRemovals(pass, PodCliques(), *cached, claims_.OfOwner(clique.id.uid),
                                    PodsOf(clique), errors);
  metrics_.PodsDeleted("its PodClique is deleted", removed.ok() ? *removed : 0);
  Status failure = removed.status();
  if (failure.ok()) {
    failure = pass.RemoveFinalizer(PodCliques(), *cached, kCliqueFinalizer).status();
    if (failure.ok()) {
      return Outcome::Done();
    }
    AddError(errors, error_code::kFinalizer, failure);
  }
  return EndStuck(pass, PodCliques(), *cached, clique, "it cannot be deleted", failure,
                  std::move(errors), clock_.WallNow());
}

std::vector<Removal> CliqueReconciler::PodsOf(const CliqueFacts& clique) const {
  std::vector<Removal> pods;
  for (const auto& pod : caches_.pods.Lookup(kByOwner, clique.id.uid)) {
    if (!pod->deleting() && Identity::Of(*pod).IsControlledBy(clique.id.uid)) {
      pods.push_back({error_code::kDeletePod, &kube::types::Pods(), pod.ptr()});
    }
  }
  return pods;
}

Result<Outcome> CliqueReconciler::Sync(Pass& pass, const Cached& cached, const KnownSet& known,
                                       const CliqueFacts& clique) {
  const SetFacts& set = known.facts;
  const Hashes& hashes = known.hashes;
  const auto name = TemplateName(set, clique);
  const auto* clique_template = name ? set.FindClique(*name) : nullptr;
  if (clique_template == nullptr) {
    return Outcome::Done();  // whoever made it takes it away
  }
  const std::string scheduler = SchedulerOf(set, options_.scheduler);
  const auto backend = MakeBackend(scheduler);
  if (backend == nullptr) {
    return controller::TerminalError(fmt::format(
        "PodCliqueSet {}/{} asks for the scheduler {}, which is not known; use one of {}",
        set.id.name_space, set.id.name, scheduler, fmt::join(BackendNames(), ", ")));
  }
  CliqueWorld world{.set = set,
                    .hashes = hashes,
                    .clique = clique,
                    .clique_template = clique_template->name,
                    .gang_must_name_pods = backend->schedules_gangs(),
                    .base_gang_scheduled = NeedNotWaitForBase(set, clique),
                    .per_replica_claims = HasClaimsPerReplica(*clique_template),
                    .now = clock_.WallNow()};
  GatherPods(world);
  std::optional<GangFacts> gang;
  if (const auto object = caches_.gangs.Get({clique.id.name_space, clique.gang})) {
    gang = FactsOf<GangFacts>(*object);
    world.gang = &*gang;
  }
  PassNotes notes;
  ASSIGN_OR_RETURN(const claims::Owner owner, claims::CliqueOwner(set, clique, LiveIndices(world)));
  const ClaimSync::Outcome claimed =
      claims_.Run(pass, set, owner, PodCliques(), *cached, error_code::kCliqueClaims, notes);
  world.claims_ready = [&](int32_t index) {
    const auto place = claims::PlaceOf(set, clique, index);
    return place.ok() && claims_.AreReady(set, claims::ClaimsOf(set, *place), claimed.made);
  };
  PodPlan plan = PlanPods(world);
  Work work{pass, cached, world, plan, *backend, notes};
  Status failure = Worse(claimed.failure, RemovePods(work));
  failure = Worse(failure, ReleasePods(work));
  failure = Worse(failure, CreatePods(work));
  NoteTooMany(AskedReplicas(*cached), clique.id.generation, notes);
  StampErrors(notes.errors, clique.status.last_errors, world.now);
  const CliqueStatus status = MakeCliqueStatus(world, plan, notes);
  RETURN_IF_ERROR(
      pass.ApplyStatus(PodCliques(), *cached, api::Encoded(status.status), kFormerManagers));
  for (const StatusEvent& event : status.events) {
    pass.Event(PodCliques(), *cached, EventTypeOf(event), event.reason, event.note);
  }
  return EndPass(failure, {plan.look_again, claimed.look_again});
}

bool CliqueReconciler::NeedNotWaitForBase(const SetFacts& set, const CliqueFacts& clique) const {
  if (clique.base_gang.empty()) {
    return true;
  }
  const std::string& name_space = clique.id.name_space;
  return IsBaseGangScheduled(
      set, clique.place.set_replica.value_or(-1),
      [&](std::string_view group) -> std::optional<int32_t> {
        const auto object = caches_.groups.Get({name_space, std::string(group)});
        return object ? std::optional(FactsOf<GroupFacts>(*object).replicas) : std::nullopt;
      },
      [&](const std::string& name) -> std::optional<CliqueFacts> {
        const auto object = caches_.cliques.Get({name_space, name});
        return object ? std::optional(FactsOf<CliqueFacts>(*object)) : std::nullopt;
      });
}

void CliqueReconciler::GatherPods(CliqueWorld& world) const {
  const Identity& clique = world.clique.id;
  for (const auto& object :
       caches_.pods.Lookup(kByClique, InNamespace(clique.name_space, clique.name))) {
    PodFacts pod = FactsOf<PodFacts>(object);
    if (pod.id.IsControlledBy(clique.uid)) {
      world.pods.push_back(std::move(pod));
    } else if (pod.id.controller && pod.id.controller->kind == PodCliques().kind &&
               pod.id.controller->name == clique.name) {
      world.former.push_back(std::move(pod));
    }
  }
}

}  // namespace hearth::grove

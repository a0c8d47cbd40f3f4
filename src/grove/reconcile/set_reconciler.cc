#include "grove/reconcile/set_reconciler.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/hash.h"
#include "base/seeded_hash.h"
#include "grove/model/labels.h"
#include "grove/reconcile/bounds.h"
#include "grove/reconcile/mappers.h"
#include "grove/reconcile/outcome.h"
#include "grove/reconcile/stuck.h"

namespace hearth::grove {
namespace {

using controller::Outcome;
using controller::Pass;

// Everything of a set that its children are made from. Its status counts only by the hash.
uint64_t InputsOf(const controller::CachedObject& set) {
  const json::View object = set.view();
  uint64_t hash = HashBytes(object["spec"].raw());
  hash = HashBytes(object["metadata"]["labels"].raw(), hash);
  return HashBytes(object["metadata"]["annotations"].raw(), hash);
}

}  // namespace

SetReconciler::SetReconciler(controller::Manager& manager, const GroveCaches& caches,
                             GroveMetrics& metrics, Options options)
    : clock_(manager.clock()),
      caches_(caches),
      metrics_(metrics),
      options_(options),
      claims_(caches, metrics) {
  auto builder = manager.AddController(
      {.name = "podcliqueset", .workers = options_.workers, .retry = kRetry}, *this);
  builder.For(caches_.sets)
      .Watches(manager.Watch<GroupProgressFields>(
                   PodCliqueScalingGroups(),
                   {.scope = caches_.groups.informer().scope(), .indexes = {}}),
               controller::MapToLabel(std::string(kPartOfLabel)))
      .Watches(manager.Watch<CliqueProgressFields>(
                   PodCliques(), {.scope = caches_.cliques.informer().scope(), .indexes = {}}),
               controller::MapToLabel(std::string(kPartOfLabel)))
      .Watches(caches_.topologies, MapTopologyToSets(caches_.sets))
      .Owns(caches_.services, PodCliqueSets())
      .Owns(caches_.accounts, PodCliqueSets())
      .Owns(caches_.roles, PodCliqueSets())
      .Owns(caches_.role_bindings, PodCliqueSets())
      .Owns(caches_.secrets, PodCliqueSets())
      .Owns(caches_.autoscalers, PodCliqueSets())
      .Owns(caches_.groups, PodCliqueSets())
      .Owns(caches_.cliques, PodCliqueSets());
  if (caches_.claims) {
    builder.Owns(*caches_.claims, PodCliqueSets())
        .Watches(
            manager.Watch<PresenceFields>(
                kube::types::Pods(), {.scope = caches_.pods.informer().scope(), .indexes = {}}),
            MapPodToClaimOwners(*caches_.claims, PodCliqueSets()))
        .Watches(*caches_.claim_templates, MapTemplateToSets(caches_.sets));
  }
}

Result<Outcome> SetReconciler::Reconcile(Pass& pass, const kube::ObjectKey& key) {
  const auto cached = caches_.sets.Get(key);
  if (!cached || !caches_.Include(key.name_space)) {
    return Outcome::Done();
  }
  if ((*cached)->deleting()) {
    return Delete(pass, *cached);
  }
  const auto known = caches_.known_sets->Read(*cached);
  if (!known.ok()) {
    return controller::TerminalError(fmt::format("PodCliqueSet {} cannot be read: {}",
                                                 key.ToString(), known.status().message()));
  }
  const SetFacts* const set = &(*known)->facts;
  if (const auto held = pass.AddFinalizer(PodCliqueSets(), **cached, kSetFinalizer); !held.ok()) {
    return EndUnheld(pass, PodCliqueSets(), **cached, *set, held.status(), clock_.WallNow());
  }
  const bool changed = set->status.observed_generation != set->id.generation;
  Work work{pass, *cached, *set, InputsOf(**cached), changed, {}, {}, false};
  Hashes hashes = (*known)->hashes;
  const SetWorld world = Gather(*set, hashes);
  if (const Status noted = NoteAliases(work, world); !noted.ok()) {
    return EndStuck(pass, PodCliqueSets(), **cached, *set, "its templates cannot be taken over",
                    noted, {ErrorOf(error_code::kAliases, noted)}, world.now);
  }
  if (world.hash_step.kind == HashStep::Kind::kTakeOver) {
    hashes.aliases = world.hash_step.aliases;
  } else if (world.hash_step.kind == HashStep::Kind::kChanged) {
    metrics_.UpdateBegan();
  }
  const SetPlan plan = PlanSet(world);

  SyncShared(work);
  const ClaimSync::Outcome claimed =
      claims_.Run(pass, *set, claims::SetOwner(*set), PodCliqueSets(), **cached,
                  error_code::kSetClaims, work.notes);
  RemoveExcess(work, world);
  Terminate(work, world, plan);
  SyncReplicas(work, world);
  NoteTooMany((*known)->asked, set->id.generation, work.notes);
  ASSIGN_OR_RETURN(const auto status_due, WriteStatus(work, world, plan));
  const std::optional<Duration> go_on = work.more ? std::optional(Duration::zero()) : std::nullopt;
  return EndPass(Worse(work.failure, claimed.failure),
                 {plan.look_again, claimed.look_again, status_due, go_on});
}

// Garbage collection takes everything away in the end, a few objects a second; this is faster.
// What is to stay without the set, it lets go of before the set goes.
Result<Outcome> SetReconciler::Delete(Pass& pass, const Cached& cached) {
  const Identity id = Identity::Of(*cached);
  if (!id.HasFinalizer(kSetFinalizer)) {
    return Outcome::Done();
  }
  std::vector<api::grove::LastError> errors;
  Status failure =
      SendRemovals(pass, PodCliqueSets(), *cached, claims_.OfOwner(id.uid), Children(id), errors)
          .status();
  if (failure.ok()) {
    failure = pass.RemoveFinalizer(PodCliqueSets(), *cached, kSetFinalizer).status();
    if (failure.ok()) {
      return Outcome::Done();
    }
    AddError(errors, error_code::kFinalizer, failure);
  }
  const auto known = caches_.known_sets->Read(cached);
  if (!known.ok()) {
    return EndPass(failure, {});  // there is no telling what its status was
  }
  return EndStuck(pass, PodCliqueSets(), *cached, (*known)->facts, "it cannot be deleted", failure,
                  std::move(errors), clock_.WallNow());
}

SetWorld SetReconciler::Gather(const SetFacts& set, const Hashes& hashes) const {
  SetWorld world{set, hashes, {}, {}, {}, clock_.WallNow(), TopologyOf(set)};
  const std::string of_set = InNamespace(set.id.name_space, set.id.name);
  SeededMap<std::string, std::string> groups;  // names by uid
  for (const auto& object : caches_.groups.Lookup(kBySet, of_set)) {
    GroupFacts group = FactsOf<GroupFacts>(object);
    if (group.id.IsControlledBy(set.id.uid)) {
      groups.emplace(group.id.uid, group.id.name);
      world.groups.push_back(std::move(group));
    }
  }
  for (const auto& object : caches_.cliques.Lookup(kBySet, of_set)) {
    CliqueFacts clique = FactsOf<CliqueFacts>(object);
    const auto group = clique.id.controller ? groups.find(clique.id.controller->uid) : groups.end();
    if (clique.id.IsControlledBy(set.id.uid) ||
        (group != groups.end() && group->second == clique.place.group)) {
      world.cliques.push_back(std::move(clique));
    }
  }
  world.hash_step = PlanHash(set, hashes, world.cliques);
  return world;
}

TopologyFacts SetReconciler::TopologyOf(const SetFacts& set) const {
  TopologyFacts topology{options_.topology, std::nullopt};
  const std::string name = set.TopologyName();
  if (const auto binding = name.empty() ? std::nullopt : caches_.topologies.Get({"", name})) {
    topology.domains.emplace();
    for (const json::View level : (*binding)->view()["spec"]["levels"].items()) {
      topology.domains->push_back(level["domain"].StringOr(""));
    }
  }
  return topology;
}

Status SetReconciler::NoteAliases(Work& work, const SetWorld& world) const {
  const HashStep& step = world.hash_step;
  if (step.kind != HashStep::Kind::kTakeOver && step.kind != HashStep::Kind::kChanged) {
    return {};
  }
  // Templates that stay as they are keep their other names.
  std::map<std::string, std::string> aliases = step.aliases;
  if (step.kind == HashStep::Kind::kChanged) {
    aliases = world.hashes.aliases;
    std::erase_if(aliases, [&](const auto& alias) {
      return std::none_of(world.hashes.cliques.begin(), world.hashes.cliques.end(),
                          [&](const auto& clique) { return clique.second == alias.first; });
    });
  }
  const std::string text = FormatAliases(aliases);
  const auto found = work.set.annotations.find(std::string(kHashAliasAnnotation));
  const std::string now = found == work.set.annotations.end() ? "" : found->second;
  if (now == text) {
    return {};
  }
  json::Value patch;
  patch.MakePath("metadata.annotations")[kHashAliasAnnotation] =
      text.empty() ? json::Value() : json::Value(text);
  return work.pass.Patch(PodCliqueSets(), *work.cached, std::move(patch));
}

void SetReconciler::Send(Work& work, const std::vector<Wish>& wishes) const {
  const Sent sent = SendEach(wishes, work.notes.errors);
  work.failure = Worse(work.failure, sent.failure);
  NoteRefusal(sent, work.set.id.generation, work.notes);
}

Result<std::optional<Duration>> SetReconciler::WriteStatus(Work& work, const SetWorld& world,
                                                           const SetPlan& plan) {
  StampErrors(work.notes.errors, work.set.status.last_errors, world.now);
  const SetStatus made = MakeSetStatus(world, plan, work.notes);
  const api::grove::PodCliqueSetStatus& there = work.set.status;
  const std::string& uid = work.set.id.uid;
  if (const auto wait = pace_.WaitFor(uid, there, made.status, clock_.Now())) {
    return wait;
  }
  ASSIGN_OR_RETURN(const bool sent,
                   work.pass.ApplyStatus(PodCliqueSets(), *work.cached, api::Encoded(made.status),
                                         kFormerManagers));
  if (sent) {
    pace_.Wrote(uid, there, made.status, clock_.Now());
  }
  for (const StatusEvent& event : made.events) {
    work.pass.Event(PodCliqueSets(), *work.cached, EventTypeOf(event), event.reason, event.note);
  }
  return std::optional<Duration>();
}

}  // namespace hearth::grove

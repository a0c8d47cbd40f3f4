#include "grove/reconcile/gang_reconciler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/grove/constants.h"
#include "base/seeded_hash.h"
#include "controller/conditions.h"
#include "grove/model/labels.h"
#include "grove/model/names.h"
#include "grove/reconcile/ensure.h"
#include "grove/reconcile/mappers.h"
#include "grove/reconcile/outcome.h"
#include "grove/reconcile/owners.h"

namespace hearth::grove {
namespace {

using controller::Outcome;
using controller::Pass;

// A gang is written once, when all of its pods are there. One whose pods are long in coming is
// written with those that there are.
constexpr Duration kPatience = std::chrono::seconds(2);

bool IsWhole(const GangOutline& gang, const std::vector<PodFacts>& pods) {
  SeededMap<std::string_view, int32_t> counts;  // by clique
  for (const PodFacts& pod : pods) {
    counts[pod.clique] += pod.id.deleting ? 0 : 1;
  }
  return std::all_of(gang.parts.begin(), gang.parts.end(), [&](const GangOutline::Part& part) {
    const auto count = counts.find(part.clique);
    return (count == counts.end() ? 0 : count->second) >= part.replicas;
  });
}

controller::Condition Initialized(bool whole, int64_t generation) {
  const std::string type(api::grove::kInitialized);
  return whole ? controller::Condition{type, "True", "PodGangPodsCreated",
                                       "all pods of the gang are there", generation}
               : controller::Condition{type, "False", "PodGangPodsCreationPending",
                                       "some pods of the gang are not there yet", generation};
}

}  // namespace

GangReconciler::GangReconciler(controller::Manager& manager, const GroveCaches& caches,
                               Options options)
    : clock_(manager.clock()), caches_(caches), options_(std::move(options)) {
  auto builder = manager.AddController(
      {.name = "podgang", .workers = options_.workers, .retry = kRetry}, *this);
  builder.For(caches_.gangs)
      .Watches(manager.Watch<PresenceFields>(
                   kube::types::Pods(), {.scope = caches_.pods.informer().scope(), .indexes = {}}),
               MapToGang())
      .Watches(manager.Watch<PartSizeFields>(
                   PodCliques(), {.scope = caches_.cliques.informer().scope(), .indexes = {}}),
               MapToGang())
      .Watches(manager.Watch<SetGangFields>(
                   PodCliqueSets(), {.scope = caches_.sets.informer().scope(), .indexes = {}}),
               MapSetToGangs(caches_.gangs))
      .Watches(manager.Watch<PartSizeFields>(
                   PodCliqueScalingGroups(),
                   {.scope = caches_.groups.informer().scope(), .indexes = {}}),
               MapGroupToGangs(caches_.gangs))
      .Watches(caches_.topologies, MapToAllGangs(caches_.gangs))
      .Owns(caches_.gangs, PodCliqueSets());
  for (const std::string& name : BackendNames()) {
    Scheduler scheduler{MakeBackend(name), std::nullopt};
    const auto& with = options_.with_groups;
    const bool served = std::find(with.begin(), with.end(), name) != with.end();
    if (const auto* type = scheduler.backend->group_type(); type != nullptr && served) {
      scheduler.groups = manager.Watch<SchedulerGroupFields>(*type);
      builder.Owns(*scheduler.groups, PodGangs());
    }
    schedulers_.emplace(name, std::move(scheduler));
  }
}

Result<Outcome> GangReconciler::Reconcile(Pass& pass, const kube::ObjectKey& key) {
  if (!caches_.Include(key.name_space)) {
    return Outcome::Done();
  }
  const auto there = caches_.gangs.Get(key);
  ASSIGN_OR_RETURN(const auto wanted, Find(key, there));
  if (!wanted) {
    // Without its set, or with one that goes, it goes or stays as the set was deleted.
    const auto owner = there ? OwnerOfGang(*there) : std::nullopt;
    return owner && !(*there)->deleting() ? EndPass(Remove(pass, PodGangs(), **there), {})
                                          : Outcome::Done();
  }
  const std::vector<PodFacts> pods = PodsOf(key);
  const bool whole = IsWhole(wanted->gang, pods);
  if (!there && !whole) {
    const Duration age = wanted->begun ? clock_.WallNow() - *wanted->begun : kPatience;
    if (age < kPatience) {
      return Outcome::After(std::min(kPatience, kPatience - age));
    }
  }
  std::vector<const PodFacts*> members;
  members.reserve(pods.size());
  for (const PodFacts& pod : pods) {
    members.push_back(&pod);
  }
  const std::string scheduler = SchedulerOf(wanted->set(), options_.scheduler);
  json::Value desired =
      RenderGang(wanted->set(), wanted->gang, members, scheduler, TopologyOf(wanted->set()));
  Status failure =
      Ensure(pass, {PodGangs(), std::move(desired), there ? &**there : nullptr, Birth::kCreate},
             wanted->set().id.uid)
          .status();
  if (failure.ok() && there && !(*there)->deleting()) {
    failure = WriteStatus(pass, *there, whole);
    failure = Worse(failure, SyncScheduler(pass, *there, scheduler));
  }
  if (!failure.ok() && !IsRace(failure)) {
    // A gang that is not there cannot say so itself.
    pass.Event(PodCliqueSets(), *wanted->object, controller::EventType::kWarning,
               "PodGangCreateOrUpdateFailed",
               fmt::format("PodGang {}: {}", key.name, failure.message()));
  }
  return EndPass(failure, {});
}

Result<std::optional<GangReconciler::Wanted>> GangReconciler::Find(
    const kube::ObjectKey& key, const std::optional<Cached>& there) const {
  // Which set it is of, its cliques tell; without any of them the gang itself.
  std::optional<controller::Snapshot<SetFields>> set;
  Wanted wanted;
  for (const auto& object :
       caches_.cliques.Lookup(kByGang, InNamespace(key.name_space, key.name))) {
    const CliqueFacts clique = FactsOf<CliqueFacts>(object);
    wanted.begun = std::max(wanted.begun, clique.id.created);
    if (!set) {
      set = OwningSet(caches_, clique);
    }
  }
  if (!set && there) {
    set = OwnerOfGang(*there);
  }
  if (!set) {
    return std::optional<Wanted>();
  }
  wanted.object = set->ptr();
  ASSIGN_OR_RETURN(wanted.known, caches_.known_sets->Read(*set));
  const auto live = [&](const auto& cache) {
    return [&cache, &key](std::string_view name) -> std::optional<int32_t> {
      const auto object = cache.Get({key.name_space, std::string(name)});
      const auto count = object ? (*object)->view()["spec"]["replicas"].Int() : std::nullopt;
      return count ? std::optional(static_cast<int32_t>(*count)) : std::nullopt;
    };
  };
  const auto groups = live(caches_.groups);
  const auto cliques = live(caches_.cliques);
  auto gang = ExpectedGang(wanted.set(), key.name, groups, cliques);
  if (!gang) {
    return std::optional<Wanted>();
  }
  wanted.gang = *std::move(gang);
  return std::optional(std::move(wanted));
}

std::optional<controller::Snapshot<SetFields>> GangReconciler::OwnerOfGang(
    const Cached& there) const {
  const GangFacts gang = FactsOf<GangFacts>(there);
  const auto part_of = gang.labels.find(std::string(kPartOfLabel));
  return part_of == gang.labels.end() ? std::nullopt
                                      : OwningSet(caches_, gang.id, {part_of->second, {}, {}, {}});
}

std::vector<PodFacts> GangReconciler::PodsOf(const kube::ObjectKey& key) const {
  std::vector<PodFacts> pods;
  for (const auto& pod : caches_.pods.Lookup(kByGang, InNamespace(key.name_space, key.name))) {
    pods.push_back(FactsOf<PodFacts>(pod));
  }
  return pods;
}

TopologyKey GangReconciler::TopologyOf(const SetFacts& set) const {
  const std::string name = options_.topology ? set.TopologyName() : "";
  const auto binding = name.empty() ? std::nullopt : caches_.topologies.Get({"", name});
  return [binding](std::string_view domain) -> std::string {
    const json::View levels = binding ? (*binding)->view()["spec"]["levels"] : json::View();
    for (const json::View level : levels.items()) {
      if (level["domain"].Equals(domain)) {
        return level["key"].StringOr("");
      }
    }
    return "";
  };
}

// Schedulers write there, too, so only what is ours is compared and sent.
Status GangReconciler::WriteStatus(Pass& pass, const Cached& gang, bool whole) const {
  const json::View status = gang->view()["status"];
  const auto now = controller::FindCondition(status["conditions"], api::grove::kInitialized);
  const controller::Condition wanted = Initialized(whole, gang->generation());
  if (now && (now->status == wanted.status || now->status == "True")) {
    return {};
  }
  json::Value object = kube::NewObject(PodGangs(), gang->key());
  object["metadata"].Set("uid", gang->uid());
  json::Value ours = controller::SetCondition(json::View(), wanted, json::Time{clock_.WallNow()});
  object.Set("status", json::Value::Object({{"conditions", std::move(ours)},
                                            {"phase", status["phase"].StringOr("Pending")}}));
  const std::string body = object.Write();
  kube::WriteOptions options;
  options.force = true;
  options.subresource = "status";
  ASSIGN_OR_RETURN(const kube::Object written,
                   pass.client().Apply(PodGangs(), gang->key(), json::View::Trusted(body),
                                       pass.limit(), options));
  pass.Wrote(PodGangs(), written);
  return {};
}

Status GangReconciler::SyncScheduler(Pass& pass, const Cached& gang,
                                     const std::string& scheduler) const {
  const auto found = schedulers_.find(scheduler);
  if (found == schedulers_.end() || !found->second.groups) {
    return {};
  }
  const auto& [backend, groups] = found->second;
  const auto there = groups->Get(gang->key());
  auto desired =
      backend->RenderGroup(FactsOf<GangFacts>(gang), there ? (*there)->view() : json::View());
  if (!desired) {
    return {};
  }
  return Ensure(pass,
                {*backend->group_type(), *std::move(desired), there ? &**there : nullptr,
                 Birth::kCreate},
                gang->uid())
      .status();
}

}  // namespace hearth::grove

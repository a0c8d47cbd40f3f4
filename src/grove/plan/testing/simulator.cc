#include "grove/plan/testing/simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "api/table/struct_table.h"
#include "grove/model/names.h"
#include "grove/plan/internal/group_replicas.h"
#include "grove/plan/internal/health.h"
#include "grove/plan/internal/status_parts.h"

namespace hearth::grove {
namespace {

// Templates carry their version as a label; a hash is the label.
constexpr const char* kVersion = "version";

std::string VersionOf(const api::grove::CliqueTemplate& clique) {
  const auto found = clique.labels.find(kVersion);
  return found == clique.labels.end() ? "1" : found->second;
}

bool IsOutdatedRemoval(const std::string& why) { return why.find("template") != std::string::npos; }

template <typename Map>
auto Values(const Map& map) {
  std::vector<typename Map::mapped_type> values;
  for (const auto& [key, value] : map) {
    values.push_back(value);
  }
  return values;
}

template <typename Map>
std::vector<std::string> Keys(const Map& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) {
    keys.push_back(key);
  }
  return keys;
}

}  // namespace

Simulator::Simulator(SetFacts with, uint32_t seed) : set(std::move(with)), random_(seed) {
  set.status = {};
  seen_ = set;
}

Hashes Simulator::HashesOf(const SetFacts& seen) const {
  Hashes hashes;
  hashes.generation = "c1-all";
  for (const api::grove::CliqueTemplate& clique : seen.parts().cliques) {
    hashes.cliques[clique.name] = "c1-" + clique.name + "-" + VersionOf(clique);
    hashes.generation += "-" + VersionOf(clique);
  }
  return hashes;
}

void Simulator::Blame(std::string problem) {
  if (problems_.size() < 10) {
    problems_.push_back(std::move(problem));
  }
}

template <typename Map>
typename Map::iterator Simulator::Any(Map& map) {
  auto at = map.begin();
  if (!map.empty()) {
    std::advance(at, random_() % map.size());
  }
  return at;
}

// ---- Controllers.

void Simulator::PassSet() {
  const Hashes hashes = HashesOf(set);
  const std::vector<CliqueFacts> all = Values(cliques);
  const SetWorld world{set, hashes, PlanHash(set, hashes, all), Values(groups), all, now_};
  const SetPlan plan = PlanSet(world);
  for (const SetPlan::Termination& one : plan.terminate) {
    const auto before = terminated_.find(one.replica);
    if (before != terminated_.end() && now_ - before->second < set.termination_delay()) {
      // Only to finish what was begun when the controller died.
      bool is_rest = false;
      for (const auto& [name, clique] : cliques) {
        is_rest |= clique.place.set_replica == one.replica && !clique.id.deleting &&
                   clique.id.created < before->second;
      }
      if (!is_rest) {
        Blame(fmt::format("replica {} is ended again too early", one.replica));
      }
    }
    terminated_[one.replica] = now_;
    ++terminations_;
    for (auto& [name, clique] : cliques) {
      if (clique.place.set_replica == one.replica && !clique.id.deleting) {
        DeleteClique(clique);
        if (Dies()) {
          return;
        }
      }
    }
  }
  MakeChildren(hashes);
  if (Dies()) {
    return;
  }
  updates_begun_ += world.hash_step.kind == HashStep::Kind::kChanged ? 1 : 0;
  set.status = MakeSetStatus(world, plan, {}).status;
}

void Simulator::DeleteClique(CliqueFacts& clique) {
  clique.id.deleting = true;
  if (Chance(2)) {  // otherwise somebody else collects them, later
    for (auto& [name, pod] : pods) {
      pod.id.deleting |= pod.id.IsControlledBy(clique.id.uid);
    }
  }
}

void Simulator::PutClique(CliqueFacts clique, const Hashes& hashes,
                          const std::string& clique_template) {
  const auto found = cliques.find(clique.id.name);
  if (found != cliques.end()) {
    if (!found->second.id.deleting) {
      found->second.template_hash = hashes.LabelFor(clique_template, found->second.template_hash);
    }
    return;
  }
  clique.id.uid = fmt::format("uid-{}", ++made_);
  clique.id.created = now_;
  clique.template_hash = hashes.Current(clique_template);
  cliques.emplace(clique.id.name, std::move(clique));
}

void Simulator::MakeChildren(const Hashes& hashes) {
  for (auto& [name, group] : groups) {
    group.id.deleting |= *group.place.set_replica >= set.spec.replicas;
  }
  for (auto& [name, clique] : cliques) {
    const bool is_orphan = !clique.standalone() && (!groups.contains(clique.place.group) ||
                                                    groups[clique.place.group].id.deleting);
    if (!clique.id.deleting && (*clique.place.set_replica >= set.spec.replicas || is_orphan)) {
      DeleteClique(clique);
    }
  }
  for (int32_t i = 0; i < set.spec.replicas; ++i) {
    for (const api::grove::ScalingGroupTemplate& one : set.parts().scaling_groups) {
      GroupFacts group = MakeGroup(set, i, one.name);
      group.id.created = now_;
      groups.emplace(group.id.name, std::move(group));
    }
    for (const api::grove::CliqueTemplate& one : set.parts().cliques) {
      if (set.GroupOf(one.name) == nullptr) {
        PutClique(MakeStandalone(set, i, one.name), hashes, one.name);
      }
    }
  }
}

void Simulator::PassGroup(const std::string& name) {
  GroupFacts& group = groups[name];
  if (group.id.deleting) {
    groups.erase(name);
    return;
  }
  const Hashes hashes = HashesOf(seen_);
  const int32_t i = *group.place.set_replica;
  const std::string of(*NameAfter(set.id.name, i, name));
  GroupWorld world{seen_, hashes, group, seen_.FindGroup(of), {}, now_};
  for (const auto& [key, clique] : cliques) {
    if (clique.place.group == name) {
      world.members.push_back(clique);
    }
  }
  const GroupPlan plan = PlanGroup(world);
  CheckGroupPlan(world, plan);
  for (const GroupPlan::Removal& removal : plan.remove) {
    replicas_replaced_ += IsOutdatedRemoval(removal.why) ? 1 : 0;
    for (auto& [key, clique] : cliques) {
      if (clique.place.group == name && clique.place.group_replica == removal.replica &&
          !clique.id.deleting) {
        DeleteClique(clique);
        if (Dies()) {
          return;
        }
      }
    }
  }
  for (const auto* members : {&plan.create, &plan.refresh}) {
    for (const GroupPlan::Member& one : *members) {
      PutClique(MakeMember(set, i, of, one.replica, one.clique->name), hashes, one.clique->name);
      if (Dies()) {
        return;
      }
    }
  }
  group.status = MakeGroupStatus(world, plan, {}).status;
}

void Simulator::PassClique(const std::string& name) {
  CliqueFacts& clique = cliques[name];
  if (clique.id.deleting) {
    cliques.erase(name);
    return;
  }
  const Hashes hashes = HashesOf(seen_);
  const int32_t i = *clique.place.set_replica;
  const std::string of(clique.standalone()
                           ? *NameAfter(set.id.name, i, name)
                           : *NameAfter(clique.place.group, *clique.place.group_replica, name));
  CliqueWorld world{seen_, hashes, clique, of, {}, {}, nullptr, false, true, {}, true, now_};
  for (const auto& [key, pod] : pods) {
    if (pod.clique == name) {
      (pod.id.IsControlledBy(clique.id.uid) ? world.pods : world.former).push_back(pod);
    }
  }
  const PodPlan plan = PlanPods(world);
  CheckCliquePlan(world, plan);
  for (const PodPlan::Removal& removal : plan.remove) {
    pods_replaced_ += IsOutdatedRemoval(removal.why) ? 1 : 0;
    pods[removal.pod->id.name].id.deleting = true;
    if (Dies()) {
      return;
    }
  }
  for (const PodPlan::Creation& creation : plan.create) {
    PodFacts pod = MakePending(clique, creation.index);
    pod.id.name = fmt::format("{}-{}", name, ++made_);
    pod.id.uid = "uid-" + pod.id.name;
    pod.id.created = now_;
    pod.gated = pod.schedule_gated = creation.gated;
    pods.emplace(pod.id.name, std::move(pod));
    if (Dies()) {
      return;
    }
  }
  for (const PodFacts* pod : plan.ungate) {
    pods[pod->id.name].gated = pods[pod->id.name].schedule_gated = false;
  }
  if (!Dies()) {
    clique.status = MakeCliqueStatus(world, plan, {}).status;
  }
}

// ---- The cluster.

void Simulator::MovePod(const std::string& name) {
  PodFacts& pod = pods[name];
  const bool is_orphan = std::none_of(cliques.begin(), cliques.end(), [&](const auto& one) {
    return pod.id.IsControlledBy(one.second.id.uid);
  });
  if (pod.id.deleting) {
    pods.erase(name);
  } else if (is_orphan) {
    pod.id.deleting = true;
  } else if (!pod.gated && !pod.scheduled) {
    pod.scheduled = pod.assigned = true;
  } else if (pod.scheduled && pod.active() && !pod.failed_before) {
    pod.phase = "Running";
    pod.ready = true;
    pod.unstarted = pod.started_not_ready = false;
  }
}

void Simulator::Happen() {
  switch (random_() % 9) {
    case 0:
    case 8:
      ChangeTemplate(set.parts().cliques[random_() % set.parts().cliques.size()].name);
      break;
    case 1:
      ScaleSet(static_cast<int32_t>(random_() % 4));
      break;
    case 2:
      if (const auto at = Any(groups); at != groups.end()) {
        at->second.replicas = static_cast<int32_t>(random_() % 4);
      }
      break;
    case 3:
      if (const auto at = Any(cliques); at != cliques.end()) {
        at->second.replicas = static_cast<int32_t>(random_() % 5);
      }
      break;
    case 4:
      if (const auto at = Any(cliques); at != cliques.end() && !at->second.id.deleting) {
        DeleteClique(at->second);
      }
      break;
    default:
      if (const auto at = Any(pods); at != pods.end()) {
        PodFacts& pod = at->second;
        if (Chance(2)) {
          pod.id.deleting = true;
        } else if (pod.ready) {
          pod.ready = false;
          pod.started_not_ready = true;
          pod.failed_before = Chance(3);
        }
      }
  }
}

void Simulator::ChangeTemplate(const std::string& name) {
  for (api::grove::CliqueTemplate& clique : set.spec.set_template.cliques) {
    if (clique.name == name) {
      clique.labels[kVersion] = fmt::format("{}", ++made_);
    }
  }
  ++set.id.generation;
}

void Simulator::ScaleSet(int32_t replicas) {
  set.spec.replicas = replicas;
  ++set.id.generation;
}

void Simulator::BreakPods(int32_t set_replica) {
  for (auto& [name, pod] : pods) {
    const auto clique = cliques.find(pod.clique);
    if (clique != cliques.end() && clique->second.place.set_replica == set_replica) {
      pod.ready = false;
      pod.started_not_ready = pod.failed_before = true;
    }
  }
}

void Simulator::UserDeletesOutdated() {
  const Hashes hashes = HashesOf(set);
  for (auto& [name, pod] : pods) {
    const auto clique = cliques.find(pod.clique);
    pod.id.deleting |= clique == cliques.end() || pod.template_hash != clique->second.template_hash;
  }
}

void Simulator::Step() {
  now_ += std::chrono::seconds(random_() % 20);
  seen_ = Chance(2) ? set : seen_;
  const uint32_t turn = random_() % 100;
  if (turn == 0 && Chance(2)) {
    Happen();
  } else if (turn < 20) {
    PassSet();
  } else if (turn < 35 && !groups.empty()) {
    PassGroup(Any(groups)->first);
  } else if (turn < 65 && !cliques.empty()) {
    PassClique(Any(cliques)->first);
  } else if (!pods.empty()) {
    MovePod(Any(pods)->first);
  }
  CheckEverything();
}

void Simulator::PassAll() {
  PassSet();
  seen_ = set;
  for (const std::string& name : Keys(groups)) {
    PassGroup(name);
  }
  for (const std::string& name : Keys(cliques)) {
    PassClique(name);
  }
  for (const std::string& name : Keys(pods)) {
    MovePod(name);
  }
  CheckEverything();
}

bool Simulator::Settle() {
  dying_ = false;
  for (auto& [name, pod] : pods) {
    pod.failed_before = false;  // the cause is gone
  }
  // What has fewer than its minimum, and not none, cannot be well.
  for (auto& [name, clique] : cliques) {
    clique.replicas = clique.replicas == 0 ? 0 : std::max(clique.replicas, clique.min_available);
  }
  for (auto& [name, group] : groups) {
    group.replicas = group.replicas == 0 ? 0 : std::max(group.replicas, group.min_available);
  }
  for (int round = 0; round < 2000; ++round) {
    const std::string before = Fingerprint();
    PassAll();
    now_ += std::chrono::seconds(1);
    if (Fingerprint() == before) {
      return true;
    }
  }
  return false;
}

// ---- What must hold.

void Simulator::CheckCliquePlan(const CliqueWorld& world, const PodPlan& plan) {
  const auto ready = std::count_if(world.pods.begin(), world.pods.end(), [](const PodFacts& pod) {
    return !pod.id.deleting && pod.ready;
  });
  int taken = 0;
  for (const PodPlan::Removal& removal : plan.remove) {
    taken += IsOutdatedRemoval(removal.why) && removal.pod->ready ? 1 : 0;
  }
  if (taken > 1 || (taken == 1 && ready < Enough(world.clique))) {
    Blame(fmt::format("{}: {} of {} ready pods are taken for an update, {} are needed",
                      world.clique.id.name, taken, ready, Enough(world.clique)));
  }
  const bool is_rolling = set.strategy() == api::grove::UpdateStrategyType::kRollingRecreate;
  if (!is_rolling && std::any_of(plan.remove.begin(), plan.remove.end(), [](const auto& removal) {
        return IsOutdatedRemoval(removal.why);
      })) {
    Blame(world.clique.id.name + ": a pod is taken for an update though users delete");
  }
}

void Simulator::CheckGroupPlan(const GroupWorld& world, const GroupPlan& plan) {
  const GroupReplicas replicas(world);
  int taken = 0;
  for (const GroupPlan::Removal& removal : plan.remove) {
    taken += IsOutdatedRemoval(removal.why) && replicas.IsAvailable(removal.replica) ? 1 : 0;
  }
  const int32_t available = replicas.Count(&GroupReplicas::IsAvailable);
  if (taken > 1 || (taken == 1 && available < Enough(world.group))) {
    Blame(fmt::format("{}: {} of {} available replicas are taken for an update",
                      world.group.id.name, taken, available));
  }
}

void Simulator::CheckEverything() {
  std::set<std::pair<std::string, int32_t>> indices;
  for (const auto& [name, pod] : pods) {
    if (pod.active() && !indices.emplace(pod.clique, *pod.index).second) {
      Blame(fmt::format("{} has two pods of index {}", pod.clique, *pod.index));
    }
  }
  std::set<int32_t> updating;
  for (const auto& [name, clique] : cliques) {
    if (!clique.id.deleting && IsRunning(clique.status.update_progress)) {
      updating.insert(*clique.place.set_replica);
    }
  }
  for (const auto& [name, group] : groups) {
    if (!group.id.deleting && IsRunning(group.status.update_progress)) {
      updating.insert(*group.place.set_replica);
    }
  }
  if (updating.size() > 1) {
    Blame(fmt::format("{} replicas are updated at a time", updating.size()));
  }
}

std::vector<std::string> Simulator::Unsettled() {
  std::vector<std::string> wrong;
  const auto note = [&](bool is_right, const std::string& what) {
    if (!is_right) {
      wrong.push_back(what);
    }
  };
  const Hashes hashes = HashesOf(set);
  std::map<std::string, int32_t> count;
  for (const auto& [name, pod] : pods) {
    note(pod.active() && pod.ready, name + " does not serve");
    note(cliques.contains(pod.clique), name + " has no clique");
    ++count[pod.clique];
    const auto clique = cliques.find(pod.clique);
    if (clique != cliques.end()) {
      note(pod.template_hash == clique->second.template_hash, name + " is outdated");
    }
  }
  for (const auto& [name, clique] : cliques) {
    note(count[name] == clique.replicas, name + " has another number of pods");
    note(!IsRunning(clique.status.update_progress), name + " is updating");
    note(hashes.IsCurrentGeneration(clique.status.current_set_generation_hash),
         name + " has not taken up the templates");
    const bool is_current =
        std::any_of(hashes.cliques.begin(), hashes.cliques.end(),
                    [&, &at = clique](const auto& one) { return one.second == at.template_hash; });
    note(is_current, name + " is outdated");
  }
  note(set.status.update_progress == std::nullopt || !IsRunning(set.status.update_progress),
       "the set is updating");
  note(set.status.replicas == set.spec.replicas, "the set has another size");
  note(set.status.available_replicas == set.spec.replicas, "not all replicas are available");
  note(set.status.updated_replicas == set.spec.replicas, "not all replicas are updated");
  return wrong;
}

std::string Simulator::Fingerprint() const {
  std::string text = api::Encoded(set.status).Write();
  for (const auto& [name, group] : groups) {
    text += name + (group.id.deleting ? "-" : "+") + api::Encoded(group.status).Write();
  }
  for (const auto& [name, clique] : cliques) {
    text += clique.id.uid + (clique.id.deleting ? "-" : "+") + clique.template_hash +
            api::Encoded(clique.status).Write();
  }
  for (const auto& [name, pod] : pods) {
    text += fmt::format("{}{}{}{}{}", name, pod.id.deleting, pod.gated, pod.scheduled, pod.ready);
  }
  return text;
}

}  // namespace hearth::grove

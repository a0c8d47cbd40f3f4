#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "grove/model/facts.h"
#include "grove/plan/hashes.h"

// Which pods of a PodClique are made, let go and taken away: facts in, plan out. Pure.
namespace hearth::grove {

// How much one pass makes at most; the next one goes on. Bounds memory, not speed.
inline constexpr size_t kMostPerPass = 10'000;

struct CliqueWorld {
  const SetFacts& set;
  const Hashes& hashes;
  CliqueFacts clique;
  std::string clique_template;       // its name in the set
  std::vector<PodFacts> pods;        // that it controls, also those being deleted
  std::vector<PodFacts> former;      // of a former PodClique of the same name
  const GangFacts* gang = nullptr;   // null: not there yet
  bool gang_must_name_pods = false;  // the scheduler places whole gangs
  bool base_gang_scheduled = true;   // true as well when it waits for none
  // Whether all claims that a pod of this index uses are there and usable, at every level.
  std::function<bool(int32_t index)> claims_ready;
  bool per_replica_claims = false;  // scaling in takes the highest index, after readiness
  WallTime now;
};

struct PodPlan {
  struct Creation {
    int32_t index = 0;
    bool gated = true;
  };
  struct Removal {
    const PodFacts* pod = nullptr;
    std::string why;  // for the event
  };
  std::vector<Creation> create;
  std::vector<Removal> remove;  // pods of the world
  std::vector<const PodFacts*> ungate;
  // What status.updateProgress becomes.
  std::optional<api::grove::PodCliqueUpdateProgress> progress;
  // Zero: as soon as the status is written. A pod that is taken away for an update stands in the
  // status before it goes, so that nobody who comes after us takes a second one.
  std::optional<Duration> look_again;
  std::string waiting;  // why pods are held back, for people; empty: none is
  // Pods of a former clique that are long in ending and whose index nobody can have before.
  std::vector<const PodFacts*> held_by;
};
// `world` must outlive the plan.
PodPlan PlanPods(const CliqueWorld& world);

// Those that go first when there are too many: ended, unassigned, pending, not ready, of another
// template, then of the highest index (where claims are per replica), then young.
std::vector<const PodFacts*> DeletionOrder(const CliqueWorld& world,
                                           std::vector<const PodFacts*> pods);

}  // namespace hearth::grove

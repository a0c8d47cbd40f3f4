#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "grove/model/facts.h"
#include "grove/plan/clique_status.h"
#include "grove/plan/hashes.h"
#include "grove/plan/topology.h"

// What happens to whole replicas of a set: updates one after the other, and gangs that lost too
// many pods for too long. Facts in, plan out. Pure.
namespace hearth::grove {

struct SetWorld {
  const SetFacts& set;
  const Hashes& hashes;
  HashStep hash_step;
  std::vector<GroupFacts> groups;    // of the set
  std::vector<CliqueFacts> cliques;  // standalone ones and members
  WallTime now;
  TopologyFacts topology;  // of the binding that the set names
};

struct SetPlan {
  struct Termination {
    int32_t replica = 0;
    std::string why;  // which clique or group was broken for how long
  };
  std::vector<Termination> terminate;  // all cliques of the replica and their pods
  // What status.updateProgress becomes; its counters are filled in with the status.
  std::optional<api::grove::PodCliqueSetUpdateProgress> progress;
  std::optional<Duration> look_again;  // when a gang has been broken for long enough
};
SetPlan PlanSet(const SetWorld& world);

struct SetStatus {
  api::grove::PodCliqueSetStatus status;
  std::vector<StatusEvent> events;
};
SetStatus MakeSetStatus(const SetWorld& world, const SetPlan& plan, const PassNotes& notes);

}  // namespace hearth::grove

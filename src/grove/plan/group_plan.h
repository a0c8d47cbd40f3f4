#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "grove/model/facts.h"
#include "grove/plan/clique_status.h"
#include "grove/plan/hashes.h"
#include "grove/plan/pod_plan.h"

// Which PodCliques of a scaling group are made and taken away: facts in, plan out. Pure.
namespace hearth::grove {

struct GroupWorld {
  const SetFacts& set;
  const Hashes& hashes;
  GroupFacts group;
  const api::grove::ScalingGroupTemplate* config = nullptr;  // never null
  std::vector<CliqueFacts> members;  // that it controls, also those being deleted
  WallTime now;
};

struct GroupPlan {
  struct Member {
    int32_t replica = 0;
    const api::grove::CliqueTemplate* clique = nullptr;
  };
  struct Removal {
    int32_t replica = 0;
    std::string why;  // for the event
  };
  std::vector<Member> create;
  std::vector<Member> refresh;  // that are there and take the template as it is now (OnDelete)
  std::vector<Removal> remove;  // whole replicas: their cliques and the pods of these
  // What status.updateProgress becomes; its counters are filled in with the status.
  std::optional<api::grove::PodCliqueScalingGroupUpdateProgress> progress;
  std::optional<Duration> look_again;  // zero: as soon as the status is written
};
GroupPlan PlanGroup(const GroupWorld& world);

struct GroupStatus {
  api::grove::PodCliqueScalingGroupStatus status;
  std::vector<StatusEvent> events;
};
GroupStatus MakeGroupStatus(const GroupWorld& world, const GroupPlan& plan, const PassNotes& notes);

// Whether a PodClique has taken up the template as it is now and has enough ready pods of it.
bool IsConverged(const CliqueFacts& clique, std::string_view clique_template, const Hashes& hashes);

}  // namespace hearth::grove

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/grove/pod_clique.h"
#include "api/grove/pod_clique_scaling_group.h"
#include "api/grove/pod_clique_set.h"
#include "api/grove/pod_gang.h"
#include "base/clock.h"
#include "base/result.h"
#include "controller/cached_object.h"
#include "json/view.h"
#include "kube/model/object.h"

// Objects read into values that plans are made of. What an object does not say, or says in a way
// nobody understands, is left at what it is without; only a set, which users write, can be
// unreadable.
namespace hearth::grove {

using Labels = std::map<std::string, std::string>;

// Which object it is, and what all of them have.
struct Identity {
  std::string name_space;
  std::string name;
  std::string uid;
  int64_t generation = 0;
  bool deleting = false;
  std::optional<WallTime> created;
  std::vector<std::string> finalizers;
  std::optional<kube::OwnerReference> controller;  // the owner that controls it

  // Of a whole object, and of one in a cache, which keeps some of this beside the JSON.
  static Identity Of(json::View object);
  static Identity Of(const controller::CachedObject& object);

  bool HasFinalizer(std::string_view finalizer) const;
  bool IsControlledBy(std::string_view uid) const { return controller && controller->uid == uid; }
};

// A PodCliqueSet.
struct SetFacts {
  Identity id;
  Labels labels;
  Labels annotations;
  api::grove::PodCliqueSetSpec spec;  // defaulted: what admission fills in is there
  api::grove::PodCliqueSetStatus status;

  // kInvalid: the spec cannot be read.
  static Result<SetFacts> From(Identity id, json::View object);

  const api::grove::PodCliqueSetTemplate& parts() const { return spec.set_template; }
  // Null when there is none of that name.
  const api::grove::CliqueTemplate* FindClique(std::string_view name) const;
  const api::grove::ScalingGroupTemplate* FindGroup(std::string_view name) const;
  // The scaling group that a clique is in; null: in none.
  const api::grove::ScalingGroupTemplate* GroupOf(std::string_view clique) const;
  // The ClusterTopologyBinding that its domains are of: the first that the set or a part of it
  // names.
  std::string TopologyName() const;
  api::grove::UpdateStrategyType strategy() const;
  Duration termination_delay() const;  // four hours when it says nothing
};

// What an object of a set says of its place in it.
struct Place {
  std::string set;  // its name
  std::optional<int32_t> set_replica;
  std::string group;  // full name of the scaling group; empty: in none
  std::optional<int32_t> group_replica;

  static Place Of(const Labels& labels);
};

// A PodCliqueScalingGroup.
struct GroupFacts {
  Identity id;
  Labels labels;
  Labels annotations;
  Place place;  // `group` is empty
  int32_t replicas = 1;
  int32_t min_available = 1;
  std::vector<std::string> clique_names;
  api::grove::PodCliqueScalingGroupStatus status;

  static GroupFacts From(Identity id, json::View object);
};

// A PodClique, without its pod template.
struct CliqueFacts {
  Identity id;
  Labels labels;
  Labels annotations;
  Place place;
  int32_t replicas = 0;
  int32_t min_available = 1;
  std::vector<std::string> starts_after;  // full names
  std::string gang;                       // that its pods belong to
  std::string base_gang;                  // that they wait for; empty: none
  std::string template_hash;              // as labelled
  api::grove::PodCliqueStatus status;

  static CliqueFacts From(Identity id, json::View object);

  bool standalone() const { return place.group.empty(); }
};

struct PodFacts {
  Identity id;
  std::string clique;            // full name
  std::string gang;              // as labelled
  std::string template_hash;     // as labelled
  std::optional<int32_t> index;  // from its hostname; nothing when it has none that is ours
  std::string phase;
  bool assigned = false;        // has a node
  bool gated = false;           // has kGate
  bool schedule_gated = false;  // PodScheduled is False for gates
  bool scheduled = false;       // PodScheduled is True
  bool ready = false;
  bool failed_before = false;       // some container's last termination was with a failure
  bool started_not_ready = false;   // some container has started and is not ready
  bool unstarted = false;           // some container has not started, or nothing is known of it
  std::vector<std::string> claims;  // names of ResourceClaims in its spec

  static PodFacts From(Identity id, json::View object);

  // Neither being deleted nor ended.
  bool active() const { return !id.deleting && phase != "Succeeded" && phase != "Failed"; }
};

struct GangFacts {
  Identity id;
  Labels labels;
  Labels annotations;
  api::grove::PodGangSpec spec;
  api::grove::PodGangStatus status;

  static GangFacts From(Identity id, json::View object);
};

}  // namespace hearth::grove

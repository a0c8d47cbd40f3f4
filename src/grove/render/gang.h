#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grove/model/facts.h"
#include "json/value.h"

namespace hearth::grove {

// A gang that a set should have, and the cliques that are in it.
struct GangOutline {
  struct Part {
    std::string clique;  // full name
    int32_t min_replicas = 1;
    int32_t replicas = 1;       // pods there will be: of the live clique, else of the template
    std::string group_replica;  // GroupReplicaName; empty: in no scaling group
    int32_t group_index = 0;    // of that replica
    std::string group_template;
    std::string clique_template;
  };
  std::string name;
  int32_t set_replica = 0;
  bool scaled = false;
  std::vector<Part> parts;
};

// The live sizes of what is there; nothing when it is not.
using LiveReplicas = std::function<std::optional<int32_t>(std::string_view full_name)>;

// All gangs of a set: of each replica the base, then those of replicas of scaling groups beyond
// their minimum.
std::vector<GangOutline> ExpectedGangs(const SetFacts& set, const LiveReplicas& group_replicas,
                                       const LiveReplicas& clique_replicas);

// The same of one replica; none when the set has no such replica.
std::vector<GangOutline> ExpectedGangs(const SetFacts& set, int32_t replica,
                                       const LiveReplicas& group_replicas,
                                       const LiveReplicas& clique_replicas);

// The one of that name, without looking at the others; nothing when the set should have none.
std::optional<GangOutline> ExpectedGang(const SetFacts& set, std::string_view name,
                                        const LiveReplicas& group_replicas,
                                        const LiveReplicas& clique_replicas);

// The first of these: the least that a replica of the set consists of.
GangOutline BaseGang(const SetFacts& set, int32_t replica, const LiveReplicas& clique_replicas);

// Node label keys of topology domains; empty: the domain is unknown.
using TopologyKey = std::function<std::string(std::string_view domain)>;

// The PodGang with those of `pods` that belong to it, by clique and gang, and are not being
// deleted; a clique that is not there yet has a group without pods. What others wrote on the
// object, such as grove.io labels of their own, is not in it and stays when it is applied.
json::Value RenderGang(const SetFacts& set, const GangOutline& gang,
                       const std::vector<const PodFacts*>& pods, std::string_view scheduler,
                       const TopologyKey& topology_key);

}  // namespace hearth::grove

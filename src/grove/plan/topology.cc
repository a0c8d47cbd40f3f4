#include "grove/plan/topology.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/grove/constants.h"
#include "base/strings.h"

namespace hearth::grove {
namespace {

using api::grove::TopologyConstraint;
using Constraint = std::optional<TopologyConstraint>;

// One constraint of a set, and the next one around it.
struct Asked {
  std::string where;  // "the set", "group g", "clique c"
  const TopologyConstraint* constraint = nullptr;
  const TopologyConstraint* around = nullptr;
};

const TopologyConstraint* Pointer(const Constraint& constraint) {
  return constraint ? &*constraint : nullptr;
}

std::vector<Asked> AllOf(const SetFacts& set) {
  std::vector<Asked> asked;
  const auto add = [&](std::string where, const Constraint& own, const TopologyConstraint* around) {
    if (own) {
      asked.push_back({std::move(where), &*own, around});
    }
  };
  const TopologyConstraint* const of_set = Pointer(set.parts().topology_constraint);
  add("the set", set.parts().topology_constraint, nullptr);
  for (const auto& group : set.parts().scaling_groups) {
    add("group " + group.name, group.topology_constraint, of_set);
  }
  for (const auto& clique : set.parts().cliques) {
    const auto* const group = set.GroupOf(clique.name);
    const TopologyConstraint* const of_group =
        group == nullptr ? nullptr : Pointer(group->topology_constraint);
    add("clique " + clique.name, clique.topology_constraint,
        of_group == nullptr ? of_set : of_group);
  }
  return asked;
}

std::string Preferred(const TopologyConstraint& constraint) {
  return constraint.pack ? constraint.pack->preferred : "";
}

// Where a domain stands among the levels; nothing: it is none of them.
std::optional<ptrdiff_t> LevelOf(const std::vector<std::string>& domains,
                                 const std::string& domain) {
  const auto found = std::find(domains.begin(), domains.end(), domain);
  return found == domains.end() ? std::nullopt : std::optional(found - domains.begin());
}

std::vector<std::string> Missing(const std::vector<Asked>& asked,
                                 const std::vector<std::string>& domains) {
  std::vector<std::string> missing;
  for (const Asked& one : asked) {
    for (const std::string& domain :
         {one.constraint->RequiredDomain(), Preferred(*one.constraint)}) {
      const bool told = std::find(missing.begin(), missing.end(), domain) != missing.end();
      if (!domain.empty() && !LevelOf(domains, domain) && !told) {
        missing.push_back(domain);
      }
    }
  }
  return missing;
}

// What is asked for within something that is narrower; empty: nothing is.
std::string OutOfOrder(const std::vector<Asked>& asked, const std::vector<std::string>& domains) {
  for (const Asked& one : asked) {
    if (one.around == nullptr) {
      continue;
    }
    const auto narrower = [&](const std::string& outer, const std::string& inner) {
      const auto a = LevelOf(domains, outer);
      const auto b = LevelOf(domains, inner);
      return a && b && *a > *b;
    };
    const std::pair<std::string, std::string> pairs[] = {
        {one.around->RequiredDomain(), one.constraint->RequiredDomain()},
        {Preferred(*one.around), Preferred(*one.constraint)}};
    for (const auto& [outer, inner] : pairs) {
      if (narrower(outer, inner)) {
        return fmt::format("{} asks for {} within {}, which is narrower", one.where, inner, outer);
      }
    }
  }
  return "";
}

controller::Condition Of(const SetFacts& set, const char* status, const char* reason,
                         std::string message) {
  return {std::string(api::grove::kTopologyLevelsUnavailable), status, reason, std::move(message),
          set.id.generation};
}

}  // namespace

std::optional<controller::Condition> TopologyCondition(const SetFacts& set,
                                                       const TopologyFacts& topology) {
  const std::vector<Asked> asked = AllOf(set);
  if (asked.empty()) {
    return std::nullopt;
  }
  if (!topology.enabled) {
    return Of(set, "Unknown", "TopologyAwareSchedulingDisabled",
              "topology-aware scheduling is off in this operator: topologyConstraint is not handed "
              "to the scheduler");
  }
  const std::string name = set.TopologyName();
  if (name.empty()) {
    return Of(set, "Unknown", "TopologyNameMissing",
              "topologyConstraint is not handed to the scheduler: it has no topologyName");
  }
  if (!topology.domains) {
    return Of(set, "Unknown", "ClusterTopologyNotFound",
              fmt::format("topologyConstraint is not handed to the scheduler: there is no "
                          "ClusterTopologyBinding {}",
                          name));
  }
  const std::vector<std::string>& domains = *topology.domains;
  if (const auto missing = Missing(asked, domains); !missing.empty()) {
    return Of(set, "True", "ClusterTopologyLevelsUnavailable",
              fmt::format("not handed to the scheduler: {}. Levels of ClusterTopologyBinding {} "
                          "are: {}",
                          Join(missing, ", "), name, Join(domains, ", ")));
  }
  if (std::string what = OutOfOrder(asked, domains); !what.empty()) {
    return Of(set, "True", "ClusterTopologyLevelsOutOfOrder",
              fmt::format("{}. Levels of ClusterTopologyBinding {} are, broad to narrow: {}", what,
                          name, Join(domains, ", ")));
  }
  return Of(set, "False", "AllClusterTopologyLevelsAvailable",
            fmt::format("all are levels of ClusterTopologyBinding {}", name));
}

}  // namespace hearth::grove

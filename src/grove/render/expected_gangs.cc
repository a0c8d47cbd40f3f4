// Which gangs a set consists of.
#include <algorithm>
#include <utility>

#include "grove/model/names.h"
#include "grove/render/gang.h"
#include "grove/render/internal/sizes.h"

namespace hearth::grove {
namespace {

using api::grove::CliqueTemplate;
using api::grove::ScalingGroupTemplate;

class Outliner {
 public:
  Outliner(const SetFacts& set, const LiveReplicas& group_replicas,
           const LiveReplicas& clique_replicas)
      : set_(set), group_replicas_(group_replicas), clique_replicas_(clique_replicas) {}

  GangOutline Base(int32_t i) const {
    GangOutline gang{ReplicaName(set_.id.name, i), i, false, {}};
    for (const CliqueTemplate& clique : set_.parts().cliques) {
      if (set_.GroupOf(clique.name) == nullptr) {
        gang.parts.push_back(PartOf(clique, CliqueName(set_.id.name, i, clique.name)));
      }
    }
    for (const ScalingGroupTemplate& group : set_.parts().scaling_groups) {
      for (int32_t j = 0; j < internal::MinAvailable(group); ++j) {
        AddMembers(group, i, j, gang);
      }
    }
    return gang;
  }

  void AddScaled(int32_t i, std::vector<GangOutline>& gangs) const {
    for (const ScalingGroupTemplate& group : set_.parts().scaling_groups) {
      const std::string name = GroupName(set_.id.name, i, group.name);
      const int32_t replicas = Replicas(group, name);
      for (int32_t j = internal::MinAvailable(group); j < replicas; ++j) {
        gangs.push_back(Scaled(group, name, i, j));
      }
    }
  }

  std::optional<GangOutline> FindScaled(int32_t i, std::string_view gang) const {
    for (const ScalingGroupTemplate& group : set_.parts().scaling_groups) {
      const std::string name = GroupName(set_.id.name, i, group.name);
      const auto k = IndexAfter(name, gang);
      const int64_t j = int64_t{k.value_or(0)} + internal::MinAvailable(group);
      if (k && j < Replicas(group, name)) {
        return Scaled(group, name, i, static_cast<int32_t>(j));
      }
    }
    return std::nullopt;
  }

 private:
  int32_t Replicas(const ScalingGroupTemplate& group, const std::string& name) const {
    return group_replicas_(name).value_or(internal::Replicas(group));
  }

  GangOutline Scaled(const ScalingGroupTemplate& group, const std::string& name, int32_t i,
                     int32_t j) const {
    GangOutline gang{ScaledGangName(name, j, internal::MinAvailable(group)), i, true, {}};
    AddMembers(group, i, j, gang);
    return gang;
  }

  GangOutline::Part PartOf(const CliqueTemplate& clique, std::string name) const {
    GangOutline::Part part;
    part.min_replicas = internal::MinAvailable(clique);
    part.replicas = clique_replicas_(name).value_or(clique.spec.replicas);
    part.clique_template = clique.name;
    part.clique = std::move(name);
    return part;
  }

  void AddMembers(const ScalingGroupTemplate& group, int32_t i, int32_t j,
                  GangOutline& gang) const {
    const std::string group_name = GroupName(set_.id.name, i, group.name);
    for (const std::string& name : group.clique_names) {
      if (const CliqueTemplate* const clique = set_.FindClique(name)) {
        GangOutline::Part part = PartOf(*clique, MemberName(group_name, j, name));
        part.group_replica = GroupReplicaName(group_name, j);
        part.group_index = j;
        part.group_template = group.name;
        gang.parts.push_back(std::move(part));
      }
    }
  }

  const SetFacts& set_;
  const LiveReplicas& group_replicas_;
  const LiveReplicas& clique_replicas_;
};

}  // namespace

std::vector<GangOutline> ExpectedGangs(const SetFacts& set, const LiveReplicas& group_replicas,
                                       const LiveReplicas& clique_replicas) {
  std::vector<GangOutline> gangs;
  for (int32_t i = 0; i < set.spec.replicas; ++i) {
    for (GangOutline& gang : ExpectedGangs(set, i, group_replicas, clique_replicas)) {
      gangs.push_back(std::move(gang));
    }
  }
  return gangs;
}

std::optional<GangOutline> ExpectedGang(const SetFacts& set, std::string_view name,
                                        const LiveReplicas& group_replicas,
                                        const LiveReplicas& clique_replicas) {
  // "<set>-<i>", or that and more.
  const size_t end = name.find('-', std::min(set.id.name.size() + 1, name.size()));
  const auto i = IndexAfter(set.id.name, name.substr(0, end));
  if (!i || *i >= set.spec.replicas) {
    return std::nullopt;
  }
  const Outliner outliner(set, group_replicas, clique_replicas);
  return end == std::string_view::npos ? outliner.Base(*i) : outliner.FindScaled(*i, name);
}

GangOutline BaseGang(const SetFacts& set, int32_t replica, const LiveReplicas& clique_replicas) {
  return Outliner(set, {}, clique_replicas).Base(replica);
}

std::vector<GangOutline> ExpectedGangs(const SetFacts& set, int32_t replica,
                                       const LiveReplicas& group_replicas,
                                       const LiveReplicas& clique_replicas) {
  std::vector<GangOutline> gangs;
  if (replica >= set.spec.replicas) {
    return gangs;
  }
  const Outliner outliner(set, group_replicas, clique_replicas);
  gangs.push_back(outliner.Base(replica));
  outliner.AddScaled(replica, gangs);
  return gangs;
}

}  // namespace hearth::grove

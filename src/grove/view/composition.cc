#include "grove/view/composition.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/seeded_hash.h"
#include "claims/inject.h"
#include "claims/place.h"
#include "grove/model/names.h"
#include "grove/render/gang.h"

namespace hearth::grove {
namespace {

class Composer {
 public:
  Composer(const SetFacts& set, const Sizes& sizes) : set_(set), sizes_(sizes) {
    set_.spec.replicas = SizeOf(sizes, set.id.name, set.spec.replicas);
  }

  Result<Composition> Compose() {
    RETURN_IF_ERROR(CheckTemplates());
    AddClaims(claims::SetOwner(set_));
    for (int32_t i = 0; i < set_.spec.replicas; ++i) {
      RETURN_IF_ERROR(AddReplica(i));
    }
    for (ComposedClaim& claim : made_.claims) {
      claim.consumers = consumers_[claim.name];
    }
    return std::move(made_);
  }

 private:
  // Gangs are made of what the templates say, however few replicas there are.
  Status CheckTemplates() {
    RETURN_IF_ERROR(Room(set_.spec.replicas));
    for (const auto& group : set_.parts().scaling_groups) {
      RETURN_IF_ERROR(Room(group.min_available.value_or(1)));
    }
    return Status::Ok();
  }

  Status AddReplica(int32_t i) {
    RETURN_IF_ERROR(Room(1));
    made_.services.push_back(ReplicaName(set_.id.name, i));
    for (const auto& clique : set_.parts().cliques) {
      if (set_.GroupOf(clique.name) == nullptr) {
        const std::string name = CliqueName(set_.id.name, i, clique.name);
        RETURN_IF_ERROR(AddClique(CliqueToBe(set_, i, clique.name, Size(name, clique))));
      }
    }
    for (const auto& group : set_.parts().scaling_groups) {
      RETURN_IF_ERROR(AddGroup(i, group));
    }
    const LiveReplicas size = [&](std::string_view name) -> std::optional<int32_t> {
      const auto found = sizes_.find(name);
      return found == sizes_.end() ? std::nullopt : std::optional(found->second);
    };
    for (GangOutline& gang : ExpectedGangs(set_, i, size, size)) {
      made_.gangs.push_back(std::move(gang.name));
    }
    return Room(0);
  }

  Status AddGroup(int32_t i, const api::grove::ScalingGroupTemplate& config) {
    const std::string name = GroupName(set_.id.name, i, config.name);
    const GroupFacts group =
        GroupToBe(set_, i, config.name, SizeOf(sizes_, name, config.replicas.value_or(1)));
    RETURN_IF_ERROR(Room(group.replicas));
    made_.groups.push_back(name);
    ASSIGN_OR_RETURN(const claims::Owner owner, claims::GroupOwner(set_, group));
    AddClaims(owner);
    for (int32_t j = 0; j < group.replicas; ++j) {
      for (const std::string& member : config.clique_names) {
        if (const auto* const clique = set_.FindClique(member)) {
          const int32_t size = Size(MemberName(name, j, member), *clique);
          RETURN_IF_ERROR(AddClique(MemberToBe(group, j, member, size)));
        }
      }
    }
    return Status::Ok();
  }

  Status AddClique(const CliqueFacts& clique) {
    RETURN_IF_ERROR(Room(clique.replicas));
    made_.cliques.push_back(clique.id.name);
    ASSIGN_OR_RETURN(const claims::Owner owner, claims::CliqueOwner(set_, clique, {}));
    AddClaims(owner);
    for (int32_t index = 0; index < clique.replicas; ++index) {
      ASSIGN_OR_RETURN(const claims::PodPlace place, claims::PlaceOf(set_, clique, index));
      made_.pods.push_back(Hostname(clique.id.name, index));
      for (const std::string& claim : claims::ClaimsOf(set_, place)) {
        ++consumers_[claim];
      }
    }
    return Status::Ok();
  }

  void AddClaims(const claims::Owner& owner) {
    for (claims::Claim& claim : claims::DesiredClaims(owner)) {
      const claims::Sharing& entry = owner.sharing[claim.entry];
      made_.claims.push_back({.name = std::move(claim.name),
                              .owner_kind = owner.reference.kind,
                              .owner = owner.reference.name,
                              .claim_template = entry.name,
                              .scope = entry.scope});
    }
  }

  // Whether so many more may come.
  Status Room(int64_t more) const {
    const size_t there = made_.services.size() + made_.gangs.size() + made_.groups.size() +
                         made_.cliques.size() + made_.pods.size() + made_.claims.size();
    return static_cast<int64_t>(there) + more <= kMostParts
               ? Status::Ok()
               : ExhaustedError(fmt::format("set {} would consist of more than {} objects",
                                            set_.id.name, kMostParts));
  }

  int32_t Size(const std::string& name, const api::grove::CliqueTemplate& clique) const {
    return SizeOf(sizes_, name, clique.spec.replicas);
  }

  SetFacts set_;
  const Sizes& sizes_;
  Composition made_;
  SeededMap<std::string, int64_t> consumers_;
};

Identity IdOf(const std::string& name_space, std::string name) {
  Identity id;
  id.name_space = name_space;
  id.name = std::move(name);
  return id;
}

}  // namespace

Result<Composition> Compose(const SetFacts& set, const Sizes& sizes) {
  return Composer(set, sizes).Compose();
}

int32_t SizeOf(const Sizes& sizes, std::string_view name, int32_t otherwise) {
  const auto found = sizes.find(name);
  return std::max(found == sizes.end() ? otherwise : found->second, 0);
}

GroupFacts GroupToBe(const SetFacts& set, int32_t i, std::string_view group, int32_t replicas) {
  GroupFacts facts;
  facts.id = IdOf(set.id.name_space, GroupName(set.id.name, i, group));
  facts.place.set = set.id.name;
  facts.place.set_replica = i;
  facts.replicas = replicas;
  return facts;
}

CliqueFacts CliqueToBe(const SetFacts& set, int32_t i, std::string_view clique, int32_t replicas) {
  CliqueFacts facts;
  facts.id = IdOf(set.id.name_space, CliqueName(set.id.name, i, clique));
  facts.place.set = set.id.name;
  facts.place.set_replica = i;
  facts.replicas = replicas;
  return facts;
}

CliqueFacts MemberToBe(const GroupFacts& group, int32_t j, std::string_view clique,
                       int32_t replicas) {
  CliqueFacts facts;
  facts.id = IdOf(group.id.name_space, MemberName(group.id.name, j, clique));
  facts.place = group.place;
  facts.place.group = group.id.name;
  facts.place.group_replica = j;
  facts.replicas = replicas;
  return facts;
}

}  // namespace hearth::grove

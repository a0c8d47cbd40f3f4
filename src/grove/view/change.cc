#include "grove/view/change.h"

#include <fmt/format.h>

#include "base/seeded_hash.h"
#include "claims/consumers.h"

namespace hearth::grove {
namespace {

using Names = std::vector<std::string>;

Names Without(const Names& names, const Names& others) {
  const SeededSet<std::string_view> known(others.begin(), others.end());
  Names rest;
  for (const std::string& name : names) {
    if (!known.contains(name)) {
      rest.push_back(name);
    }
  }
  return rest;
}

Change::Kind Compare(std::string_view kind, const Names& before, const Names& after) {
  return {kind, before.size(), after.size(), Without(after, before), Without(before, after)};
}

Names NamesOf(const std::vector<ComposedClaim>& claims) {
  Names names;
  for (const ComposedClaim& claim : claims) {
    names.push_back(claim.name);
  }
  return names;
}

std::vector<Change::Claim> CompareClaims(const std::vector<ComposedClaim>& before,
                                         const std::vector<ComposedClaim>& after) {
  std::vector<Change::Claim> claims;
  SeededMap<std::string_view, size_t> places;
  for (const ComposedClaim& claim : after) {
    places.emplace(claim.name, claims.size());
    claims.push_back({claim, std::nullopt, claim.consumers});
  }
  for (const ComposedClaim& claim : before) {
    const auto place = places.find(claim.name);
    if (place != places.end()) {
      claims[place->second].before = claim.consumers;
    } else {
      claims.push_back({claim, claim.consumers, std::nullopt});
    }
  }
  return claims;
}

}  // namespace

Change ChangeOf(const SetFacts& set, const std::optional<Composition>& before,
                const Composition& after) {
  const Composition none;
  const Composition& old = before ? *before : none;
  Change change{.name_space = set.id.name_space, .set = set.id.name, .fresh = !before};
  change.kinds = {Compare("Service", old.services, after.services),
                  Compare("PodGang", old.gangs, after.gangs),
                  Compare("PodCliqueScalingGroup", old.groups, after.groups),
                  Compare("PodClique", old.cliques, after.cliques),
                  Compare("Pod", old.pods, after.pods),
                  Compare("ResourceClaim", NamesOf(old.claims), NamesOf(after.claims))};
  change.claims = CompareClaims(old.claims, after.claims);
  for (const ComposedClaim& claim : after.claims) {
    if (claim.consumers > claims::kMaxConsumers) {
      change.warnings.push_back(fmt::format(
          "ResourceClaim {} would be shared by {} pods, and Kubernetes reserves a claim for at "
          "most {}: the others could not be scheduled",
          claim.name, claim.consumers, claims::kMaxConsumers));
    }
  }
  return change;
}

}  // namespace hearth::grove

#include "grove/reconcile/owners.h"

namespace hearth::grove {

std::optional<controller::Snapshot<SetFields>> OwningSet(const GroveCaches& caches,
                                                         const Identity& part, const Place& place) {
  auto set = caches.sets.Get({part.name_space, place.set});
  const bool its_own = set && part.IsControlledBy((*set)->uid()) && !(*set)->deleting();
  return its_own ? set : std::nullopt;
}

std::optional<controller::Snapshot<GroupFields>> OwningGroup(const GroveCaches& caches,
                                                             const CliqueFacts& clique) {
  auto group = caches.groups.Get({clique.id.name_space, clique.place.group});
  return group && clique.id.IsControlledBy((*group)->uid()) ? group : std::nullopt;
}

std::optional<controller::Snapshot<SetFields>> OwningSet(const GroveCaches& caches,
                                                         const CliqueFacts& clique) {
  if (clique.standalone()) {
    return OwningSet(caches, clique.id, clique.place);
  }
  const auto group = OwningGroup(caches, clique);
  if (!group || (*group)->deleting()) {
    return std::nullopt;
  }
  return OwningSet(caches, Identity::Of(**group), clique.place);
}

}  // namespace hearth::grove

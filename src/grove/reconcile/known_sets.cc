#include "grove/reconcile/known_sets.h"

#include <utility>

#include "grove/reconcile/bounds.h"

namespace hearth::grove {

Result<std::shared_ptr<const KnownSet>> KnownSets::Read(
    const controller::Snapshot<SetFields>& set) {
  const std::string uid = set->uid();
  {
    const auto entries = entries_.Lock();
    const auto found = entries->find(uid);
    if (found != entries->end() && found->second.object == set.ptr()) {
      return found->second.known;
    }
  }
  ASSIGN_OR_RETURN(SetFacts facts, SetFacts::From(Identity::Of(*set), set->view()));
  Hashes hashes = Hashes::Of(facts);
  const int32_t asked = Bound(facts);
  auto known =
      std::make_shared<const KnownSet>(KnownSet{std::move(facts), std::move(hashes), asked});
  const auto entries = entries_.Lock();
  if (entries->size() >= kMost) {
    entries->clear();
  }
  (*entries)[uid] = {set.ptr(), known};
  return known;
}

}  // namespace hearth::grove

#include "grove/reconcile/settled.h"

namespace hearth::grove {

bool Settled::Knows(const controller::CachedObject& child, uint64_t inputs) const {
  const auto seen = seen_.Lock();
  const auto found = seen->find(child.uid());
  return found != seen->end() && found->second.child == child.hash() &&
         found->second.inputs == inputs;
}

void Settled::Learn(const controller::CachedObject& child, uint64_t inputs) {
  const auto seen = seen_.Lock();
  if (seen->size() >= kMost) {
    seen->clear();
  }
  (*seen)[child.uid()] = {child.hash(), inputs};
}

}  // namespace hearth::grove

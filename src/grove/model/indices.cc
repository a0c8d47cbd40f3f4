#include "grove/model/indices.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace hearth::grove {
namespace {

// Which of two pods of the same index stays: the older one, and by name when they are as old.
bool ComesBefore(const PodFacts& a, const PodFacts& b) {
  return std::tie(a.id.created, a.id.name) < std::tie(b.id.created, b.id.name);
}

}  // namespace

std::vector<int32_t> FreeIndices(std::span<const PodFacts> pods, std::span<const int32_t> held,
                                 int32_t count) {
  std::set<int32_t> taken(held.begin(), held.end());
  for (const PodFacts& pod : pods) {
    if (pod.active() && pod.index) {
      taken.insert(*pod.index);
    }
  }
  std::vector<int32_t> free;
  for (int32_t index = 0; static_cast<int32_t>(free.size()) < count; ++index) {
    if (!taken.contains(index)) {
      free.push_back(index);
    }
  }
  return free;
}

std::vector<const PodFacts*> Misnumbered(std::span<const PodFacts> pods) {
  std::map<int32_t, const PodFacts*> first;
  std::vector<const PodFacts*> wrong;
  for (const PodFacts& pod : pods) {
    if (!pod.active()) {
      continue;
    }
    if (!pod.index) {
      wrong.push_back(&pod);
      continue;
    }
    const PodFacts*& kept = first[*pod.index];
    if (kept == nullptr) {
      kept = &pod;
    } else if (ComesBefore(pod, *kept)) {
      wrong.push_back(std::exchange(kept, &pod));
    } else {
      wrong.push_back(&pod);
    }
  }
  return wrong;
}

}  // namespace hearth::grove

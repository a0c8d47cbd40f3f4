#include "claims/consumers.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace hearth::claims {
namespace {

using api::grove::SharingScope;

// Counts are users': a product of three may be more than any number holds.
int64_t Times(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(std::max(a, int64_t{0}), std::max(b, int64_t{0}), &product)
             ? std::numeric_limits<int64_t>::max()
             : product;
}

int64_t Plus(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

// Those of one clique within one replica of the owner.
struct Pods {
  std::string_view clique;
  std::string_view group;  // empty: in none
  int64_t count = 0;
};

std::vector<Pods> PodsWithin(const grove::SetFacts& set, const Owner& owner) {
  if (owner.level == Level::kClique) {
    return {{owner.part, "", 1}};
  }
  std::vector<Pods> pods;
  for (const auto& clique : set.parts().cliques) {
    const auto* group = set.GroupOf(clique.name);
    const std::string_view group_name = group == nullptr ? std::string_view() : group->name;
    if (owner.level == Level::kSet) {
      const int64_t copies = group == nullptr ? 1 : group->replicas.value_or(1);
      pods.push_back({clique.name, group_name, Times(clique.spec.replicas, copies)});
    } else if (group_name == owner.part) {
      pods.push_back({clique.name, group_name, Times(clique.spec.replicas, 1)});
    }
  }
  return pods;
}

}  // namespace

std::vector<int64_t> ConsumersOf(const grove::SetFacts& set, const Owner& owner) {
  std::vector<int64_t> consumers;
  if (owner.sharing.empty()) {
    return consumers;
  }
  const std::vector<Pods> pods = PodsWithin(set, owner);
  for (const Sharing& entry : owner.sharing) {
    int64_t count = 0;
    for (const Pods& of_clique : pods) {
      count = Plus(count, IsUsedBy(entry, of_clique.clique, of_clique.group) ? of_clique.count : 0);
    }
    const bool all = entry.scope == SharingScope::kAllReplicas;
    consumers.push_back(all ? Times(count, static_cast<int64_t>(owner.indices.size())) : count);
  }
  return consumers;
}

std::string TooManyConsumers(const grove::SetFacts& set, const Owner& owner) {
  const std::vector<int64_t> consumers = ConsumersOf(set, owner);
  for (size_t i = 0; i < consumers.size() && !owner.indices.empty(); ++i) {
    if (consumers[i] <= kMaxConsumers) {
      continue;
    }
    const Sharing& entry = owner.sharing[i];
    const std::string& name = owner.reference.name;
    return fmt::format(
        "ResourceClaim {} is shared by {} pods, and Kubernetes reserves a claim for at most {}: "
        "the others cannot be scheduled",
        entry.scope == SharingScope::kAllReplicas
            ? ClaimName(name, entry.name)
            : ClaimName(name, *owner.indices.begin(), entry.name),
        consumers[i], kMaxConsumers);
  }
  return "";
}

}  // namespace hearth::claims

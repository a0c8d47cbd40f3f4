#include "json/internal/same_value.h"

#include <algorithm>
#include <vector>

#include "json/internal/decimal.h"

namespace hearth::json::internal {
namespace {

std::vector<const Value::Member*> SortedByName(const Value::Members& members) {
  std::vector<const Value::Member*> sorted;
  sorted.reserve(members.size());
  for (const Value::Member& member : members) {
    sorted.push_back(&member);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto* a, const auto* b) { return a->first < b->first; });
  return sorted;
}

bool SameMembers(const Value::Members& a, const Value::Members& b) {
  if (a.size() != b.size()) {
    return false;
  }
  const auto left = SortedByName(a);
  const auto right = SortedByName(b);
  return std::equal(left.begin(), left.end(), right.begin(), [](const auto* x, const auto* y) {
    return x->first == y->first && SameValue(x->second, y->second);
  });
}

template <typename Children, typename Get>
int DeepestOf(const Children& children, Get get) {
  int depth = 0;
  for (const auto& child : children) {
    depth = std::max(depth, Depth(get(child)));
  }
  return depth;
}

}  // namespace

bool SameValue(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) {
    return false;
  }
  switch (a.kind()) {
    case Kind::kNumber:
      return SameNumber(a.number(), b.number());
    case Kind::kArray:
      return std::equal(a.items().begin(), a.items().end(), b.items().begin(), b.items().end(),
                        SameValue);
    case Kind::kObject:
      return SameMembers(a.members(), b.members());
    default:
      return a == b;
  }
}

int Depth(const Value& value) {
  switch (value.kind()) {
    case Kind::kArray:
      return 1 + DeepestOf(value.items(), [](const Value& item) -> const Value& { return item; });
    case Kind::kObject:
      return 1 + DeepestOf(value.members(), [](const Value::Member& member) -> const Value& {
               return member.second;
             });
    default:
      return 0;
  }
}

}  // namespace hearth::json::internal

#include "cel/collections.h"
#include "cel/internal/function.h"
#include "cel/internal/operators.h"

namespace hearth::cel::internal {
namespace {

bool ContainsAll(const Value& set, const Value& subset) {
  const List& list = subset.list();
  for (size_t i = 0; i < list.size(); ++i) {
    if (!In(list.at(i), set).IsTrue()) {
      return false;
    }
  }
  return true;
}

Value SetContains(const Call& call) { return Value::Bool(ContainsAll(call[0], call[1])); }

Value SetEquivalent(const Call& call) {
  return Value::Bool(ContainsAll(call[0], call[1]) && ContainsAll(call[1], call[0]));
}

Value SetIntersects(const Call& call) {
  const List& list = call[0].list();
  for (size_t i = 0; i < list.size(); ++i) {
    if (In(list.at(i), call[1]).IsTrue()) {
      return Value::Bool(true);
    }
  }
  return Value::Bool(false);
}

constexpr Kinds kTwoLists = {Kind::kList, Kind::kList};
const Overload kFunctions[] = {
    {"sets.contains", Style::kGlobal, kTwoLists, SetContains, CostRule::kPairs},
    {"sets.equivalent", Style::kGlobal, kTwoLists, SetEquivalent, CostRule::kPairsTwice},
    {"sets.intersects", Style::kGlobal, kTwoLists, SetIntersects, CostRule::kPairs},
};

}  // namespace

Overloads SetFunctions() { return kFunctions; }

}  // namespace hearth::cel::internal

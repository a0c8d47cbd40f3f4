#include <fmt/format.h>

#include "cel/collections.h"
#include "cel/internal/function.h"
#include "cel/internal/meter.h"
#include "cel/internal/operators.h"

namespace hearth::cel::internal {
namespace {

Value NotComparable() { return Value::Error("no such overload: elements have no order"); }

Value IsSorted(const Call& call) {
  const List& list = call[0].list();
  for (size_t i = 1; i < list.size() && CountSteps(); ++i) {
    const auto order = Compare(list.at(i - 1), list.at(i));
    if (!order.has_value()) {
      return NotComparable();
    }
    if (*order == std::partial_ordering::greater) {
      return Value::Bool(false);
    }
  }
  return Value::Bool(true);
}

bool CanSum(const Value& value) { return value.IsNumber() || value.Is(Kind::kDuration); }

Value Sum(const Call& call) {
  const List& list = call[0].list();
  Value sum = list.size() == 0 ? Value::Int(0) : list.at(0);
  if (!CanSum(sum)) {
    return Value::Error("no such overload: sum of elements that are no numbers");
  }
  for (size_t i = 1; i < list.size() && !sum.IsError() && CountSteps(); ++i) {
    sum = Add(sum, list.at(i));
  }
  return sum;
}

Value Extreme(const List& list, std::string_view name, std::partial_ordering wanted) {
  if (list.size() == 0) {
    return Value::Error(fmt::format("{} called on empty list", name));
  }
  Value best = list.at(0);
  for (size_t i = 0; i < list.size() && CountSteps(); ++i) {
    Value item = list.at(i);
    const auto order = Compare(item, best);
    if (!order.has_value()) {
      return NotComparable();
    }
    best = *order == wanted ? std::move(item) : best;
  }
  return best;
}

Value Min(const Call& call) { return Extreme(call[0].list(), "min", std::partial_ordering::less); }

Value Max(const Call& call) {
  return Extreme(call[0].list(), "max", std::partial_ordering::greater);
}

Value IndexInList(const Call& call) {
  const List& list = call[0].list();
  for (size_t i = 0; i < list.size(); ++i) {
    if (Equal(list.at(i), call[1])) {
      return Value::Int(static_cast<int64_t>(i));
    }
  }
  return Value::Int(-1);
}

Value LastIndexInList(const Call& call) {
  const List& list = call[0].list();
  for (size_t i = list.size(); i-- > 0;) {
    if (Equal(list.at(i), call[1])) {
      return Value::Int(static_cast<int64_t>(i));
    }
  }
  return Value::Int(-1);
}

constexpr auto kMember = Style::kMember;
const Overload kFunctions[] = {
    {"isSorted", kMember, {Kind::kList}, IsSorted, CostRule::kWalk},
    {"sum", kMember, {Kind::kList}, Sum, CostRule::kWalk},
    {"min", kMember, {Kind::kList}, Min, CostRule::kWalk},
    {"max", kMember, {Kind::kList}, Max, CostRule::kWalk},
    {"indexOf", kMember, {Kind::kList, kAny}, IndexInList, CostRule::kWalk},
    {"lastIndexOf", kMember, {Kind::kList, kAny}, LastIndexInList, CostRule::kWalk},
};

}  // namespace

Overloads KubernetesListFunctions() { return kFunctions; }

}  // namespace hearth::cel::internal

#include "cel/collections.h"
#include "cel/internal/meter.h"
#include "cel/internal/numbers.h"
#include "cel/internal/operators.h"

namespace hearth::cel::internal {
namespace {

using Order = std::partial_ordering;

template <bool (*accepts)(Order)>
Value Ordered(const Value& a, const Value& b) {
  const auto order = Compare(a, b);
  if (!order.has_value()) {
    return NoOverload("comparison", a, b);
  }
  if (*order == Order::unordered) {
    return Value::Error("NaN values cannot be ordered");
  }
  return Value::Bool(accepts(*order));
}

bool IsLess(Order order) { return std::is_lt(order); }
bool IsAtMost(Order order) { return std::is_lteq(order); }
bool IsGreater(Order order) { return std::is_gt(order); }
bool IsAtLeast(Order order) { return std::is_gteq(order); }

Value Equals(const Value& a, const Value& b) { return Value::Bool(Equal(a, b)); }
Value Differs(const Value& a, const Value& b) { return Value::Bool(!Equal(a, b)); }

}  // namespace

std::optional<Order> Compare(const Value& a, const Value& b) {
  if (a.IsNumber() && b.IsNumber()) {
    return CompareNumbers(a, b);
  }
  if (a.kind() != b.kind()) {
    return std::nullopt;
  }
  switch (a.kind()) {
    case Kind::kBool:
      return a.boolean() <=> b.boolean();
    case Kind::kString:
    case Kind::kBytes:
      return a.text() <=> b.text();
    case Kind::kDuration:
      return a.duration() <=> b.duration();
    case Kind::kTimestamp:
      return a.timestamp() <=> b.timestamp();
    default:
      return std::nullopt;
  }
}

Value In(const Value& item, const Value& container) {
  if (container.Is(Kind::kMap)) {
    return Value::Bool(container.map().Find(item).has_value());
  }
  if (!container.Is(Kind::kList)) {
    return NoOverload("@in", item, container);
  }
  const List& list = container.list();
  for (size_t i = 0; i < list.size() && CountSteps(); ++i) {
    if (Equal(item, list.at(i))) {
      return Value::Bool(true);
    }
  }
  return Value::Bool(false);
}

BinaryOperator FindComparison(std::string_view symbol) {
  if (symbol == "==") {
    return Equals;
  }
  if (symbol == "!=") {
    return Differs;
  }
  if (symbol == "<") {
    return Ordered<IsLess>;
  }
  if (symbol == "<=") {
    return Ordered<IsAtMost>;
  }
  if (symbol == ">") {
    return Ordered<IsGreater>;
  }
  if (symbol == ">=") {
    return Ordered<IsAtLeast>;
  }
  return symbol == "in" ? In : nullptr;
}

}  // namespace hearth::cel::internal

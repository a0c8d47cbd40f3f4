#include <vector>

#include "cel/collections.h"
#include "cel/internal/function.h"
#include "cel/internal/meter.h"

namespace hearth::cel::internal {
namespace {

bool IsZero(const Value& value) {
  switch (value.kind()) {
    case Kind::kNull:
      return true;
    case Kind::kBool:
      return !value.boolean();
    case Kind::kInt:
      return value.integer() == 0;
    case Kind::kUint:
      return value.unsigned_integer() == 0;
    case Kind::kDouble:
      return value.real() == 0;
    case Kind::kString:
    case Kind::kBytes:
      return value.text().empty();
    case Kind::kList:
      return value.list().size() == 0;
    case Kind::kMap:
      return value.map().size() == 0;
    case Kind::kObject:
      return value.object().size() == 0;
    case Kind::kDuration:
      return value.duration().count() == 0;
    case Kind::kOptional:
      return value.optional() == nullptr;
    default:
      return false;
  }
}

Value Of(const Call& call) { return Value::Optional(call[0]); }
Value None(const Call&) { return Value::None(); }

Value OfNonZero(const Call& call) {
  return IsZero(call[0]) ? Value::None() : Value::Optional(call[0]);
}

Value HasValue(const Call& call) { return Value::Bool(call[0].optional() != nullptr); }

Value ValueOf(const Call& call) {
  const Value* inner = call[0].optional();
  return inner == nullptr ? Value::Error("optional.none() dereference") : *inner;
}

Value Or(const Call& call) { return call[0].optional() == nullptr ? call[1] : call[0]; }

Value OrValue(const Call& call) {
  const Value* inner = call[0].optional();
  return inner == nullptr ? call[1] : *inner;
}

Value First(const Call& call) {
  const List& list = call[0].list();
  return list.size() == 0 ? Value::None() : Value::Optional(list.at(0));
}

Value Last(const Call& call) {
  const List& list = call[0].list();
  return list.size() == 0 ? Value::None() : Value::Optional(list.at(list.size() - 1));
}

Value Unwrap(const Call& call) {
  const List& list = call[0].list();
  std::vector<Value> items;
  for (size_t i = 0; i < list.size() && CountSteps(); ++i) {
    const Value item = list.at(i);
    if (!item.Is(Kind::kOptional)) {
      return Value::Error("no such overload: optional.unwrap of a list that holds others");
    }
    if (item.optional() != nullptr) {
      items.push_back(*item.optional());
    }
  }
  return MakeList(std::move(items));
}

constexpr auto kGlobal = Style::kGlobal;
constexpr auto kMember = Style::kMember;
const Overload kFunctions[] = {
    {"optional.of", kGlobal, {kAny}, Of},
    {"optional.none", kGlobal, {}, None},
    {"optional.ofNonZeroValue", kGlobal, {kAny}, OfNonZero},
    {"optional.unwrap", kGlobal, {Kind::kList}, Unwrap},
    {"unwrapOpt", kMember, {Kind::kList}, Unwrap},
    {"hasValue", kMember, {Kind::kOptional}, HasValue},
    {"value", kMember, {Kind::kOptional}, ValueOf},
    {"or", kMember, {Kind::kOptional, Kind::kOptional}, Or},
    {"orValue", kMember, {Kind::kOptional, kAny}, OrValue},
    {"first", kMember, {Kind::kList}, First},
    {"last", kMember, {Kind::kList}, Last},
};

}  // namespace

Overloads OptionalFunctions() { return kFunctions; }

}  // namespace hearth::cel::internal

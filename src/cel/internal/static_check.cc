#include "cel/internal/static_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cel/collections.h"

namespace hearth::cel::internal {
namespace {

// Some value of that kind, to try an operator on; nothing for kinds that only adapters make.
std::optional<Value> SampleOf(Kind kind) {
  switch (kind) {
    case Kind::kNull:
      return Value::Null();
    case Kind::kBool:
      return Value::Bool(true);
    case Kind::kInt:
      return Value::Int(1);
    case Kind::kUint:
      return Value::Uint(1);
    case Kind::kDouble:
      return Value::Double(1);
    case Kind::kString:
      return Value::BorrowedString("");
    case Kind::kBytes:
      return Value::Bytes("");
    case Kind::kList:
      return MakeList({});
    case Kind::kMap:
      return MakeMap({});
    case Kind::kDuration:
      return Value::Duration({});
    case Kind::kTimestamp:
      return Value::OfTimestamp({});
    case Kind::kType:
      return Value::Type("int");
    case Kind::kOptional:
      return Value::None();
    default:
      return std::nullopt;
  }
}

OperatorCheck CheckOutcome(const Value& outcome) {
  if (!outcome.IsError()) {
    return {true, outcome.kind()};
  }
  return {outcome.error_message().find("no such overload") == std::string::npos, std::nullopt};
}

bool MayTake(const Overload& overload, std::span<const KnownKind> kinds) {
  if (overload.kinds.size() != kinds.size()) {
    return false;
  }
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i].has_value() && overload.kinds[i] != kAny && overload.kinds[i] != *kinds[i]) {
      return false;
    }
  }
  return true;
}

constexpr std::array kNamedKinds = {
    Kind::kNull,     Kind::kBool,     Kind::kInt,       Kind::kUint,   Kind::kDouble,
    Kind::kString,   Kind::kBytes,    Kind::kList,      Kind::kMap,    Kind::kType,
    Kind::kOptional, Kind::kDuration, Kind::kTimestamp, Kind::kUrl,    Kind::kQuantity,
    Kind::kIp,       Kind::kCidr,     Kind::kSemver,    Kind::kFormat,
};

}  // namespace

OperatorCheck CheckUnary(Value (*operation)(const Value&), KnownKind operand) {
  const auto sample = operand.has_value() ? SampleOf(*operand) : std::nullopt;
  return sample.has_value() ? CheckOutcome(operation(*sample)) : OperatorCheck{};
}

OperatorCheck CheckBinary(BinaryOperator operation, KnownKind left, KnownKind right) {
  const auto a = left.has_value() ? SampleOf(*left) : std::nullopt;
  const auto b = right.has_value() ? SampleOf(*right) : std::nullopt;
  return a.has_value() && b.has_value() ? CheckOutcome(operation(*a, *b)) : OperatorCheck{};
}

std::vector<const Overload*> Applicable(const std::vector<const Overload*>& overloads,
                                        std::span<const KnownKind> kinds) {
  std::vector<const Overload*> fit;
  std::copy_if(overloads.begin(), overloads.end(), std::back_inserter(fit),
               [&](const Overload* overload) { return MayTake(*overload, kinds); });
  return fit;
}

std::string NoMatch(std::string_view function, std::span<const KnownKind> kinds) {
  std::string names;
  for (const KnownKind& kind : kinds) {
    names += names.empty() ? "" : ", ";
    names += kind.has_value() ? KindName(*kind) : "dyn";
  }
  return fmt::format("found no matching overload for '{}' applied to '({})'", function, names);
}

const Value* FindType(std::string_view name) {
  static const std::vector<Value> types = [] {
    std::vector<Value> made;
    for (const Kind kind : kNamedKinds) {
      made.push_back(Value::Type(KindName(kind)));
    }
    return made;
  }();
  const auto found = std::find_if(types.begin(), types.end(),
                                  [&](const Value& type) { return type.text() == name; });
  return found == types.end() ? nullptr : &*found;
}

}  // namespace hearth::cel::internal

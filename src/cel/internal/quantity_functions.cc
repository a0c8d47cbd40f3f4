#include <algorithm>
#include <compare>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "cel/internal/function.h"
#include "cel/opaque.h"
#include "json/quantity.h"

namespace hearth::cel::internal {
namespace {

using json::Quantity;

class QuantityValue final : public Opaque {
 public:
  explicit QuantityValue(Quantity quantity) : Opaque(Kind::kQuantity), quantity_(quantity) {}
  bool Equals(const Opaque& other) const override {
    return quantity_ == static_cast<const QuantityValue&>(other).quantity_;
  }
  const Quantity& quantity() const { return quantity_; }

 private:
  Quantity quantity_;
};

// An argument that is a quantity, or an int that stands for one.
Quantity QuantityOf(const Value& value) {
  return value.Is(Kind::kInt) ? Quantity::FromInt(value.integer())
                              : static_cast<const QuantityValue&>(value.opaque()).quantity();
}

Value Wrap(Quantity quantity) { return Value::OfOpaque(std::make_shared<QuantityValue>(quantity)); }

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

void SkipDigits(std::string_view& rest) {
  rest.remove_prefix(std::find_if_not(rest.begin(), rest.end(), IsDigit) - rest.begin());
}

void SkipSign(std::string_view& rest) {
  if (!rest.empty() && (rest.front() == '+' || rest.front() == '-')) {
    rest.remove_prefix(1);
  }
}

// Reads a quantity as the API server does: a number without digits ("Gi", "-") is 0 to it. The
// message of a failure is the server's, for users compare.
Result<Quantity> ReadQuantity(std::string_view text) {
  std::string_view rest = text;
  SkipSign(rest);
  SkipDigits(rest);
  if (!rest.empty() && rest.front() == '.') {
    rest.remove_prefix(1);
    SkipDigits(rest);
  }
  const std::string_view number = text.substr(0, text.size() - rest.size());
  const std::string_view suffix = rest;
  rest.remove_prefix(std::min(rest.find_first_not_of("eEinumkKMGTP"), rest.size()));
  SkipSign(rest);
  SkipDigits(rest);
  if (text.empty() || !rest.empty()) {
    return InvalidError(
        "quantities must match the regular expression "
        "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  }
  const bool digits = std::any_of(number.begin(), number.end(), IsDigit);
  auto quantity = Quantity::Parse(digits ? std::string(text) : "0" + std::string(suffix));
  return quantity.ok() ? std::move(quantity) : InvalidError("unable to parse quantity's suffix");
}

Value MakeQuantity(const Call& call) {
  const auto quantity = ReadQuantity(call[0].text());
  return quantity.ok() ? Wrap(*quantity) : Value::Error(std::string(quantity.status().message()));
}

Value IsQuantity(const Call& call) { return Value::Bool(ReadQuantity(call[0].text()).ok()); }

Value IsInteger(const Call& call) { return Value::Bool(QuantityOf(call[0]).ToInt().has_value()); }

Value AsInteger(const Call& call) {
  const auto value = QuantityOf(call[0]).ToInt();
  return value.has_value() ? Value::Int(*value) : Value::Error("cannot convert value to integer");
}

Value AsApproximateFloat(const Call& call) { return Value::Double(QuantityOf(call[0]).ToDouble()); }

Value CompareTo(const Call& call) {
  const auto order = QuantityOf(call[0]) <=> QuantityOf(call[1]);
  return Value::Int(std::is_lt(order) ? -1 : std::is_gt(order) ? 1 : 0);
}

Value Sign(const Call& call) {
  const auto order = QuantityOf(call[0]) <=> Quantity();
  return Value::Int(std::is_lt(order) ? -1 : std::is_gt(order) ? 1 : 0);
}

Value IsGreaterThan(const Call& call) {
  return Value::Bool(QuantityOf(call[0]) > QuantityOf(call[1]));
}

Value IsLessThan(const Call& call) {
  return Value::Bool(QuantityOf(call[0]) < QuantityOf(call[1]));
}

Value AddQuantity(const Call& call) { return Wrap(QuantityOf(call[0]) + QuantityOf(call[1])); }
Value SubQuantity(const Call& call) { return Wrap(QuantityOf(call[0]) - QuantityOf(call[1])); }

constexpr auto kMember = Style::kMember;
constexpr auto kQuantity = Kind::kQuantity;
const Overload kFunctions[] = {
    {"quantity", Style::kGlobal, {Kind::kString}, MakeQuantity, CostRule::kText},
    {"isQuantity", Style::kGlobal, {Kind::kString}, IsQuantity, CostRule::kText},
    {"isInteger", kMember, {kQuantity}, IsInteger},
    {"asInteger", kMember, {kQuantity}, AsInteger},
    {"asApproximateFloat", kMember, {kQuantity}, AsApproximateFloat},
    {"sign", kMember, {kQuantity}, Sign},
    {"sign", Style::kGlobal, {kQuantity}, Sign},
    {"compareTo", kMember, {kQuantity, kQuantity}, CompareTo},
    {"isGreaterThan", kMember, {kQuantity, kQuantity}, IsGreaterThan},
    {"isLessThan", kMember, {kQuantity, kQuantity}, IsLessThan},
    {"add", kMember, {kQuantity, kQuantity}, AddQuantity},
    {"add", kMember, {kQuantity, Kind::kInt}, AddQuantity},
    {"sub", kMember, {kQuantity, kQuantity}, SubQuantity},
    {"sub", kMember, {kQuantity, Kind::kInt}, SubQuantity},
};

}  // namespace

Overloads QuantityFunctions() { return kFunctions; }

}  // namespace hearth::cel::internal

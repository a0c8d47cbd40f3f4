#include <cmath>
#include <limits>
#include <string>

#include "cel/collections.h"
#include "cel/internal/function.h"
#include "cel/internal/meter.h"
#include "cel/internal/operators.h"
#include "cel/internal/time_math.h"

namespace hearth::cel::internal {
namespace {

constexpr const char* kIntOverflow = "integer overflow";
constexpr const char* kUintOverflow = "unsigned integer overflow";
constexpr int64_t kMinInt = std::numeric_limits<int64_t>::min();

bool Both(Kind kind, const Value& a, const Value& b) { return a.Is(kind) && b.Is(kind); }

template <typename Operation>
Value Ints(const Value& a, const Value& b, Operation operation) {
  int64_t result = 0;
  return operation(a.integer(), b.integer(), &result) ? Value::Error(kIntOverflow)
                                                      : Value::Int(result);
}

template <typename Operation>
Value Uints(const Value& a, const Value& b, Operation operation) {
  uint64_t result = 0;
  return operation(a.unsigned_integer(), b.unsigned_integer(), &result)
             ? Value::Error(kUintOverflow)
             : Value::Uint(result);
}

std::string JoinText(const Value& a, const Value& b) {
  std::string text;
  if (CountSteps((a.text().size() + b.text().size()) / 16)) {
    text.reserve(a.text().size() + b.text().size());
    text.append(a.text()).append(b.text());
  }
  return text;
}

Value Subtract(const Value& a, const Value& b) {
  if (Both(Kind::kInt, a, b)) {
    return Ints(a, b,
                [](int64_t x, int64_t y, int64_t* r) { return __builtin_sub_overflow(x, y, r); });
  }
  if (Both(Kind::kUint, a, b)) {
    return Uints(
        a, b, [](uint64_t x, uint64_t y, uint64_t* r) { return __builtin_sub_overflow(x, y, r); });
  }
  if (Both(Kind::kDouble, a, b)) {
    return Value::Double(a.real() - b.real());
  }
  return SubtractTimes(a, b);
}

Value Multiply(const Value& a, const Value& b) {
  if (Both(Kind::kInt, a, b)) {
    return Ints(a, b,
                [](int64_t x, int64_t y, int64_t* r) { return __builtin_mul_overflow(x, y, r); });
  }
  if (Both(Kind::kUint, a, b)) {
    return Uints(
        a, b, [](uint64_t x, uint64_t y, uint64_t* r) { return __builtin_mul_overflow(x, y, r); });
  }
  return Both(Kind::kDouble, a, b) ? Value::Double(a.real() * b.real()) : NoOverload("_*_", a, b);
}

Value Divide(const Value& a, const Value& b) {
  if (Both(Kind::kInt, a, b)) {
    if (b.integer() == 0) {
      return Value::Error("division by zero");
    }
    const bool overflow = a.integer() == kMinInt && b.integer() == -1;
    return overflow ? Value::Error(kIntOverflow) : Value::Int(a.integer() / b.integer());
  }
  if (Both(Kind::kUint, a, b)) {
    return b.unsigned_integer() == 0 ? Value::Error("division by zero")
                                     : Value::Uint(a.unsigned_integer() / b.unsigned_integer());
  }
  return Both(Kind::kDouble, a, b) ? Value::Double(a.real() / b.real()) : NoOverload("_/_", a, b);
}

Value Modulo(const Value& a, const Value& b) {
  if (Both(Kind::kInt, a, b)) {
    if (b.integer() == 0) {
      return Value::Error("modulus by zero");
    }
    const bool overflow = a.integer() == kMinInt && b.integer() == -1;
    return overflow ? Value::Error(kIntOverflow) : Value::Int(a.integer() % b.integer());
  }
  if (Both(Kind::kUint, a, b)) {
    return b.unsigned_integer() == 0 ? Value::Error("modulus by zero")
                                     : Value::Uint(a.unsigned_integer() % b.unsigned_integer());
  }
  return NoOverload("_%_", a, b);
}

}  // namespace

Value NoOverload(std::string_view symbol, const Value& a, const Value& b) {
  const Value args[] = {a, b};
  return Value::Error(NoSuchOverload(symbol, args));
}

Value Add(const Value& a, const Value& b) {
  if (Both(Kind::kInt, a, b)) {
    return Ints(a, b,
                [](int64_t x, int64_t y, int64_t* r) { return __builtin_add_overflow(x, y, r); });
  }
  if (Both(Kind::kUint, a, b)) {
    return Uints(
        a, b, [](uint64_t x, uint64_t y, uint64_t* r) { return __builtin_add_overflow(x, y, r); });
  }
  if (Both(Kind::kDouble, a, b)) {
    return Value::Double(a.real() + b.real());
  }
  if (Both(Kind::kString, a, b)) {
    return Value::String(JoinText(a, b));
  }
  if (Both(Kind::kBytes, a, b)) {
    return Value::Bytes(JoinText(a, b));
  }
  if (Both(Kind::kList, a, b)) {
    return a.list().Concat(a, b);
  }
  return AddTimes(a, b);
}

Value Negate(const Value& value) {
  if (value.Is(Kind::kInt)) {
    return value.integer() == kMinInt ? Value::Error(kIntOverflow) : Value::Int(-value.integer());
  }
  if (value.Is(Kind::kDouble)) {
    return Value::Double(-value.real());
  }
  return Value::Error(NoSuchOverload("-_", {&value, 1}));
}

Value Not(const Value& value) {
  return value.Is(Kind::kBool) ? Value::Bool(!value.boolean())
                               : Value::Error(NoSuchOverload("!_", {&value, 1}));
}

BinaryOperator FindBinaryOperator(std::string_view symbol) {
  if (symbol == "+") {
    return Add;
  }
  if (symbol == "-") {
    return Subtract;
  }
  if (symbol == "*") {
    return Multiply;
  }
  if (symbol == "/") {
    return Divide;
  }
  return symbol == "%" ? Modulo : FindComparison(symbol);
}

}  // namespace hearth::cel::internal

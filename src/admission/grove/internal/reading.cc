#include "admission/grove/internal/reading.h"

#include <cmath>
#include <cstdlib>

namespace hearth::admission::grove {
namespace {

constexpr double kMaxWhole = 9007199254740992.0;  // 2^53: doubles hold no whole number beyond it

}  // namespace

const json::Value& Member(const json::Value& object, std::string_view name) {
  static const json::Value kNull;
  const json::Value* value = object.Find(name);
  return value == nullptr ? kNull : *value;
}

bool Has(const json::Value& object, std::string_view name) {
  return !Member(object, name).IsNull();
}

std::string_view Text(const json::Value& value) {
  return value.IsString() ? std::string_view(value.string()) : std::string_view();
}

std::string_view Text(const json::Value& object, std::string_view name) {
  return Text(Member(object, name));
}

const json::Value::Items& List(const json::Value& object, std::string_view name) {
  static const json::Value::Items kNone;
  const json::Value& value = Member(object, name);
  return value.IsArray() ? value.items() : kNone;
}

const json::Value::Members& Map(const json::Value& object, std::string_view name) {
  static const json::Value::Members kNone;
  const json::Value& value = Member(object, name);
  return value.IsObject() ? value.members() : kNone;
}

std::optional<int64_t> Number(const json::Value& object, std::string_view name) {
  const json::Value& value = Member(object, name);
  if (value.kind() != json::Kind::kNumber) {
    return std::nullopt;
  }
  if (const auto whole = value.Int()) {
    return whole;
  }
  const double real = std::strtod(value.number().c_str(), nullptr);
  return std::fabs(real) <= kMaxWhole && std::trunc(real) == real
             ? std::optional<int64_t>(static_cast<int64_t>(real))
             : std::nullopt;
}

}  // namespace hearth::admission::grove

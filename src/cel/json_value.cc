#include "cel/json_value.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "cel/collections.h"
#include "cel/internal/numbers.h"
#include "cel/internal/text.h"

namespace hearth::cel {
namespace {

constexpr int kMaxDepth = 512;

class JsonList final : public List {
 public:
  explicit JsonList(const json::Value& json) : items_(json.items()) {}
  size_t size() const override { return items_.size(); }
  Value at(size_t index) const override { return FromJson(items_[index]); }

 private:
  const json::Value::Items& items_;
};

class JsonMap final : public Map {
 public:
  explicit JsonMap(const json::Value& json) : json_(json) {}
  size_t size() const override { return json_.members().size(); }
  std::optional<Value> Find(const Value& key) const override {
    const json::Value* found = key.Is(Kind::kString) ? json_.Find(key.text()) : nullptr;
    return found == nullptr ? std::nullopt : std::optional(FromJson(*found));
  }
  std::vector<Value> Keys() const override {
    std::vector<Value> keys;
    keys.reserve(size());
    for (const auto& member : json_.members()) {
      keys.push_back(Value::BorrowedString(member.first));
    }
    return keys;
  }

 private:
  const json::Value& json_;
};

Value Number(const std::string& token) {
  int64_t integer = 0;
  const char* end = token.data() + token.size();
  const auto read = std::from_chars(token.data(), end, integer);
  if (read.ec == std::errc() && read.ptr == end) {
    return Value::Int(integer);
  }
  return Value::Double(
      internal::ReadDouble(token).value_or(token.starts_with('-') ? -HUGE_VAL : HUGE_VAL));
}

Result<json::Value> Write(const Value& value, int depth);

Result<json::Value> WriteList(const List& list, int depth) {
  json::Value::Items items;
  for (size_t i = 0; i < list.size(); ++i) {
    ASSIGN_OR_RETURN(json::Value item, Write(list.at(i), depth));
    items.push_back(std::move(item));
  }
  return json::Value::FromItems(std::move(items));
}

Result<json::Value> WriteMap(const Map& map, int depth) {
  json::Value::Members members;
  for (const Value& key : map.Keys()) {
    ASSIGN_OR_RETURN(json::Value member, Write(map.Find(key).value_or(Value()), depth));
    members.emplace_back(internal::TextOf(key), std::move(member));
  }
  return json::Value::FromMembers(std::move(members));
}

Result<json::Value> Write(const Value& value, int depth) {
  if (depth > kMaxDepth) {
    return ExhaustedError("the value is nested too deep");
  }
  switch (value.kind()) {
    case Kind::kNull:
      return json::Value();
    case Kind::kBool:
      return json::Value(value.boolean());
    case Kind::kInt:
      return json::Value(value.integer());
    case Kind::kUint:
      return json::Value(value.unsigned_integer());
    case Kind::kDouble:
      if (!std::isfinite(value.real())) {
        return json::Value(internal::TextOf(value));
      }
      return json::Value(value.real());
    case Kind::kString:
      return json::Value(value.text());
    case Kind::kBytes:
      return json::Value(EncodeBase64(value.text()));
    case Kind::kList:
      return WriteList(value.list(), depth + 1);
    case Kind::kMap:
      return WriteMap(value.map(), depth + 1);
    case Kind::kDuration:
    case Kind::kTimestamp:
    case Kind::kType:
      return json::Value(internal::TextOf(value));
    case Kind::kOptional:
      return value.optional() == nullptr ? json::Value() : Write(*value.optional(), depth + 1);
    default:
      return UnsupportedError(fmt::format("a {} has no JSON form", value.type_name()));
  }
}

}  // namespace

Value FromJson(const json::Value& json) {
  switch (json.kind()) {
    case json::Kind::kBool:
      return Value::Bool(json.boolean());
    case json::Kind::kNumber:
      return Number(json.number());
    case json::Kind::kString:
      return Value::BorrowedString(json.string());
    case json::Kind::kArray:
      return Value::OfList(std::make_shared<JsonList>(json));
    case json::Kind::kObject:
      return Value::OfMap(std::make_shared<JsonMap>(json));
    default:
      return Value::Null();
  }
}

Result<json::Value> ToJson(const Value& value) { return Write(value, 0); }

}  // namespace hearth::cel

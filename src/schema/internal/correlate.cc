#include "schema/internal/correlate.h"

#include <algorithm>

#include "schema/internal/same.h"

namespace hearth::schema::internal {
namespace {

using json::Kind;
using json::Value;

const Schema* MemberSchema(const Schema& schema, std::string_view name) {
  const Schema* property = schema.Find(name);
  return property != nullptr ? property : schema.additional_properties.get();
}

bool UnchangedObject(const Schema& schema, const Value::Members& now, const Value::Members& old) {
  if (now.size() != old.size()) {
    return false;
  }
  const MemberIndex index(old);
  return std::all_of(now.begin(), now.end(), [&](const Value::Member& member) {
    const Value* before = index.Find(member.first);
    const Schema* known = before == nullptr ? nullptr : MemberSchema(schema, member.first);
    return known != nullptr && Unchanged(*known, member.second, *before);
  });
}

bool UnchangedList(const Schema& schema, const Value& now, const Value& old) {
  if (now.items().size() != old.items().size()) {
    return false;
  }
  if (schema.list_type != ListType::kMap || schema.items == nullptr) {
    return Same(now, old);
  }
  const OldItems items(schema, &old);
  return std::all_of(now.items().begin(), now.items().end(), [&](const Value& item) {
    const Value* before = items.Find(item);
    return before != nullptr && Unchanged(*schema.items, item, *before);
  });
}

}  // namespace

OldItems::OldItems(const Schema& list, const Value* old) : list_(list) {
  if (list.list_type != ListType::kMap || old == nullptr || !old->IsArray()) {
    return;
  }
  for (const Value& item : old->items()) {
    if (auto key = KeyOf(item)) {
      items_.emplace(std::move(*key), &item);
    }
  }
}

std::optional<std::string> OldItems::KeyOf(const Value& item) const {
  std::string key;
  for (const std::string& name : list_.list_map_keys) {
    const Value* value = item.Find(name);
    if (value == nullptr || value->IsNull() || value->IsArray() || value->IsObject()) {
      return std::nullopt;
    }
    const std::string part = SetKey(*value);
    key += std::to_string(part.size()) + ":" + part;
  }
  return key.empty() ? std::nullopt : std::optional(std::move(key));
}

const Value* OldItems::Find(const Value& item) const {
  if (items_.empty()) {
    return nullptr;
  }
  const auto key = KeyOf(item);
  const auto found = key ? items_.find(*key) : items_.end();
  return found == items_.end() ? nullptr : found->second;
}

bool Unchanged(const Schema& schema, const Value& now, const Value& old) {
  if (now.kind() != old.kind()) {
    return false;
  }
  switch (now.kind()) {
    case Kind::kObject:
      return UnchangedObject(schema, now.members(), old.members());
    case Kind::kArray:
      return UnchangedList(schema, now, old);
    default:
      return Same(now, old);
  }
}

}  // namespace hearth::schema::internal

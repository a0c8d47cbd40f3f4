#include "schema/internal/same.h"

#include <algorithm>

#include "schema/internal/go_json.h"
#include "schema/internal/number.h"

namespace hearth::schema::internal {
namespace {

using json::Kind;
using json::Value;

constexpr size_t kManyMembers = 16;

bool SameMembers(const Value::Members& a, const Value::Members& b) {
  if (a.size() != b.size()) {
    return false;
  }
  const MemberIndex index(b);
  return std::all_of(a.begin(), a.end(), [&](const Value::Member& member) {
    const Value* other = index.Find(member.first);
    return other != nullptr && Same(member.second, *other);
  });
}

}  // namespace

bool Same(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) {
    return false;
  }
  switch (a.kind()) {
    case Kind::kNumber:
      return a.number() == b.number() || ReadNumber(a.number()) == ReadNumber(b.number());
    case Kind::kArray:
      return std::equal(a.items().begin(), a.items().end(), b.items().begin(), b.items().end(),
                        Same);
    case Kind::kObject:
      return SameMembers(a.members(), b.members());
    default:
      return a == b;
  }
}

std::string SetKey(const Value& item) {
  std::string key;
  if (item.IsString()) {
    return key.append("s").append(item.string());
  }
  if (item.kind() == Kind::kNumber) {
    key.push_back(ReadNumber(item.number()).is_int ? 'i' : 'f');
  }
  AppendGoJson(key, item);
  return key;
}

MemberIndex::MemberIndex(const Value::Members& members) : members_(members) {
  if (members.size() > kManyMembers) {
    hashed_.reserve(members.size());
    for (const auto& [name, value] : members) {
      hashed_.emplace(name, &value);
    }
  }
}

const Value* MemberIndex::Find(std::string_view name) const {
  if (!hashed_.empty()) {
    const auto found = hashed_.find(name);
    return found == hashed_.end() ? nullptr : found->second;
  }
  for (const auto& [member, value] : members_) {
    if (member == name) {
      return &value;
    }
  }
  return nullptr;
}

}  // namespace hearth::schema::internal

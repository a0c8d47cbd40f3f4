#include "schema/internal/same.h"

#include <algorithm>
#include <vector>

#include "schema/internal/go_text.h"
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

void AppendText(std::string& key, const Value& value);

void AppendMembers(std::string& key, const Value::Members& members) {
  std::vector<const Value::Member*> sorted;
  for (const Value::Member& member : members) {
    sorted.push_back(&member);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const auto* a, const auto* b) { return a->first < b->first; });
  key += '{';
  for (const Value::Member* member : sorted) {
    key += Value(member->first).Write() + ":";
    AppendText(key, member->second);
    key += ',';
  }
  key += '}';
}

void AppendText(std::string& key, const Value& value) {
  switch (value.kind()) {
    case Kind::kObject:
      AppendMembers(key, value.members());
      break;
    case Kind::kArray:
      key += '[';
      for (const Value& item : value.items()) {
        AppendText(key, item);
        key += ',';
      }
      key += ']';
      break;
    case Kind::kNumber:
      key += GoText(ReadNumber(value.number()));
      break;
    default:
      key += value.Write();
      break;
  }
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
    key = ReadNumber(item.number()).is_int ? "i" : "f";
  }
  AppendText(key, item);
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

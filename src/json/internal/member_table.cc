#include "json/internal/member_table.h"

#include <utility>

#include "base/seeded_hash.h"

namespace hearth::json::internal {

MemberTable::MemberTable(Value& object)
    : members_(object.members()), erased_(object.members().size(), false) {
  positions_.reserve(members_.size());
  for (size_t i = 0; i < members_.size(); ++i) {
    const auto [place, added] = positions_.try_emplace(members_[i].first, i);
    if (!added) {
      erased_[std::exchange(place->second, i)] = true;
      any_erased_ = true;
    }
  }
}

MemberTable::~MemberTable() {
  if (!any_erased_) {
    return;
  }
  size_t kept = 0;
  for (size_t i = 0; i < members_.size(); ++i) {
    if (!erased_[i]) {
      if (kept != i) {
        members_[kept] = std::move(members_[i]);
      }
      ++kept;
    }
  }
  members_.resize(kept);
}

Value* MemberTable::Find(std::string_view name) {
  const auto place = positions_.find(name);
  return place == positions_.end() ? nullptr : &members_[place->second].second;
}

void MemberTable::Set(std::string_view name, Value value) {
  if (Value* found = Find(name)) {
    *found = std::move(value);
    return;
  }
  positions_.emplace(std::string(name), members_.size());
  members_.emplace_back(std::string(name), std::move(value));
  erased_.push_back(false);
}

void MemberTable::Erase(std::string_view name) {
  const auto place = positions_.find(name);
  if (place == positions_.end()) {
    return;
  }
  erased_[place->second] = true;
  any_erased_ = true;
  positions_.erase(place);
}

SeededMap<std::string_view, const Value*> IndexMembers(const Value& object) {
  SeededMap<std::string_view, const Value*> index;
  for (const auto& [name, value] : object.members()) {
    index[name] = &value;
  }
  return index;
}

}  // namespace hearth::json::internal

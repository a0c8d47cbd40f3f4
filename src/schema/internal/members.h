#pragma once

#include <utility>

#include "json/value.h"

namespace hearth::schema::internal {

// Asks each member once, in order, and drops those that are not to be kept. The question may change
// the member.
template <typename Keep>
void KeepMembers(json::Value::Members& members, const Keep& keep) {
  size_t kept = 0;
  for (auto& member : members) {
    if (keep(member)) {
      if (&members[kept] != &member) {
        members[kept] = std::move(member);
      }
      ++kept;
    }
  }
  members.resize(kept);
}

}  // namespace hearth::schema::internal

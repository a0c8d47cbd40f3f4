#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "api/grove/resource_sharing.h"

// Words for people.
namespace hearth::grove {

inline std::string_view ScopeName(api::grove::SharingScope scope) {
  return scope == api::grove::SharingScope::kAllReplicas ? "AllReplicas" : "PerReplica";
}

// "1 pod", "2 pods"
inline std::string Counted(int64_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

}  // namespace hearth::grove

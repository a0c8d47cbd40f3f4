#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/table/struct_table.h"

// ResourceClaims that pods share. The same entry stands at three levels, with what its level can
// filter by: in a set (cliques and scaling groups), in a scaling group (its cliques) and in a
// clique (nothing).
namespace hearth::api::grove {

enum class SharingScope { kAllReplicas, kPerReplica };
inline constexpr std::pair<std::string_view, SharingScope> kSharingScopes[] = {
    {"AllReplicas", SharingScope::kAllReplicas}, {"PerReplica", SharingScope::kPerReplica}};
constexpr const auto& EnumNames(SharingScope) { return kSharingScopes; }

// A template inside the set that entries refer to by name.
struct ResourceClaimTemplate {
  std::string name;
  json::Value template_spec = json::Value::Object();  // resource.k8s.io/v1
  static const StructTable& Fields();
};

// Of a clique, and what the other levels have in common.
struct ResourceSharing {
  std::string name;        // of the template
  std::string name_space;  // of an external template; empty: inside the set or beside it
  SharingScope scope = SharingScope::kAllReplicas;
  static const StructTable& Fields();
};

struct GroupResourceSharing : ResourceSharing {
  struct Filter {
    std::vector<std::string> child_clique_names;
    static const StructTable& Fields();
  };
  std::optional<Filter> filter;  // absent: every clique of the group
  static const StructTable& Fields();
};

struct SetResourceSharing : ResourceSharing {
  struct Filter {
    std::vector<std::string> child_clique_names;
    std::vector<std::string> child_scaling_group_names;
    static const StructTable& Fields();
  };
  std::optional<Filter> filter;  // absent: every pod of the set
  static const StructTable& Fields();
};

// How many claims an object of Grove should have and has, in its status. Ours; for kubectl get.
struct ResourceClaimCounts {
  int32_t total = 0;
  int32_t bound = 0;
  std::string summary;  // "bound/total"
  static const StructTable& Fields();
};

}  // namespace hearth::api::grove

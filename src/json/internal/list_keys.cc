#include "json/internal/list_keys.h"

#include <algorithm>
#include <array>

namespace hearth::json::internal {
namespace {

// What the patchMergeKey tags of the core types say. Names that mean one thing only need no parent.
constexpr std::array kListKeys = {
    ListKey{"metadata", "finalizers", ""},
    ListKey{"", "ownerReferences", "uid"},
    ListKey{"", "containers", "name"},
    ListKey{"", "initContainers", "name"},
    ListKey{"", "ephemeralContainers", "name"},
    ListKey{"", "env", "name"},
    ListKey{"", "volumes", "name", true},
    ListKey{"", "volumeMounts", "mountPath"},
    ListKey{"", "volumeDevices", "devicePath"},
    ListKey{"containers", "ports", "containerPort"},
    ListKey{"initContainers", "ports", "containerPort"},
    ListKey{"ephemeralContainers", "ports", "containerPort"},
    ListKey{"spec", "ports", "port"},
    ListKey{"spec", "imagePullSecrets", "name"},
    ListKey{"podSpec", "imagePullSecrets", "name"},
    ListKey{"", "hostAliases", "ip"},
    ListKey{"", "topologySpreadConstraints", "topologyKey"},
    ListKey{"", "schedulingGates", "name"},
    ListKey{"", "resourceClaims", "name", true},
    ListKey{"", "resourceClaimStatuses", "name", true},
    ListKey{"", "allocatedResourcesStatus", "name"},
    ListKey{"", "conditions", "type"},
    ListKey{"status", "addresses", "type"},
    ListKey{"status", "podIPs", "ip"},
    ListKey{"status", "hostIPs", "ip"},
    ListKey{"status", "reservedFor", "uid"},
};

}  // namespace

std::span<const ListKey> AllListKeys() { return kListKeys; }

const ListKey* FindListKey(const std::vector<std::string_view>& path) {
  if (path.empty()) {
    return nullptr;
  }
  const std::string_view name = path.back();
  const std::string_view parent = path.size() > 1 ? path[path.size() - 2] : std::string_view();
  const auto* found = std::find_if(kListKeys.begin(), kListKeys.end(), [&](const ListKey& row) {
    return row.name == name && (row.parent.empty() || row.parent == parent);
  });
  return found == kListKeys.end() ? nullptr : found;
}

}  // namespace hearth::json::internal

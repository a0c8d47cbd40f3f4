#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace hearth::json::internal {

// How Kubernetes tells the elements of one of its lists apart.
struct ListKey {
  std::string_view parent;   // the member above the list; empty: whatever stands there
  std::string_view name;     // the list
  std::string_view key;      // the member of each element; empty: plain values, each stands once
  bool retain_keys = false;  // an element is a union, its patches carry $retainKeys
};

// Every row. Lives for ever.
std::span<const ListKey> AllListKeys();

// The row for the list at `path` (member names from the root, elements add nothing), or null when
// the list is one whole. Looks at the end of the path only, so a pod template is understood
// wherever it stands.
const ListKey* FindListKey(const std::vector<std::string_view>& path);

}  // namespace hearth::json::internal

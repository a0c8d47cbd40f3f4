#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/catalog/catalog.h"
#include "cli/manifest/report.h"
#include "json/value.h"
#include "json/yaml_positions.h"

namespace hearth::manifest {

// Room for what `kubectl get -o yaml` prints of a whole cluster.
inline constexpr json::YamlLimits kLimits = {.max_bytes = size_t{64} << 20,
                                             .max_depth = 128,
                                             .max_nodes = 10'000'000,
                                             .max_documents = 100'000};

// The objects of one file, lists (kind: List, PodSnapshotList, ...) unfolded, those in front of a
// fault of the text kept. An item takes its kind from the list when it has none. Findings are about
// the text.
struct Manifest {
  std::vector<json::YamlDocument> objects;
  std::vector<Finding> findings;
};
Manifest Read(std::string_view text);

// apiVersion, kind, namespace and name as far as they are there and strings.
ObjectReport Identify(const json::YamlDocument& object);

// The namespace an object of a kind ends up in: `name_space`, which it names, or `otherwise` when
// that is empty. Empty for a kind that has none: a server drops what such an object names.
std::string LandsIn(const api::CheckedKind& kind, const std::string& name_space,
                    const std::string& otherwise);

// The part of apiVersion in front of the slash.
std::string_view GroupOf(std::string_view api_version);

}  // namespace hearth::manifest

#pragma once

#include <string>
#include <string_view>

namespace hearth::snapshot {

// Names of the Leases that keep two agents from making one artifact. Pure; for ids and versions
// that were checked.

// In the namespace of the PodSnapshot: "checkpoint-lease-<id>", as other agents call it, where that
// is the name of an object; an id with '_' or capitals is none and becomes a hash.
std::string CaptureLeaseName(std::string_view checkpoint_id);
// In the namespace of the agents: the folder of an artifact is the same for all namespaces.
std::string ArtifactLeaseName(std::string_view checkpoint_id, std::string_view version);

}  // namespace hearth::snapshot

#pragma once

#include <vector>

#include "schema/crd.h"

namespace hearth::api::snapshot {

// PodSnapshot and PodSnapshotContent.
std::vector<schema::ResourceDefinition> Definitions();
schema::ResourceDefinition PodSnapshotDefinition();
schema::ResourceDefinition PodSnapshotContentDefinition();

}  // namespace hearth::api::snapshot

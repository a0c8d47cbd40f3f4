#pragma once

#include <string_view>

#include "json/strategic_merge.h"

namespace hearth::api::core {

// How the lists of one of Kubernetes' own types merge ("apps.v1.Deployment"), found by the type of
// each field on the way and not by its name alone. Lives for ever. CHECKs the name. Thread-safe.
const json::MergeSchema& MergeSchemaOf(std::string_view type);

}  // namespace hearth::api::core

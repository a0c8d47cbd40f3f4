#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "json/yaml_positions.h"
#include "schema/schema.h"

namespace hearth::manifest::internal {

// The schema's nodes from the root down to a place of an object, as far as the schema knows it.
// Metadata, which a schema says nothing about, is looked up as Kubernetes has it.
struct SchemaPlace {
  std::vector<schema::SchemaPtr> nodes;  // the root first; never empty
  bool complete = true;                  // the last one is the place itself, not one above it
};

// `path` as ResolvePath read it for `object`. A rest is followed by names as well: what is missing
// in the object has a description all the same.
SchemaPlace SchemaAt(const schema::SchemaPtr& root, const json::Value& object,
                     const json::ResolvedPath& path);

}  // namespace hearth::manifest::internal

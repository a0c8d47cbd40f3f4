#pragma once

#include <functional>
#include <string_view>

#include "api/table/node.h"

namespace hearth::api::dynamo::internal {

// The schema with one place changed. `path` names properties from the root, "spec.containers.[]"
// the items of a list there. What lies beside the path stays shared. CHECKs that the place is
// there.
Node EditedAt(const Node& node, std::string_view path,
              const std::function<void(schema::Schema&)>& change);

}  // namespace hearth::api::dynamo::internal

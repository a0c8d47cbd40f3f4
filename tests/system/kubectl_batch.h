#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "kube/testing/control_plane.h"

namespace hearth {

// Gives all objects to one run of kubectl (`command`: "create" or "replace", and options). Every
// run reads the server's discovery and schemas anew, which takes longer than all its objects.
// Returns what kubectl says of each object, in their order; empty for one that was taken.
// kInternal: it cannot be told what became of each.
Result<std::vector<std::string>> AskKubectl(kube::TestControlPlane& plane,
                                            std::vector<std::string> command,
                                            const std::vector<json::Value>& objects);

}  // namespace hearth

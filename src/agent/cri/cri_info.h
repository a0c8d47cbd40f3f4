#pragma once

#include <string>
#include <string_view>

#include "agent/container/oci_spec.h"
#include "base/result.h"

namespace hearth::agent {

// What containerd and CRI-O add to a container's status when they are asked to be verbose: JSON
// under the key "info". The interface does not define it; of its members both have these.
struct CriInfo {
  int pid = 0;
  OciSpec spec;
  // containerd's only.
  std::string snapshotter;
  std::string snapshot_key;
};
// kInvalid: it is no such text, has no process or no configuration.
Result<CriInfo> ParseCriInfo(std::string_view json);

// The digest in an image reference, "name@sha256:..." or "sha256:..."; empty when it has none.
std::string DigestOf(std::string_view image_reference);

}  // namespace hearth::agent

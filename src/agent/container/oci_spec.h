#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/container/container.h"
#include "base/result.h"
#include "json/view.h"

namespace hearth::agent {

// What of a container's OCI configuration (config.json) a capture needs to know.
struct OciSpec {
  ManagedPaths managed;
  std::vector<std::string> bind_destinations;
  std::string root;                       // as it is written: relative to the bundle, or absolute
  std::string visible_devices;            // NVIDIA_VISIBLE_DEVICES of its first process
  std::vector<std::string> capabilities;  // its bounding set
};
// kInvalid names the member that is not as the format has it.
Result<OciSpec> ParseOciSpec(std::string_view json);
Result<OciSpec> ReadOciSpec(json::View top);

// What `runc state` and `crun state` print.
struct OciState {
  std::string id;
  std::string status;  // creating, created, running, stopped, paused
  int pid = 0;
  std::string bundle;
};
Result<OciState> ParseOciState(std::string_view json);

}  // namespace hearth::agent

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "agent/container/oci_runtime.h"
#include "base/options.h"

namespace hearth::snapshot::ctl {

// Who knows the containers of this machine: containerd or CRI-O behind a socket, or else an OCI
// runtime itself.
struct RuntimeOptions {
  std::string cri_socket;
  agent::OciRuntimeOptions oci;

  // `prefix`: in front of each help text.
  void AddTo(OptionTable& table, const std::string& prefix);
  Result<std::unique_ptr<agent::ContainerRuntime>> Make(FileSystem& files) const;
};

}  // namespace hearth::snapshot::ctl

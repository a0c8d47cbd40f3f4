#include "snapshot/ctl/internal/runtime_options.h"

#include "agent/cri/cri_runtime.h"
#include "base/clock.h"

namespace hearth::snapshot::ctl {

void RuntimeOptions::AddTo(OptionTable& table, const std::string& prefix) {
  table.Add({.name = "runtime",
             .help = prefix + "OCI runtime that knows the container, runc or crun",
             .target = &oci.program});
  table.Add({.name = "runtime-root",
             .help = prefix + "Where the OCI runtime keeps its state",
             .target = &oci.root,
             .value_name = "file"});
  table.Add({.name = "cri-socket",
             .help = prefix + "Ask containerd or CRI-O at this socket instead",
             .target = &cri_socket,
             .value_name = "file"});
}

Result<std::unique_ptr<agent::ContainerRuntime>> RuntimeOptions::Make(FileSystem& files) const {
  if (!cri_socket.empty()) {
    return agent::MakeCriRuntime({.socket = cri_socket}, RealClock());
  }
  return agent::MakeOciRuntime(oci, RealProcessRunner(), files);
}

}  // namespace hearth::snapshot::ctl

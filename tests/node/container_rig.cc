#include "container_rig.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "base/process_runner.h"

namespace hearth::node {

namespace fs = std::filesystem;

ContainerRig::ContainerRig() {
  for (const char* const folder :
       {"bin", "proc", "sys", "dev", "tmp", "etc", "run", "var", "snapshot-control"}) {
    fs::create_directories(root_files() + "/" + folder);
  }
  fs::copy_file(WORKLOAD_PROGRAM, root_files() + "/bin/workload");
  std::ofstream(root_files() + "/etc/base-file") << "original\n";
  std::ofstream(root_files() + "/etc/delete-me") << "there\n";
}

Result<ContainerRig::Started> ContainerRig::StartWorkload(const std::string& name, int mebibytes,
                                                          int threads) {
  return Start(name, {"/bin/workload", "/snapshot-control/api.sock", std::to_string(mebibytes),
                      std::to_string(threads)});
}

Status ContainerRig::Run(std::vector<std::string> argv) const {
  return OutputOf(std::move(argv)).status();
}

Result<std::string> ContainerRig::OutputOf(std::vector<std::string> argv) const {
  ProcessSpec spec;
  spec.argv = std::move(argv);
  ASSIGN_OR_RETURN(
      ProcessOutcome done,
      RealProcessRunner().Run(spec, WaitLimit::For(RealClock(), std::chrono::minutes(1))));
  if (!done.ok()) {
    return InternalError(fmt::format("{}: {}", spec.argv[0], done.errors));
  }
  return std::move(done.output);
}

}  // namespace hearth::node

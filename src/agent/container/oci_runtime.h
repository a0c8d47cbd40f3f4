#pragma once

#include <memory>
#include <string>

#include "agent/container/container.h"
#include "base/file_system.h"
#include "base/process_runner.h"

namespace hearth::agent {

struct OciRuntimeOptions {
  std::string program = "runc";  // or crun
  std::string root;              // where it keeps its state; its own choice when empty
};

// Asks runc or crun. For one machine and for tests; images are not known to it.
std::unique_ptr<ContainerRuntime> MakeOciRuntime(OciRuntimeOptions options, ProcessRunner& runner,
                                                 FileSystem& files);

}  // namespace hearth::agent

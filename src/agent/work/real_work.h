#pragma once

#include <memory>
#include <string>

#include "agent/capture/capture.h"
#include "agent/container/container.h"
#include "agent/node/node_work.h"
#include "agent/restore/restore.h"
#include "agent/work/recovery.h"
#include "base/file_system.h"

namespace hearth::agent {

struct RealWorkOptions {
  std::string node;
  std::string host_proc = "/proc";
  std::string cgroups = "/sys/fs/cgroup";
  std::string journal_directory = "/run/hearth/journal";
  std::string bundle;     // the directory of CRIU that is shown in containers
  std::string nsrestore;  // the program
  std::string storage_directory;
  criu::Settings criu;
  std::vector<std::string> exclusions;
  bool compress = false;          // the memory of what is captured
  bool other_namespaces = false;  // restore what was captured in another namespace
  bool other_images = false;      // and into another image than it was captured from
  CutOffCaptures cut_off;         // of agents before this one
};

// What must outlive the work, or be what `kept` keeps.
struct RealWorkParts {
  ContainerRuntime& runtime;
  FileSystem& files;
  Clock& clock;
  cuda::Sequence* cuda = nullptr;  // with the next: both or none
  cuda::GpuDiscovery* gpus = nullptr;
  std::shared_ptr<void> kept = nullptr;
};

// The work of a node's agent, done for real.
Result<std::unique_ptr<node::NodeWork>> MakeRealWork(const RealWorkOptions& options,
                                                     const RealWorkParts& parts);

}  // namespace hearth::agent

#pragma once

#include <iosfwd>
#include <string>

#include "agent/capture/capture.h"
#include "agent/restore/restore.h"
#include "base/file_system.h"
#include "base/result.h"
#include "base/wait_limit.h"
#include "snapshot/protocol/checkpoint_id.h"

// A process and its descendants that are in no container: captured and restored in the namespaces
// of this machine, under the same pids and with the files that are there.
namespace hearth::snapshot::ctl {

struct ProcessServices {
  FileSystem& files;
  agent::criu::Program criu;
  StorageLayout storage;
};

// Durable and published when it returns well; the process runs on. kAlreadyExists: there is one of
// the id. kInternal has CRIU's cause and what to do.
Result<agent::Captured> CaptureProcess(const ProcessServices& services, int pid,
                                       const std::string& checkpoint_id,
                                       const std::string& name_space, const WaitLimit& limit);

// Every byte is verified first, which a bar on `progress` shows unless it is null. kUnsupported:
// the artifact is of a container. The pid must be free.
Result<agent::RestoredContainer> RestoreProcess(const ProcessServices& services,
                                                const std::string& checkpoint_id,
                                                const std::string& name_space,
                                                std::ostream* progress, const WaitLimit& limit);

}  // namespace hearth::snapshot::ctl

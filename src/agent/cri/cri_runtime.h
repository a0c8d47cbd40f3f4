#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/container/container.h"
#include "base/clock.h"
#include "base/file_system.h"

namespace hearth::agent {

struct CriOptions {
  std::string socket;
  Duration call_timeout = std::chrono::seconds(10);
  Duration connect_timeout = std::chrono::seconds(2);
};

// Asks containerd or CRI-O over the Container Runtime Interface. Connects when first asked; a
// runtime that is not there or restarts is kUnavailable until it is back. Events come from
// containerd's own stream, which all its versions have, and from GetContainerEvents elsewhere.
// `clock` outlives it. kInvalid: the socket is not an absolute path.
Result<std::unique_ptr<ContainerRuntime>> MakeCriRuntime(CriOptions options, Clock& clock);

// The first of the usual places where a socket is. kNotFound names them.
Result<std::string> FindCriSocket(FileSystem& files, const std::string& root = "");

}  // namespace hearth::agent

#pragma once

#include <string>

#include "base/file_system.h"

namespace hearth::engine {

// Waits in a container for a captured engine to be restored into it, and is that container's first
// process from then on: leaves behind who the container is (restore_context.h), passes SIGTERM and
// SIGINT on, buries who dies, and ends with the restored engine, so that whoever runs the container
// sees that it died. Returns the exit code: the engine's, 128 and the signal's number when one
// killed it, 0 when told to stop before there was one, 1 when the directory cannot be used. To be
// called before there are threads.
int StandBy(FileSystem& files, const std::string& control_directory);

}  // namespace hearth::engine

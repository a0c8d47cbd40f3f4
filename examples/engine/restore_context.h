#pragma once

#include <string>

#include "base/file_system.h"
#include "base/result.h"

// Who an engine is after it was restored. Its process comes back with the environment of the
// container that was captured; what is the other container's own (name, ports, number) is
// put into the control directory by the process that waits there, before the restore.
namespace hearth::engine {

// Writes down the variables of this process that belong to its container, those that are not set
// as well.
Status WriteRestoreContext(FileSystem& files, const std::string& directory);

// Sets and unsets the variables of this process as the file says. Names that are not among those
// are passed over. kNotFound: nobody wrote one. Call it while no other thread reads the
// environment.
Status ApplyRestoreContext(FileSystem& files, const std::string& directory);

}  // namespace hearth::engine

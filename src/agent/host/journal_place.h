#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace hearth::agent {

// Whether what is written to a directory is found by whoever comes after us, when we run in a
// container: journals tell of work that must be undone when we are gone. `mount_info` is our own
// /proc/self/mountinfo, `directory` absolute and without links. Ok on a machine itself.
// kInvalid says what it goes with, and what to mount instead. Pure.
Status CheckOutlivesContainer(std::string_view mount_info, const std::string& directory);

// The same for this process. Makes the directory when it is not there.
Status CheckJournalPlace(const std::string& directory);

}  // namespace hearth::agent

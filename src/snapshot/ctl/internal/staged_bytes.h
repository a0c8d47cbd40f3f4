#pragma once

#include <cstdint>
#include <string>

namespace hearth::snapshot::ctl {

// What the files below a folder take on disk by now. Not how long they are: memory is written into
// holes of files that are longer than all of it.
uint64_t StagedBytes(const std::string& folder);

}  // namespace hearth::snapshot::ctl

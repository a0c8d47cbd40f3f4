#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"

namespace hearth::agent::files {

struct DirectoryName {
  std::string text;
  unsigned char type = 0;  // DT_*; file systems may not know
  ino_t inode = 0;
};

// All in an open directory but itself and the one above, in the order in which disks are likely to
// have them.
Result<std::vector<DirectoryName>> NamesIn(int directory);

}  // namespace hearth::agent::files

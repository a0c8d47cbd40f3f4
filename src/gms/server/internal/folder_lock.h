#pragma once

#include <map>
#include <string>

#include "base/unique_fd.h"

namespace hearth::gms::server {

// Keeps other servers from changing folders as long as it lives: of servers that start at the same
// moment one would take what another has half done for a dead one's. Somebody who keeps the lock
// must not keep us from starting, so it is not waited for long, and only once for each folder.
class FolderLocks {
 public:
  // The folder that `path` is in.
  void Hold(const std::string& path);

 private:
  std::map<std::string, UniqueFd> folders_;
};

}  // namespace hearth::gms::server

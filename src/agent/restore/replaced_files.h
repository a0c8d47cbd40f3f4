#pragma once

#include <string>
#include <string_view>

#include "agent/restore/namespaces.h"
#include "base/result.h"

namespace hearth::agent {

// Other contents for files of a directory that is shown read-only: whoever opens them finds ours,
// the files themselves stay as they are. Ends with the mount of that directory; the scratch space
// for it ends with this object. Moves.
class ReplacedFiles {
 public:
  // `directory` is one that ShownDirectory shows, `scratch` a place for another one.
  static Result<ReplacedFiles> Begin(const std::string& directory, const std::string& scratch);

  // At most once for each name, which is of a file of the directory.
  Status Replace(const std::string& name, std::string_view bytes);

 private:
  ReplacedFiles(std::string directory, ShownDirectory scratch)
      : directory_(std::move(directory)), scratch_(std::move(scratch)) {}
  std::string directory_;
  ShownDirectory scratch_;
};

}  // namespace hearth::agent

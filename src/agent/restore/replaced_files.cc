#include "agent/restore/replaced_files.h"

#include <sys/mount.h>

#include <cerrno>
#include <utility>

#include "base/file_system.h"

namespace hearth::agent {

Result<ReplacedFiles> ReplacedFiles::Begin(const std::string& directory,
                                           const std::string& scratch) {
  ASSIGN_OR_RETURN(const UniqueFd tree, MakeScratch());
  ASSIGN_OR_RETURN(ShownDirectory shown, ShownDirectory::Show(tree, scratch));
  return ReplacedFiles(directory, std::move(shown));
}

Status ReplacedFiles::Replace(const std::string& name, std::string_view bytes) {
  const std::string ours = scratch_.place() + "/" + name;
  const std::string theirs = directory_ + "/" + name;
  RETURN_IF_ERROR(RealFileSystem().Write(ours, bytes, 0600));
  return ::mount(ours.c_str(), theirs.c_str(), nullptr, MS_BIND, nullptr) == 0
             ? Status::Ok()
             : Status::FromErrno(errno, "show another " + name);
}

}  // namespace hearth::agent

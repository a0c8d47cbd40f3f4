#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agent/files/file_entry.h"
#include "agent/files/internal/directory_names.h"
#include "agent/files/internal/tar_output.h"
#include "agent/files/left_out.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "base/wait_limit.h"

namespace hearth::agent::files {

// One walk through an upper directory, every directory before what is in it, into an archive. What
// cannot be an entry of one, deletions and opaque directories, is kept aside.
class UpperSaver {
 public:
  UpperSaver(int upper, const LeftOut& left_out, TarOutput& output, const WaitLimit& limit)
      : upper_(upper), left_out_(left_out), output_(output), limit_(limit) {}

  // Errors name the file.
  Status SaveAll();

  uint64_t files() const { return files_; }
  uint64_t bytes() const { return bytes_; }
  uint64_t sockets() const { return sockets_; }
  const std::vector<std::string>& deleted() const { return deleted_; }
  const std::vector<std::string>& opaque() const { return opaque_; }

 private:
  Status SaveDirectory(const std::string& path);
  Status SaveDirectoryItself(int directory, const std::string& path);
  Status SaveName(int directory, const DirectoryName& name, const std::string& path);
  Status SaveRegular(int directory, const std::string& name, const std::string& path);
  Status SaveBytes(int fd, const struct stat& stat, FileEntry& entry);
  Status SaveOther(int directory, const std::string& name, const std::string& path);
  // True when another name of the same file has been saved, and this one as a link to it.
  Result<bool> SavedAsLink(const struct stat& stat, const std::string& path);
  Status Write(const FileEntry& entry);

  const int upper_;
  const LeftOut& left_out_;
  TarOutput& output_;
  const WaitLimit& limit_;

  std::vector<std::string> directories_;  // to be walked
  std::map<std::pair<dev_t, ino_t>, std::string> linked_;
  std::vector<std::string> deleted_;
  std::vector<std::string> opaque_;
  uint64_t files_ = 0;
  uint64_t bytes_ = 0;
  uint64_t sockets_ = 0;
  std::string header_;  // kept for its memory
};

}  // namespace hearth::agent::files

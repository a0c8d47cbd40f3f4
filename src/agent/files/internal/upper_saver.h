#pragma once

#include <sys/stat.h>

#include <string>
#include <vector>

#include "agent/files/file_entry.h"
#include "agent/files/internal/archive_builder.h"
#include "agent/files/internal/directory_names.h"
#include "agent/files/internal/directory_queue.h"
#include "agent/files/left_out.h"
#include "base/result.h"
#include "base/wait_limit.h"

namespace hearth::agent::files {

// One walk through an upper directory into an archive, every directory before what is in it. When
// there is more than a little to do, several threads walk. Returns when all of them have ended;
// errors name the file.
Status SaveUpper(int upper, const LeftOut& left_out, ArchiveBuilder& archive,
                 const WaitLimit& limit);

// One of those who walk. For one thread.
class UpperSaver {
 public:
  UpperSaver(int upper, const LeftOut& left_out, ArchiveBuilder& archive, DirectoryQueue& queue,
             const WaitLimit& limit)
      : upper_(upper), left_out_(left_out), archive_(archive), queue_(queue), limit_(limit) {}

  // Takes one piece from the queue. False when there was none.
  bool WalkOne();

 private:
  Status Walk(const DirectoryQueue::Piece& piece);
  Status SaveNames(int directory, const std::string& path, const std::vector<DirectoryName>& names);
  Status SaveDirectoryItself(int directory, const std::string& path);
  Status SaveName(int directory, const DirectoryName& name, const std::string& path);
  Status SaveRegular(int directory, const std::string& name, const std::string& path);
  Status SaveBytes(int fd, const struct stat& stat, FileEntry& entry);
  Status SaveSmall(int fd, const struct stat& stat, const FileEntry& entry);
  Status SaveOther(int directory, const std::string& name, const std::string& path);
  Status Add(const struct stat& stat, const FileEntry& entry);

  const int upper_;
  const LeftOut& left_out_;
  ArchiveBuilder& archive_;
  DirectoryQueue& queue_;
  const WaitLimit& limit_;
  std::string record_;  // kept for its memory
};

}  // namespace hearth::agent::files

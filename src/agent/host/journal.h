#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "base/result.h"
#include "disk/owner_lock.h"

namespace hearth::agent {

// What somebody was doing with a container, so that it can be undone when he is gone.
struct JournalEntry {
  enum class Work { kCapture, kRestore };
  Work work = Work::kCapture;
  std::string container_id;
  std::string checkpoint_id;
  int pid = 0;          // of the container's first process
  std::string freezer;  // of a capture; empty: none
  // Of a capture: what it was to become.
  std::string artifact_version = "1";
  std::string content_uid;  // empty: nobody's
};

// A file for each job under way, on this node and gone with its boot (processes are, too). Held by
// a lock while its writer lives. Not thread-safe.
class Journal {
 public:
  // Durable before the job begins.
  static Result<std::unique_ptr<Journal>> Begin(FileSystem& files, const std::string& directory,
                                                const JournalEntry& entry);
  ~Journal();  // the job is over, well or not
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // For programs that do the job for us: as long as one of them lives, the job is under way.
  int lock_fd() const { return owner_->fd(); }

 private:
  Journal(FileSystem& files, std::string path) : files_(files), path_(std::move(path)) {}

  FileSystem& files_;
  std::string path_;
  std::optional<disk::OwnerLock> owner_;
};

// Jobs whose owner died. Their containers are let run again and `end` does what else is to be done;
// then their journals are removed. One that could not be ended keeps its journal, for the next to
// come, and keeps none of the others. What cannot be read is removed and told by `unreadable`.
struct Unfinished {
  std::vector<JournalEntry> entries;
  std::vector<std::string> unreadable;
  std::vector<Status> failures;
};
using EndJob = std::function<Status(const JournalEntry& entry)>;
Result<Unfinished> RecoverUnfinished(FileSystem& files, const std::string& directory,
                                     const EndJob& end = {});

// Whether a job on this container is under way: of somebody who lives, or of programs that somebody
// killed has left and that will end.
Result<bool> IsUnderWay(FileSystem& files, const std::string& directory,
                        const std::string& container_id);

}  // namespace hearth::agent

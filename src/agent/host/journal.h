#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/host/marked_processes.h"
#include "base/file_system.h"
#include "base/result.h"
#include "base/wait_limit.h"
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
  // Of a capture: the inode of the pod's network namespace, which CRIU closes; 0: not known.
  uint64_t network_namespace = 0;
  // Of a capture: what it was to become.
  std::string artifact_version = "1";
  std::string content_uid;  // empty: nobody's
};

// A file for each job under way, on this node and gone with its boot (processes are, too). Held by
// a lock while its writer lives. Programs that do the job for him are known by a mark, not by what
// they inherit: CRIU closes that where it starts others, and where it is killed leaves children
// that keep it for ever. Not thread-safe.
class Journal {
 public:
  // There before the job begins, for whoever comes when this process was killed.
  static Result<std::unique_ptr<Journal>> Begin(FileSystem& files, const std::string& directory,
                                                const JournalEntry& entry);
  ~Journal();  // the job is over, well or not
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // For programs that do the job for us: whoever comes after us ends them before anything else.
  ProcessMark mark() const;

  // The job is over, but programs of it could not be ended: the journal stays when this object
  // goes, for whoever comes next.
  void Leave() { stays_ = true; }

 private:
  Journal(FileSystem& files, std::string path) : files_(files), path_(std::move(path)) {}

  FileSystem& files_;
  std::string path_;
  std::optional<disk::OwnerLock> owner_;
  bool stays_ = false;
};

// Jobs whose owner died. Programs with the job's mark are ended: they may yet do what is to be
// undone. Then the containers are let run again and `end` does what else is to be done; then their
// journals are removed. One that could not be ended, or whose programs outlast `patience`, keeps
// its journal, for the next to come, and keeps none of the others. What cannot be read is removed
// and told by `unreadable`.
struct Unfinished {
  std::vector<JournalEntry> entries;
  std::vector<std::string> unreadable;
  std::vector<Status> failures;
};
using EndJob = std::function<Status(const JournalEntry& entry)>;
Result<Unfinished> RecoverUnfinished(FileSystem& files, const std::string& directory,
                                     const EndJob& end = {},
                                     Duration patience = std::chrono::seconds(10));

// Whether somebody who lives has a job on this container under way.
Result<bool> IsUnderWay(FileSystem& files, const std::string& directory,
                        const std::string& container_id);

// Ends the programs of jobs on this container whose owner died. Ok when none is left: whether there
// was any such job. A limit of the machine's clock.
Result<bool> EndLeftPrograms(FileSystem& files, const std::string& directory,
                             const std::string& container_id, const WaitLimit& limit);

}  // namespace hearth::agent

#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/files/file_entry.h"
#include "agent/files/internal/tar_output.h"
#include "base/guarded.h"
#include "base/result.h"
#include "base/wait_limit.h"

namespace hearth::agent::files {

// An archive that several threads put files into, one at a time, and what of a layer cannot be in
// an archive beside it. Thread-safe.
class ArchiveBuilder {
 public:
  explicit ArchiveBuilder(TarOutput& output) : state_(output) {}

  struct Contents {
    uint64_t files = 0;  // without directories
    uint64_t bytes = 0;
    uint64_t sockets = 0;
    std::vector<std::string> deleted;
    std::vector<std::string> opaque;
  };

  // Whether another name of the same file is in the archive.
  bool Knows(const struct stat& stat) const;
  // `record` is what AppendTarHeader made of the entry and what follows it. When another name of
  // the same file is known, this one becomes a link to it.
  Status Add(const struct stat& stat, const FileEntry& entry, std::string_view record);
  // The same with the bytes of an open file, which take a while.
  Status AddLarge(const struct stat& stat, const FileEntry& entry, int fd, const WaitLimit& limit);
  void AddDeleted(const std::string& path) { state_.Lock()->contents.deleted.push_back(path); }
  void AddOpaque(const std::string& path) { state_.Lock()->contents.opaque.push_back(path); }
  void AddSocket() { ++state_.Lock()->contents.sockets; }

  // Ends the archive.
  Result<Contents> Finish();

 private:
  using Inode = std::pair<dev_t, ino_t>;
  struct State {
    explicit State(TarOutput& archive) : output(archive) {}
    TarOutput& output;
    std::map<Inode, std::string> first_names;  // of files that have several
    Contents contents;
  };
  static Result<bool> AddedAsLink(State& state, const struct stat& stat, const FileEntry& entry);

  Guarded<State> state_;
};

}  // namespace hearth::agent::files

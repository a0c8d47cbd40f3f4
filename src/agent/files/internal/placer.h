#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/files/file_entry.h"
#include "agent/files/internal/archive_reader.h"
#include "agent/files/internal/beneath.h"
#include "agent/files/internal/remover.h"
#include "agent/files/left_out.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "base/wait_limit.h"

namespace hearth::agent::files {

// Puts the entries of an archive below a root. What is there and equal is left alone, a directory
// takes over what is said about it, and anything else is made beside its place under a name of its
// own and renamed, so that at any moment there is the old one or the new one. Who is killed in
// between and begins again ends with the same files. For one thread.
class Placer {
 public:
  Placer(int root, const LeftOut& left_out, ArchiveReader& reader, const WaitLimit& limit)
      : root_(root),
        left_out_(left_out),
        reader_(reader),
        limit_(limit),
        remover_(root, left_out) {}

  // The entry that the reader gave last. Errors name the path.
  Status Place(FileEntry entry);
  // Times of directories, which change as long as something is put into them.
  Status Finish();

  uint64_t placed() const { return placed_; }
  uint64_t unchanged() const { return unchanged_; }
  uint64_t left_alone() const { return left_alone_; }  // mounted over, or left out
  uint64_t removed() const { return remover_.removed(); }

 private:
  struct Spot {
    int parent;
    std::string name;
    std::string fresh;  // what it is called until it is complete
    std::optional<NamedFile> present;
  };

  Status PlaceChecked(const FileEntry& entry, bool opaque);
  Status PlaceAt(const Spot& spot, const FileEntry& entry, bool opaque);
  Status PlaceDirectory(const Spot& spot, const FileEntry& entry, bool opaque);
  Status DressDirectory(int fd, const FileEntry& entry);
  Status PlaceRegular(const Spot& spot, const FileEntry& entry);
  Status PlaceHardLink(const Spot& spot, const FileEntry& entry);
  Status PlaceSpecial(const Spot& spot, const FileEntry& entry);
  Status MakeSpecial(const Spot& spot, const FileEntry& entry) const;
  Status Replace(const Spot& spot, const FileEntry& entry);
  Status MakeRoom(const Spot& spot, const FileEntry& entry);
  // The directory of that path, kept open for the next entry; nothing below a mount.
  Result<std::optional<int>> ParentOf(const std::string& path);

  const int root_;
  const LeftOut& left_out_;
  ArchiveReader& reader_;
  const WaitLimit& limit_;
  Remover remover_;

  struct DirectoryTimes {
    std::string path;
    timespec accessed;
    timespec modified;
  };
  std::vector<DirectoryTimes> directories_;
  std::string parent_path_;
  UniqueFd parent_;
  uint64_t placed_ = 0;
  uint64_t unchanged_ = 0;
  uint64_t left_alone_ = 0;
};

}  // namespace hearth::agent::files

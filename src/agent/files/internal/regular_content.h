#pragma once

#include <vector>

#include "agent/files/file_entry.h"
#include "agent/files/internal/archive_reader.h"
#include "base/result.h"
#include "base/wait_limit.h"

namespace hearth::agent::files {

// The bytes of one regular file of an archive, which come once and front to back: compared with a
// file that may be the same, written into a new one. For one thread.
class RegularContent {
 public:
  RegularContent(ArchiveReader& reader, const FileEntry& entry, const WaitLimit& limit)
      : reader_(reader), entry_(entry), limit_(limit) {}

  // Whether the open file has these bytes; it has the size. After false, WriteTo.
  Result<bool> EqualTo(int fd);
  // Fills an empty file; `compared` is the one that EqualTo was asked about, if it was: what was
  // equal comes from there.
  Status WriteTo(int fd, int compared);

 private:
  // The next block, known to be within the file; nothing at the end.
  Result<bool> Advance();
  Status CopyEqual(int from, int to) const;

  ArchiveReader& reader_;
  const FileEntry& entry_;
  const WaitLimit& limit_;
  ArchiveReader::Block block_;
  bool pending_ = false;  // the block has been read and is not used yet
  uint64_t end_ = 0;      // of the last block
  std::vector<Extent> equal_;
};

}  // namespace hearth::agent::files

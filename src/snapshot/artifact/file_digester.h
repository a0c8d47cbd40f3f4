#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "snapshot/artifact/contents.h"

namespace hearth::snapshot {

// Takes the digests of a file that somebody else appends to, starts writing it to the disk, and
// gives back the space of pages that hold nothing but zeros. Not thread-safe.
class FileDigester {
 public:
  // `fd` is open for reading and writing.
  FileDigester(UniqueFd fd, std::string name, uint64_t chunk_bytes);

  // The chunks that are complete by now. `buffer` is for its use.
  Status Advance(std::vector<char>& buffer);
  // Nobody appends any more: the rest. Bytes are on their way to the disk, not on it.
  Status Complete(std::vector<char>& buffer);
  // On the disk when it returns.
  Status Sync();

  const StoredFile& file() const { return file_; }
  StoredFile Take() { return std::move(file_); }
  Result<uint64_t> StoredBytes() const;

 private:
  Status TakeChunk(std::vector<char>& buffer, uint64_t bytes);
  Status ElideZeros(std::string_view chunk, uint64_t offset);
  void StartWriting();

  UniqueFd fd_;
  StoredFile file_;
  uint64_t chunk_bytes_;
  uint64_t written_ = 0;  // begun to be
  bool can_punch_ = true;
};

}  // namespace hearth::snapshot

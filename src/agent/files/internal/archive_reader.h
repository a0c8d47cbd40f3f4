#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "agent/files/file_entry.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace hearth::agent::files {

// Reads an archive front to back, ours or any tar: libarchive knows the dialects. Names come as
// their bytes, whatever the locale; paths are clean (CleanPath). For one thread.
// Errors: kDataLoss for what is no archive or a damaged one, kInvalid for an entry that leads out
// of the container, kUnsupported for one that cannot be put back as it was.
class ArchiveReader {
 public:
  // Nothing when there is no such file in `directory` or when it is empty.
  static Result<std::unique_ptr<ArchiveReader>> Open(int directory, const char* name);
  ~ArchiveReader();
  ArchiveReader(const ArchiveReader&) = delete;
  ArchiveReader& operator=(const ArchiveReader&) = delete;

  // The next entry, what is left of the one before skipped; nothing at the end.
  Result<std::optional<FileEntry>> Next();

  struct Block {
    uint64_t offset = 0;  // in the file; what no block has is a hole
    std::string_view bytes;
  };
  // More of the file that Next gave; valid until the next call. Nothing at its end.
  Result<std::optional<Block>> NextBlock();

  uint64_t archive_bytes() const { return archive_bytes_; }

 private:
  struct Input;
  ArchiveReader(std::unique_ptr<Input> input, uint64_t archive_bytes);
  Status Begin();

  std::unique_ptr<Input> input_;
  uint64_t archive_bytes_;
};

}  // namespace hearth::agent::files

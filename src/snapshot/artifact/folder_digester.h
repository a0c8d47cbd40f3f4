#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "snapshot/artifact/contents.h"

namespace hearth::snapshot {

struct DigestedFile {
  StoredFile file;
  uint64_t stored_bytes = 0;  // on disk
};

struct DigestedFolder {
  Contents contents;
  uint64_t stored_bytes = 0;  // on disk
};

// Follows a directory that another process fills with files, so that digests are taken and bytes
// are on their way to the disk while it is still at work. There are no directories in it. Has a
// thread of its own. Not thread-safe.
class FolderDigester {
 public:
  // Duplicates `directory`. Only files whose names begin with `followed` are looked at before the
  // end, none when it is empty: they must be appended to and nothing else.
  static Result<std::unique_ptr<FolderDigester>> Begin(int directory, std::string followed);
  virtual ~FolderDigester() = default;

  // Nobody writes any more. Everything is on the disk when it returns; files are 0600. Once.
  // `done` are on the disk already, and whoever put them there knows their digests.
  virtual Result<DigestedFolder> Finish(std::vector<DigestedFile> done) = 0;
};

}  // namespace hearth::snapshot

#include "agent/files/list_files.h"

#include <memory>
#include <optional>
#include <utility>

#include "agent/files/internal/archive_reader.h"
#include "agent/files/path_list.h"
#include "base/clock.h"

namespace hearth::agent {

Result<std::vector<FileEntry>> ListFiles(int images, const WaitLimit& limit) {
  std::vector<FileEntry> entries;
  ASSIGN_OR_RETURN(const std::unique_ptr<files::ArchiveReader> reader,
                   files::ArchiveReader::Open(images, kArchiveName));
  while (reader) {
    RETURN_IF_ERROR(limit.Check(RealClock(), "listing the container's files"));
    ASSIGN_OR_RETURN(std::optional<FileEntry> entry, reader->Next());
    if (!entry) {
      break;
    }
    entries.push_back(std::move(*entry));
  }
  return entries;
}

}  // namespace hearth::agent

#include "agent/files/apply_files.h"

#include <fcntl.h>
#include <iconv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/files/internal/archive_reader.h"
#include "agent/files/internal/placer.h"
#include "agent/files/internal/remover.h"
#include "agent/files/path_list.h"
#include "base/clock.h"
#include "base/unique_fd.h"

namespace hearth::agent {
namespace {

using files::ArchiveReader;
using files::Placer;
using files::Remover;

constexpr off_t kListLimit = off_t{64} << 20;
constexpr char kWhat[] = "restoring the container's files";

// Empty when there is no such file.
Result<std::string> ReadList(int images, const char* name) {
  const UniqueFd fd(::openat(images, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd.valid() && errno == ENOENT) {
    return std::string();
  }
  struct stat stat {};
  if (!fd.valid() || ::fstat(fd.get(), &stat) != 0) {
    return Status::FromErrno(errno, std::string("cannot open ") + name);
  }
  if (!S_ISREG(stat.st_mode) || stat.st_size > kListLimit) {
    return InvalidError(std::string(name) + " is no list of paths: no file, or too large");
  }
  std::string text(static_cast<size_t>(stat.st_size), '\0');
  const ssize_t got = ::pread(fd.get(), text.data(), text.size(), 0);
  if (got != stat.st_size) {
    return Status::FromErrno(got < 0 ? errno : EIO, std::string("cannot read ") + name);
  }
  return text;
}

// Blank ones, and those that lead elsewhere, are left out.
Result<std::vector<std::string>> PathsIn(int images, const char* name) {
  ASSIGN_OR_RETURN(const std::string text, ReadList(images, name));
  if (text.empty()) {
    return std::vector<std::string>{};
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> listed, ParsePathList(text).WithContext(name));
  std::vector<std::string> paths;
  for (const std::string& path : listed) {
    Result<std::string> clean = CleanPath(path);
    if (clean.ok() && !clean->empty()) {
      paths.push_back(std::move(*clean));
    }
  }
  return paths;
}

bool IsWithin(const std::string& path, const std::vector<std::string>& directories) {
  for (const std::string& directory : directories) {
    if (path.size() > directory.size() && path.starts_with(directory) &&
        path[directory.size()] == '/') {
      return true;
    }
  }
  return false;
}

// What of the archive is below `directories`, with the directories on the way.
Result<std::set<std::string>> ArchivedWithin(int images,
                                             const std::vector<std::string>& directories,
                                             const WaitLimit& limit) {
  std::set<std::string> found;
  ASSIGN_OR_RETURN(const std::unique_ptr<ArchiveReader> reader,
                   ArchiveReader::Open(images, kArchiveName));
  while (reader) {
    RETURN_IF_ERROR(limit.Check(RealClock(), kWhat));
    ASSIGN_OR_RETURN(const std::optional<FileEntry> entry, reader->Next());
    if (!entry) {
      break;
    }
    std::string path = entry->path;
    while (IsWithin(path, directories) && found.insert(path).second) {
      path = SplitPath(path).parent;
    }
  }
  return found;
}

Status RemoveHidden(int images, Remover& remover, const WaitLimit& limit) {
  ASSIGN_OR_RETURN(const std::vector<std::string> deleted, PathsIn(images, kDeletedName));
  for (const std::string& path : deleted) {
    RETURN_IF_ERROR(limit.Check(RealClock(), kWhat));
    RETURN_IF_ERROR(remover.Remove(path));
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> opaque, PathsIn(images, kOpaqueName));
  if (opaque.empty()) {
    return Status::Ok();
  }
  ASSIGN_OR_RETURN(const std::set<std::string> archived, ArchivedWithin(images, opaque, limit));
  for (const std::string& path : opaque) {
    RETURN_IF_ERROR(limit.Check(RealClock(), kWhat));
    RETURN_IF_ERROR(remover.Empty(path, archived));
  }
  return Status::Ok();
}

Status PlaceAll(ArchiveReader& reader, Placer& placer, const WaitLimit& limit) {
  while (true) {
    RETURN_IF_ERROR(limit.Check(RealClock(), kWhat));
    ASSIGN_OR_RETURN(std::optional<FileEntry> entry, reader.Next());
    if (!entry) {
      return placer.Finish();
    }
    RETURN_IF_ERROR(placer.Place(std::move(*entry)));
  }
}

Result<ApplyReport> Apply(int images, int root, const LeftOut& left_out, const WaitLimit& limit) {
  Remover remover(root, left_out);
  RETURN_IF_ERROR(RemoveHidden(images, remover, limit));
  ASSIGN_OR_RETURN(const std::unique_ptr<ArchiveReader> reader,
                   ArchiveReader::Open(images, kArchiveName));
  if (!reader) {
    return ApplyReport{.removed = remover.removed()};
  }
  Placer placer(root, left_out, *reader, limit);
  RETURN_IF_ERROR(PlaceAll(*reader, placer, limit));
  return ApplyReport{.placed = placer.placed(),
                     .unchanged = placer.unchanged(),
                     .removed = remover.removed() + placer.removed(),
                     .left_alone = placer.left_alone()};
}

}  // namespace

void PrepareToApply() {
  // libarchive asks for this conversion; with it, the C library loads its list of all of them.
  const iconv_t conversion = ::iconv_open("ANSI_X3.4-1968", "UTF-8");
  if (conversion != reinterpret_cast<iconv_t>(-1)) {
    ::iconv_close(conversion);
  }
}

Result<ApplyReport> ApplyFiles(int images, int root, const LeftOut& left_out,
                               const WaitLimit& limit) {
  return Apply(images, root, left_out, limit).WithContext(kWhat);
}

}  // namespace hearth::agent

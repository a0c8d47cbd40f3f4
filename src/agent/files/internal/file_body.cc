#include "agent/files/internal/file_body.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "agent/files/internal/dress.h"
#include "agent/files/internal/pax_header.h"
#include "base/clock.h"

namespace hearth::agent::files {
namespace {

constexpr uint64_t kLarge = uint64_t{8} << 20;

Status Changed() {
  return ConflictError(
      "was changed while it was being saved; the container's processes must be frozen");
}

Status CopyExtent(int fd, const Extent& extent, TarOutput& output, const WaitLimit& limit) {
  for (uint64_t done = 0; done < extent.size;) {
    ASSIGN_OR_RETURN(const std::span<char> room, output.Room());
    const size_t part = std::min<uint64_t>(room.size(), extent.size - done);
    const ssize_t got = ::pread(fd, room.data(), part, static_cast<off_t>(extent.offset + done));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return Status::FromErrno(errno, "cannot read it");
    }
    if (got == 0) {
      return Changed();
    }
    output.Filled(static_cast<size_t>(got));
    done += static_cast<uint64_t>(got);
    if (extent.size >= kLarge) {
      RETURN_IF_ERROR(limit.Check(RealClock(), "saving the container's files"));
    }
  }
  return Status::Ok();
}

}  // namespace

Status FindHoles(int fd, const struct stat& stat, FileEntry& entry) {
  constexpr int64_t kUnit = 512;              // of st_blocks
  constexpr int64_t kBookkeeping = 64 << 10;  // may be counted in them, too
  constexpr int64_t kBlock = 4096;            // has no hole in it
  const int64_t stored = stat.st_blocks * kUnit;
  if (stored >= stat.st_size + kBookkeeping || (stored > 0 && stat.st_size <= kBlock) ||
      ::lseek(fd, 0, SEEK_HOLE) >= stat.st_size) {
    return Status::Ok();
  }
  for (off_t end = 0; end < stat.st_size;) {
    const off_t begin = ::lseek(fd, end, SEEK_DATA);
    if (begin < 0 && errno == ENXIO) {
      break;  // nothing but a hole up to the end
    }
    end = begin < 0 ? begin : ::lseek(fd, begin, SEEK_HOLE);
    if (end < 0) {
      return Status::FromErrno(errno, "cannot look for its holes");
    }
    end = std::min(end, stat.st_size);
    entry.data.push_back(
        {static_cast<uint64_t>(begin), static_cast<uint64_t>(std::max<off_t>(end - begin, 0))});
  }
  entry.sparse = true;
  return Status::Ok();
}

Status CopyBody(int fd, const FileEntry& entry, TarOutput& output, const WaitLimit& limit) {
  const uint64_t bytes = StoredBytes(entry);
  if (bytes >= kLarge) {
    output.Expect(bytes + kTarBlock);
    (void)::posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  if (!entry.sparse) {
    RETURN_IF_ERROR(CopyExtent(fd, {0, entry.size}, output, limit));
  }
  for (const Extent& extent : entry.data) {
    if (entry.sparse) {
      RETURN_IF_ERROR(CopyExtent(fd, extent, output, limit));
    }
  }
  return output.AppendZeros(TarPadding(bytes));
}

Status ReadExactly(int fd, std::span<char> room) {
  for (size_t done = 0; done < room.size();) {
    const ssize_t got =
        ::pread(fd, room.data() + done, room.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return Status::FromErrno(errno, "cannot read it");
    }
    if (got == 0) {
      return Changed();
    }
    done += static_cast<size_t>(got);
  }
  return Status::Ok();
}

Status CheckUnchanged(int fd, const struct stat& before) {
  struct stat after {};
  if (::fstat(fd, &after) != 0) {
    return Status::FromErrno(errno, "cannot look at it");
  }
  const bool same = after.st_size == before.st_size && SameTime(after.st_mtim, before.st_mtim) &&
                    SameTime(after.st_ctim, before.st_ctim);
  return same ? Status::Ok() : Changed();
}

}  // namespace hearth::agent::files

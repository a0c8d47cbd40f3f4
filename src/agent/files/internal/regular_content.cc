#include "agent/files/internal/regular_content.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/clock.h"

namespace hearth::agent::files {
namespace {

constexpr size_t kPiece = size_t{128} << 10;
constexpr uint64_t kLarge = uint64_t{8} << 20;

Status WriteAt(int fd, std::string_view bytes, uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return Status::FromErrno(written < 0 ? errno : EIO, "cannot write it");
    }
    bytes.remove_prefix(static_cast<size_t>(written));
    offset += static_cast<uint64_t>(written);
  }
  return Status::Ok();
}

// Fewer only at the end of the file.
Result<std::string_view> ReadAt(int fd, std::vector<char>& buffer, uint64_t offset, uint64_t size) {
  const size_t wanted = std::min<uint64_t>(buffer.size(), size);
  size_t done = 0;
  while (done < wanted) {
    const ssize_t got =
        ::pread(fd, buffer.data() + done, wanted - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return Status::FromErrno(errno, "cannot read it");
    }
    if (got == 0) {
      break;
    }
    done += static_cast<size_t>(got);
  }
  return std::string_view(buffer.data(), done);
}

Result<bool> SameBytes(int fd, std::string_view bytes, uint64_t offset) {
  std::vector<char> buffer(kPiece);
  while (!bytes.empty()) {
    ASSIGN_OR_RETURN(const std::string_view there, ReadAt(fd, buffer, offset, bytes.size()));
    if (there.empty() || !bytes.starts_with(there)) {
      return false;
    }
    bytes.remove_prefix(there.size());
    offset += there.size();
  }
  return true;
}

Result<bool> OnlyZeros(int fd, uint64_t begin, uint64_t end) {
  std::vector<char> buffer(begin < end ? kPiece : 0);
  while (begin < end) {
    const off_t data = ::lseek(fd, static_cast<off_t>(begin), SEEK_DATA);
    if (data >= static_cast<off_t>(end) || (data < 0 && errno == ENXIO)) {
      return true;
    }
    begin = data < 0 ? begin : static_cast<uint64_t>(data);
    ASSIGN_OR_RETURN(const std::string_view there, ReadAt(fd, buffer, begin, end - begin));
    if (there.empty() || there.find_first_not_of('\0') != std::string_view::npos) {
      return false;
    }
    begin += there.size();
  }
  return true;
}

}  // namespace

Result<bool> RegularContent::Advance() {
  if (pending_) {
    pending_ = false;
    return true;
  }
  RETURN_IF_ERROR(limit_.Check(RealClock(), "restoring the container's files"));
  ASSIGN_OR_RETURN(const std::optional<ArchiveReader::Block> block, reader_.NextBlock());
  if (!block) {
    return false;
  }
  if (block->offset < end_ || block->offset > entry_.size ||
      block->bytes.size() > entry_.size - block->offset) {
    return DataLossError("the archive has bytes of it that are not within its size");
  }
  block_ = *block;
  end_ = block_.offset + block_.bytes.size();
  return true;
}

Result<bool> RegularContent::EqualTo(int fd) {
  uint64_t compared = 0;
  while (true) {
    ASSIGN_OR_RETURN(const bool more, Advance());
    const uint64_t next = more ? block_.offset : entry_.size;
    ASSIGN_OR_RETURN(bool same, OnlyZeros(fd, compared, next));
    if (same && more) {
      ASSIGN_OR_RETURN(same, SameBytes(fd, block_.bytes, block_.offset));
    }
    if (!same || !more) {
      pending_ = more;
      return same;
    }
    equal_.push_back({block_.offset, block_.bytes.size()});
    compared = end_;
  }
}

Status RegularContent::WriteTo(int fd, int compared) {
  if (::ftruncate(fd, static_cast<off_t>(entry_.size)) != 0) {
    return Status::FromErrno(errno, "cannot give it its size");
  }
  // A size that the archive has no bytes for is not believed.
  if (!entry_.sparse && entry_.size >= kLarge && entry_.size <= reader_.archive_bytes()) {
    (void)::fallocate(fd, 0, 0, static_cast<off_t>(entry_.size));
  }
  if (compared >= 0) {
    RETURN_IF_ERROR(CopyEqual(compared, fd));
  }
  while (true) {
    ASSIGN_OR_RETURN(const bool more, Advance());
    if (!more) {
      return Status::Ok();
    }
    RETURN_IF_ERROR(WriteAt(fd, block_.bytes, block_.offset));
  }
}

Status RegularContent::CopyEqual(int from, int to) const {
  std::vector<char> buffer(kPiece);
  for (Extent extent : equal_) {
    while (extent.size > 0) {
      ASSIGN_OR_RETURN(const std::string_view bytes,
                       ReadAt(from, buffer, extent.offset, extent.size));
      if (bytes.empty()) {
        return ConflictError("was changed while it was being compared");
      }
      RETURN_IF_ERROR(WriteAt(to, bytes, extent.offset));
      extent.offset += bytes.size();
      extent.size -= bytes.size();
    }
  }
  return Status::Ok();
}

}  // namespace hearth::agent::files

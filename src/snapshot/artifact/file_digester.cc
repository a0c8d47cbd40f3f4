#include "snapshot/artifact/file_digester.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "disk/confined_file.h"

namespace hearth::snapshot {
namespace {

constexpr uint64_t kPage = 4096;
// What is handed to the disk at once: fewer and larger requests, early enough to overlap.
constexpr uint64_t kWriteOut = 8ULL << 20;

Status ReadExactly(int fd, char* out, uint64_t bytes, uint64_t offset, const std::string& name) {
  while (bytes > 0) {
    const ssize_t got = ::pread(fd, out, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return got < 0 ? Status::FromErrno(errno, "read " + name)
                     : DataLossError(name + " became shorter while it was read");
    }
    out += got;
    bytes -= static_cast<uint64_t>(got);
    offset += static_cast<uint64_t>(got);
  }
  return Status::Ok();
}

}  // namespace

FileDigester::FileDigester(UniqueFd fd, std::string name, uint64_t chunk_bytes)
    : fd_(std::move(fd)), file_{.name = std::move(name)}, chunk_bytes_(chunk_bytes) {}

Status FileDigester::Advance(std::vector<char>& buffer) {
  ASSIGN_OR_RETURN(const uint64_t size, disk::SizeOf(fd_.get(), file_.name));
  while (file_.bytes + chunk_bytes_ <= size) {
    RETURN_IF_ERROR(TakeChunk(buffer, chunk_bytes_));
  }
  return Status::Ok();
}

Status FileDigester::Complete(std::vector<char>& buffer) {
  RETURN_IF_ERROR(Advance(buffer));
  ASSIGN_OR_RETURN(const uint64_t size, disk::SizeOf(fd_.get(), file_.name));
  if (size > file_.bytes) {
    RETURN_IF_ERROR(TakeChunk(buffer, size - file_.bytes));
  }
  StartWriting();
  return Status::Ok();
}

Status FileDigester::Sync() {
  return ::fsync(fd_.get()) == 0 ? Status::Ok() : Status::FromErrno(errno, "sync " + file_.name);
}

Result<uint64_t> FileDigester::StoredBytes() const {
  struct stat info {};
  if (::fstat(fd_.get(), &info) != 0) {
    return Status::FromErrno(errno, "look at " + file_.name);
  }
  return static_cast<uint64_t>(info.st_blocks) * 512;
}

Status FileDigester::TakeChunk(std::vector<char>& buffer, uint64_t bytes) {
  buffer.resize(std::max<size_t>(buffer.size(), chunk_bytes_));
  RETURN_IF_ERROR(ReadExactly(fd_.get(), buffer.data(), bytes, file_.bytes, file_.name));
  const std::string_view chunk(buffer.data(), bytes);
  const uint64_t offset = file_.bytes;
  const bool zero = disk::AllZero(chunk);
  file_.chunks.push_back(zero ? Chunk{.zero = true} : Chunk{.digest = disk::DigestOf(chunk)});
  file_.bytes += bytes;
  RETURN_IF_ERROR(ElideZeros(chunk, offset));
  if (file_.bytes - written_ >= kWriteOut) {
    StartWriting();
  }
  return Status::Ok();
}

// Runs of whole pages only: what is smaller has no space of its own.
Status FileDigester::ElideZeros(std::string_view chunk, uint64_t offset) {
  uint64_t begin = 0;
  while (can_punch_ && begin + kPage <= chunk.size()) {
    uint64_t end = begin;
    while (end + kPage <= chunk.size() && disk::AllZero(chunk.substr(end, kPage))) {
      end += kPage;
    }
    if (end > begin &&
        ::fallocate(fd_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                    static_cast<off_t>(offset + begin), static_cast<off_t>(end - begin)) != 0) {
      if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINTR) {
        return Status::FromErrno(errno, "give back space of " + file_.name);
      }
      can_punch_ = errno == EINTR;  // zeros that take space are no harm
    }
    begin = std::max(end, begin + kPage);
  }
  return Status::Ok();
}

// A hint: what it does not do, Sync does.
void FileDigester::StartWriting() {
  if (file_.bytes > written_) {
    ::sync_file_range(fd_.get(), static_cast<off_t>(written_),
                      static_cast<off_t>(file_.bytes - written_), SYNC_FILE_RANGE_WRITE);
    written_ = file_.bytes;
  }
}

}  // namespace hearth::snapshot

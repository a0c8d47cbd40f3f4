#include "agent/pages/page_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/check.h"
#include "disk/confined_file.h"
#include "disk/digest.h"

namespace hearth::agent {
namespace {

constexpr uint64_t kAlignment = 4096;

}  // namespace

void PageBuffer::Unmap::operator()(char* memory) const { ::munmap(memory, bytes); }

PageBuffer::PageBuffer(uint64_t bytes) {
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  CHECK(memory != MAP_FAILED) << "no memory for a buffer";
  memory_ = std::unique_ptr<char, Unmap>(static_cast<char*>(memory), Unmap{bytes});
}

Result<PageReader> PageReader::Open(const snapshot::Artifact& artifact, const std::string& name) {
  const snapshot::StoredFile* const stored = artifact.contents().Find(name);
  if (stored == nullptr) {
    return DataLossError(fmt::format("{} has no {}", artifact.directory(), name));
  }
  PageReader reader;
  reader.name_ = name;
  ASSIGN_OR_RETURN(reader.cached_, disk::OpenFileBelow(artifact.fd(), name, O_RDONLY));
  if (auto direct = disk::OpenFileBelow(artifact.fd(), name, O_RDONLY | O_DIRECT); direct.ok()) {
    reader.direct_ = std::move(*direct);
  }
  reader.bytes_ = stored->bytes;
  reader.chunk_bytes_ = artifact.contents().chunk_bytes;
  reader.chunks_ = snapshot::ChunkCount(stored->bytes, reader.chunk_bytes_);
  reader.digests_ = artifact.sealed() ? &stored->chunks : nullptr;
  return reader;
}

Result<std::string_view> PageReader::Read(uint64_t chunk, const PageBuffer& buffer) const {
  const uint64_t offset = chunk * chunk_bytes_;
  const uint64_t wanted = std::min(chunk_bytes_, bytes_ - offset);
  ASSIGN_OR_RETURN(const uint64_t got, ReadBytes(buffer.data(), offset, wanted));
  const std::string_view read(buffer.data(), got);
  const bool known_zero = digests_ != nullptr && (*digests_)[chunk].zero;
  const bool intact =
      got == wanted &&
      (digests_ == nullptr ||
       (known_zero ? disk::AllZero(read) : disk::DigestOf(read) == (*digests_)[chunk].digest));
  if (!intact) {
    return DataLossError(fmt::format("{}: chunk {} (bytes {} to {}) is not what was captured",
                                     name_, chunk, offset, offset + wanted - 1));
  }
  return known_zero ? std::string_view() : read;
}

// Less than asked for at the end of a file that became shorter.
Result<uint64_t> PageReader::ReadBytes(char* to, uint64_t offset, uint64_t bytes) const {
  enum class Way { kCachedOnly, kDirect, kAny };
  Way way = direct_.valid() ? Way::kCachedOnly : Way::kAny;
  uint64_t had = 0;
  while (had < bytes) {
    iovec part{to + had, bytes - had};
    const auto at = static_cast<off_t>(offset + had);
    ssize_t got = 0;
    if (way == Way::kCachedOnly) {
      got = ::preadv2(cached_.get(), &part, 1, at, RWF_NOWAIT);
    } else if (way == Way::kDirect) {
      part.iov_len = (part.iov_len + kAlignment - 1) / kAlignment * kAlignment;
      got = ::preadv(direct_.get(), &part, 1, at);
    } else {
      got = ::preadv(cached_.get(), &part, 1, at);
    }
    if (way == Way::kCachedOnly && got <= 0) {
      way = Way::kDirect;
      had -= had % kAlignment;
    } else if (got < 0 && way == Way::kDirect) {
      way = Way::kAny;
    } else if (got < 0 && errno != EINTR) {
      return Status::FromErrno(errno, fmt::format("read {} at {}", name_, offset + had));
    } else if (got == 0) {
      break;
    } else {
      had += static_cast<uint64_t>(std::max<ssize_t>(got, 0));
    }
  }
  return std::min(had, bytes);
}

}  // namespace hearth::agent

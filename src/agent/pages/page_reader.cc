#include "agent/pages/page_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
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

void MappedBytes::Unmap::operator()(char* memory) const { ::munmap(memory, bytes); }

MappedBytes MappedBytes::Buffer(uint64_t bytes) {
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  CHECK(memory != MAP_FAILED) << "no memory for a buffer";
  return {static_cast<char*>(memory), bytes};
}

MappedBytes MappedBytes::File(int fd, uint64_t bytes) {
  void* const memory =
      bytes == 0 ? MAP_FAILED : ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0);
  return {memory == MAP_FAILED ? nullptr : static_cast<char*>(memory), bytes};
}

Result<PageReader> PageReader::Open(const snapshot::Artifact& artifact, const std::string& name) {
  const snapshot::StoredFile* const stored = artifact.contents().Find(name);
  if (stored == nullptr) {
    return DataLossError(fmt::format("{} has no {}", artifact.directory(), name));
  }
  PageReader reader(*stored);
  ASSIGN_OR_RETURN(reader.cached_, disk::OpenFileBelow(artifact.fd(), name, O_RDONLY));
  if (auto direct = disk::OpenFileBelow(artifact.fd(), name, O_RDONLY | O_DIRECT); direct.ok()) {
    reader.direct_ = std::move(*direct);
  }
  reader.map_ = MappedBytes::File(reader.cached_.get(), stored->bytes);
  reader.chunk_bytes_ = artifact.contents().chunk_bytes;
  reader.chunks_ = snapshot::ChunkCount(stored->PlainBytes(), reader.chunk_bytes_);
  reader.has_digests_ = artifact.sealed();
  return reader;
}

Result<std::string_view> PageReader::Read(uint64_t chunk, const MappedBytes& buffer,
                                          Scratch& scratch) const {
  const snapshot::ChunkPlace place = snapshot::PlaceOf(file_, chunk, chunk_bytes_);
  const bool packed = place.packed_bytes > 0;
  if (packed && scratch.bytes_ < chunk_bytes_) {
    scratch.packed_ = MappedBytes::Buffer(chunk_bytes_);
    scratch.bytes_ = chunk_bytes_;
  }
  char* const to = packed ? scratch.packed_.data() : buffer.data();
  ASSIGN_OR_RETURN(const uint64_t got, ReadBytes(to, place.offset, place.bytes));
  const std::string_view read(to, got);
  const bool known_zero = has_digests_ && file_.chunks[chunk].zero;
  const bool intact =
      got == place.bytes &&
      (!has_digests_ ||
       (known_zero ? disk::AllZero(read) : disk::DigestOf(read) == file_.chunks[chunk].digest));
  if (!intact) {
    return Damaged(chunk, place);
  }
  if (!packed) {
    return known_zero ? std::string_view() : read.substr(0, place.plain_bytes);
  }
  const std::span<char> plain(buffer.data(), place.plain_bytes);
  const Status expanded = scratch.expander_.Expand(read.substr(0, place.packed_bytes), plain);
  if (!expanded.ok()) {
    return Damaged(chunk, place).WithContext(expanded.message());
  }
  return std::string_view(plain.data(), plain.size());
}

Status PageReader::Damaged(uint64_t chunk, const snapshot::ChunkPlace& place) const {
  return DataLossError(fmt::format("{}: chunk {} (bytes {} to {}) is not what was captured",
                                   file_.name, chunk, place.offset,
                                   place.offset + place.bytes - 1));
}

// Asking for it with RWF_NOWAIT instead would make the kernel read ahead, and everything be read
// twice.
bool PageReader::IsCached(uint64_t offset, uint64_t bytes) const {
  std::vector<unsigned char> pages((bytes + kAlignment - 1) / kAlignment);
  if (map_.data() == nullptr || ::mincore(map_.data() + offset, bytes, pages.data()) != 0) {
    return false;
  }
  return std::all_of(pages.begin(), pages.end(), [](unsigned char page) { return page & 1U; });
}

// Less than asked for at the end of a file that became shorter.
Result<uint64_t> PageReader::ReadBytes(char* to, uint64_t offset, uint64_t bytes) const {
  bool direct = direct_.valid() && !IsCached(offset, bytes);
  uint64_t had = 0;
  while (had < bytes) {
    const uint64_t left = bytes - had;
    // The buffer has room for it, and what is behind the end is not there to be read.
    const uint64_t whole = (left + kAlignment - 1) / kAlignment * kAlignment;
    const ssize_t got = ::pread(direct ? direct_.get() : cached_.get(), to + had,
                                direct ? whole : left, static_cast<off_t>(offset + had));
    if (got < 0 && direct) {
      direct = false;  // some file systems open a file for that and then refuse
    } else if (got < 0 && errno != EINTR) {
      return Status::FromErrno(errno, fmt::format("read {} at {}", file_.name, offset + had));
    } else if (got == 0) {
      break;
    } else {
      had += static_cast<uint64_t>(std::max<ssize_t>(got, 0));
      direct = direct && had % kAlignment == 0;
    }
  }
  return std::min(had, bytes);
}

}  // namespace hearth::agent

#include "agent/receive/chunk_packer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "disk/digest.h"
#include "disk/zstd/block.h"

namespace hearth::agent::receive {
namespace {

constexpr uint64_t kChunk = snapshot::kDefaultChunkBytes;
constexpr uint64_t kAlignment = snapshot::kPackedAlignment;
// What is handed to the disk at once: fewer and larger requests, early enough to overlap.
constexpr uint64_t kWriteOut = 8ULL << 20U;

Status WriteAt(int fd, std::string_view bytes, uint64_t offset, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return Status::FromErrno(count < 0 ? errno : ENOSPC, "write " + name);
    }
    bytes.remove_prefix(static_cast<size_t>(count));
    offset += static_cast<uint64_t>(count);
  }
  return Status::Ok();
}

// One thread's.
class Packer {
 public:
  Packer() : out_(kChunk) {}

  // Valid until the next one. A chunk that would not become smaller by a block is kept as it is.
  PackedFile::Packed Pack(std::string_view chunk) {
    if (disk::AllZero(chunk)) {
      return {.plain_bytes = chunk.size()};
    }
    const size_t room = chunk.size() > kAlignment ? chunk.size() - kAlignment : 0;
    const size_t size = room == 0 ? 0 : compressor_.Compress(chunk, std::span(out_.data(), room));
    if (size == 0) {
      return {.bytes = Padded(chunk, chunk.size()),
              .plain_bytes = chunk.size(),
              .packed_bytes = static_cast<uint32_t>(chunk.size())};
    }
    return {.bytes = Padded({out_.data(), size}, size),
            .plain_bytes = chunk.size(),
            .packed_bytes = static_cast<uint32_t>(size)};
  }

 private:
  // With zeros up to where the next one may begin.
  std::string_view Padded(std::string_view bytes, size_t size) {
    const size_t whole = (size + kAlignment - 1) / kAlignment * kAlignment;
    if (whole == size) {
      return bytes;
    }
    std::memmove(out_.data(), bytes.data(), size);
    std::memset(out_.data() + size, 0, whole - size);
    return {out_.data(), whole};
  }

  disk::zstd::Compressor compressor_;
  std::vector<char> out_;
};

}  // namespace

PackedFile::PackedFile(UniqueFd fd, const std::string& name)
    : fd_(std::move(fd)), file_{.name = name} {
  file_.packing.emplace();
}

Status PackedFile::Append(uint64_t number, const Packed& chunk) {
  const snapshot::Chunk entry = chunk.bytes.empty()
                                    ? snapshot::Chunk{.zero = true}
                                    : snapshot::Chunk{.digest = disk::DigestOf(chunk.bytes)};
  uint64_t offset = 0;
  {
    std::unique_lock lock(mutex_);
    placed_changed_.wait(lock, [&] { return placed_ == number; });
    offset = file_.packing->file_bytes();
    file_.packing->Add(chunk.plain_bytes, chunk.packed_bytes);
    file_.chunks.push_back(entry);
    ++placed_;
  }
  placed_changed_.notify_all();
  RETURN_IF_ERROR(WriteAt(fd_.get(), chunk.bytes, offset, file_.name));
  const uint64_t begin = offset / kWriteOut * kWriteOut;
  if (offset + chunk.bytes.size() >= begin + kWriteOut) {
    // A hint: what it does not do, syncing does.
    ::sync_file_range(fd_.get(), static_cast<off_t>(begin), static_cast<off_t>(kWriteOut),
                      SYNC_FILE_RANGE_WRITE);
  }
  return Status::Ok();
}

snapshot::StoredFile PackedFile::Take() {
  const std::lock_guard lock(mutex_);
  file_.bytes = file_.packing->file_bytes();
  return std::move(file_);
}

ChunkPacker::ChunkPacker(size_t threads) {
  // While each works on one, there is another for it.
  for (size_t i = 0; i < 2 * threads + 1; ++i) {
    buffers_.push_back(std::make_unique_for_overwrite<std::byte[]>(kChunk));
    free_.push_back(buffers_.back().get());
  }
  for (size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this] { Run(); });
  }
}

ChunkPacker::~ChunkPacker() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    pending_.clear();
  }
  work_.notify_all();
}

std::byte* ChunkPacker::Take() {
  std::unique_lock lock(mutex_);
  freed_.wait(lock, [this] { return !free_.empty(); });
  std::byte* const buffer = free_.back();
  free_.pop_back();
  return buffer;
}

void ChunkPacker::Pack(PackedFile& file, std::byte* chunk, uint64_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    pending_.push_back({&file, file.Announce(), chunk, bytes});
    ++unfinished_;
  }
  work_.notify_one();
}

Status ChunkPacker::Drain() {
  std::unique_lock lock(mutex_);
  freed_.wait(lock, [this] { return unfinished_ == 0; });
  return status_;
}

Status ChunkPacker::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

// Chunks of a file are taken up in their order, so that whoever waits for its place waits for
// somebody who is at work.
void ChunkPacker::Run() {
  Packer packer;
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [this] { return closing_ || !pending_.empty(); });
    if (pending_.empty()) {
      return;
    }
    const Job job = pending_.front();
    pending_.pop_front();
    lock.unlock();
    const Status written = job.file->Append(
        job.number, packer.Pack({reinterpret_cast<const char*>(job.chunk), job.bytes}));
    lock.lock();
    status_ = status_.ok() ? written : status_;
    free_.push_back(job.chunk);
    --unfinished_;
    freed_.notify_one();
  }
}

}  // namespace hearth::agent::receive

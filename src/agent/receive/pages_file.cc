#include "agent/receive/pages_file.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/check.h"
#include "disk/digest.h"

namespace hearth::agent::receive {
namespace {

constexpr uint32_t kBlock = disk::io::kDirectAlignment;
constexpr uint32_t kSmallestHole = 4 * kBlock;
// Room is made in steps, each twice the last: a step has to wait for all writes in flight.
constexpr uint64_t kFirstRoom = 16ULL << 20U;
constexpr uint64_t kMostRoom = 256ULL << 20U;
// The length while it is written: a write that makes the file longer is waited for by the kernel.
constexpr uint64_t kLongEnough = 1ULL << 42U;

std::string_view Text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Result<UniqueFd> OpenImage(int directory, const std::string& name, int flags) {
  UniqueFd fd(::openat(directory, name.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600));
  if (!fd.valid()) {
    return Status::FromErrno(errno, "open " + name);
  }
  return fd;
}

}  // namespace

std::vector<Run> RunsToWrite(std::span<const std::byte> chunk) {
  std::vector<Run> runs;
  for (uint32_t at = 0; at < chunk.size(); at += kBlock) {
    const auto end = static_cast<uint32_t>(std::min<size_t>(at + kBlock, chunk.size()));
    if (disk::AllZero(Text(chunk.subspan(at, end - at)))) {
      continue;
    }
    if (!runs.empty() && at - runs.back().end < kSmallestHole) {
      runs.back().end = end;
    } else {
      runs.push_back({at, end});
    }
  }
  return runs;
}

Result<std::unique_ptr<PagesFile>> PagesFile::Create(int directory, const std::string& name,
                                                     DirectWriter& writer, uint64_t expected) {
  ASSIGN_OR_RETURN(UniqueFd direct, OpenImage(directory, name, O_CREAT | O_EXCL));
  ASSIGN_OR_RETURN(UniqueFd cached, OpenImage(directory, name, 0));
  std::unique_ptr<PagesFile> file(
      new PagesFile(std::move(direct), std::move(cached), name, writer, expected));
  // Where files cannot be that long, writing takes longer and that is all.
  static_cast<void>(file->target_.direct.SetLength(kLongEnough));
  return file;
}

PagesFile::PagesFile(UniqueFd direct, UniqueFd cached, const std::string& name,
                     DirectWriter& writer, uint64_t expected)
    : target_(std::move(direct), std::move(cached), name),
      writer_(writer),
      file_{.name = name},
      next_room_(std::max(expected, kFirstRoom)) {}

std::span<std::byte> PagesFile::Next(uint64_t wish) {
  if (buffer_ == nullptr) {
    buffer_ = writer_.Take();
  }
  return {buffer_ + filled_, std::min(wish, snapshot::kDefaultChunkBytes - filled_)};
}

Status PagesFile::Filled(uint64_t bytes) {
  filled_ += bytes;
  CHECK(filled_ <= snapshot::kDefaultChunkBytes);
  return filled_ == snapshot::kDefaultChunkBytes ? EndChunk() : Status::Ok();
}

Status PagesFile::End() { return filled_ > 0 ? EndChunk() : Status::Ok(); }

Status PagesFile::EndChunk() {
  const std::span<std::byte> chunk(buffer_, std::exchange(filled_, 0));
  std::byte* const buffer = std::exchange(buffer_, nullptr);
  const uint64_t offset = std::exchange(file_.bytes, file_.bytes + chunk.size());
  const std::vector<Run> runs = RunsToWrite(chunk);
  file_.chunks.push_back(runs.empty() ? snapshot::Chunk{.zero = true}
                                      : snapshot::Chunk{.digest = disk::DigestOf(Text(chunk))});
  uint64_t written = 0;
  for (const Run& run : runs) {
    if (offset + written < room_end_ && run.begin > written) {
      spare_room_.emplace_back(offset + written, run.begin - written);
    }
    written = run.end;
  }
  if (offset + written < room_end_ && written < chunk.size()) {
    spare_room_.emplace_back(offset + written, chunk.size() - written);
  }
  const bool dense = runs.size() == 1 && runs[0].end - runs[0].begin == chunk.size();
  const Status room = MakeRoom(offset, dense);
  writer_.Write(target_, offset, buffer, runs);
  return room.ok() ? writer_.status() : room;
}

// Writes that only fill what is there are faster. But where there are holes, most of the room would
// have to be given back.
Status PagesFile::MakeRoom(uint64_t offset, bool dense) {
  if (!dense) {
    next_room_ = kFirstRoom;
  }
  if (!dense || offset < room_end_) {
    return Status::Ok();
  }
  Status made = target_.direct.MakeRoom(offset, next_room_);
  if (made.Is(Code::kExhausted) && next_room_ > kFirstRoom) {
    next_room_ = kFirstRoom;  // more was expected than there is
    made = target_.direct.MakeRoom(offset, next_room_);
  }
  if (made.Is(Code::kExhausted)) {
    return Status::Ok();  // what is really needed may still fit
  }
  room_end_ = offset + next_room_;
  next_room_ = std::clamp(2 * next_room_, kFirstRoom, kMostRoom);
  return made;
}

Result<snapshot::DigestedFile> PagesFile::Complete() {
  CHECK(filled_ == 0);
  RETURN_IF_ERROR(target_.direct.SetLength(file_.bytes));
  for (const auto& [offset, bytes] : spare_room_) {
    RETURN_IF_ERROR(target_.direct.Punch(offset, bytes));
  }
  RETURN_IF_ERROR(target_.direct.Sync());
  ASSIGN_OR_RETURN(const uint64_t stored, target_.direct.StoredBytes());
  return snapshot::DigestedFile{std::move(file_), stored};
}

}  // namespace hearth::agent::receive

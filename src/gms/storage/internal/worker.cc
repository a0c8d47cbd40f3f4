#include "gms/storage/internal/worker.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <numeric>

namespace hearth::gms::storage {
namespace {

std::string_view Bytes(const std::byte* data, uint64_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

std::string Describe(const Piece& piece) {
  return fmt::format("{}: chunk {} (bytes {} to {})", piece.file->name(), piece.chunk,
                     piece.file_offset, piece.file_offset + piece.bytes);
}

ChunkRecord* RecordOf(const WorkBoard::Work& work) {
  const auto records = work.transfer->spec.records;
  return work.piece.chunk < records.size() ? &records[work.piece.chunk] : nullptr;
}

Status PutZeros(const Piece& piece) {
  static constexpr uint64_t kStep = 64 << 10;
  static const std::array<std::byte, kStep> zeros{};
  for (uint64_t at = 0; at < piece.bytes; at += kStep) {
    RETURN_IF_ERROR(piece.memory->Put(piece.memory_offset + at, zeros.data(),
                                      std::min<uint64_t>(kStep, piece.bytes - at)));
  }
  return {};
}

bool Again(int64_t result) { return result == -EAGAIN || result == -EINTR; }

}  // namespace

Worker::Worker(WorkBoard& board, const WorkerOptions& options)
    : board_(board), options_(options), requests_(options.depth), free_(options.depth) {
  std::iota(free_.rbegin(), free_.rend(), size_t{0});
  if (options_.io_uring) {
    if (auto ring = disk::io::MakeRingQueue(options_.depth); ring.ok()) {
      queue_ = std::move(*ring);
    }
  }
  if (queue_ == nullptr) {
    queue_ = disk::io::MakeBlockingQueue();
  }
  if (options_.pin != nullptr) {
    MakeSlots();  // they will be needed, and pinning takes a while
  }
}

void Worker::MakeSlots() {
  slots_made_ = true;
  slots_ = StagingSlots::Make(options_.depth, options_.slot_bytes, options_.pin);
  if (slots_ != nullptr) {
    std::vector<iovec> buffers;
    for (size_t i = 0; i < slots_->count(); ++i) {
      buffers.push_back({slots_->slot(i), slots_->slot_bytes()});
    }
    queue_->RegisterBuffers(buffers);
  }
}

void Worker::Run() {
  while (true) {
    while (!free_.empty()) {
      std::optional<WorkBoard::Work> work = board_.Take(options_.index);
      if (!work) {
        break;
      }
      const size_t slot = free_.back();
      free_.pop_back();
      TakeUp(slot, std::move(*work));
    }
    if (free_.size() < requests_.size()) {
      Complete(queue_->Wait());
    } else if (!board_.AwaitWork()) {
      return;
    }
  }
}

void Worker::TakeUp(size_t slot, WorkBoard::Work work) {
  requests_[slot] = {.work = std::move(work)};
  const Result<bool> begun = Begin(slot);
  if (!begun.ok() || !*begun) {
    End(slot, begun.status());
  }
}

Result<bool> Worker::Begin(size_t slot) {
  const WorkBoard::Work& work = requests_[slot].work;
  return work.transfer->spec.direction == Direction::kLoad ? BeginLoad(slot, RecordOf(work))
                                                           : BeginSave(slot, RecordOf(work));
}

Result<std::byte*> Worker::Place(size_t slot, const Piece& piece) {
  if (std::byte* address = piece.memory->address()) {
    return address + piece.memory_offset;
  }
  if (!slots_made_) {
    MakeSlots();
  }
  if (slots_ == nullptr || piece.bytes > slots_->slot_bytes()) {
    return ExhaustedError(fmt::format("no staging memory for a chunk of {} bytes", piece.bytes));
  }
  requests_[slot].staged = true;
  return slots_->slot(slot);
}

Result<bool> Worker::BeginLoad(size_t slot, const ChunkRecord* record) {
  const Piece& piece = requests_[slot].work.piece;
  if (record != nullptr && record->zero && piece.memory != &NoMemory()) {
    RETURN_IF_ERROR(piece.memory->zero_when_fresh() ? Status() : PutZeros(piece));
    return false;
  }
  ASSIGN_OR_RETURN(requests_[slot].data, Place(slot, piece));
  Submit(slot);
  return true;
}

Result<bool> Worker::BeginSave(size_t slot, ChunkRecord* record) {
  Request& request = requests_[slot];
  const Piece& piece = request.work.piece;
  ASSIGN_OR_RETURN(request.data, Place(slot, piece));
  if (request.staged) {
    RETURN_IF_ERROR(piece.memory->Get(piece.memory_offset, request.data, piece.bytes));
  }
  if (record != nullptr) {
    const std::string_view bytes = Bytes(request.data, piece.bytes);
    *record = {.digest = disk::DigestOf(bytes), .zero = disk::AllZero(bytes)};
  }
  if (piece.file == nullptr || (record != nullptr && record->zero)) {
    return false;
  }
  Submit(slot);
  return true;
}

void Worker::Submit(size_t slot) {
  Request& request = requests_[slot];
  const Piece& piece = request.work.piece;
  request.direct = piece.file->direct();
  queue_->Submit({.write = request.work.transfer->spec.direction == Direction::kSave,
                  .file = piece.file,
                  .offset = piece.file_offset + request.moved,
                  .data = request.data + request.moved,
                  .bytes = piece.bytes - request.moved,
                  .buffer = request.staged ? static_cast<int>(slot) : -1,
                  .tag = slot});
}

void Worker::Complete(const IoDone& done) {
  const size_t slot = done.tag;
  const Result<bool> goes_on = Advance(slot, done.result);
  if (goes_on.ok() && *goes_on) {
    Submit(slot);
    return;
  }
  End(slot, goes_on.ok() ? Conclude(requests_[slot]) : goes_on.status());
}

Result<bool> Worker::Advance(size_t slot, int64_t result) {
  Request& request = requests_[slot];
  const Piece& piece = request.work.piece;
  const bool save = request.work.transfer->spec.direction == Direction::kSave;
  if (result == -EINVAL && request.direct) {
    piece.file->GiveUpDirect();
    return true;
  }
  if (Again(result)) {
    return true;
  }
  if (result < 0) {
    return Status::FromErrno(static_cast<int>(-result),
                             fmt::format("{} {}", save ? "write" : "read", Describe(piece)));
  }
  if (result == 0) {
    return save ? ExhaustedError(fmt::format("write {}: the file takes no more", Describe(piece)))
                : DataLossError(fmt::format("{}: the file ends before", Describe(piece)));
  }
  request.moved += static_cast<uint32_t>(result);
  if (request.moved < piece.bytes && request.moved % kDirectAlignment != 0) {
    piece.file->GiveUpDirect();  // the rest does not begin where direct I/O may begin
  }
  return request.moved < piece.bytes;
}

Status Worker::Conclude(const Request& request) {
  if (request.work.transfer->spec.direction == Direction::kSave) {
    return {};
  }
  const Piece& piece = request.work.piece;
  RETURN_IF_ERROR(CheckDigest(request));
  return request.staged ? piece.memory->Put(piece.memory_offset, request.data, piece.bytes)
                        : Status();
}

Status Worker::CheckDigest(const Request& request) {
  const Piece& piece = request.work.piece;
  const ChunkRecord* record = RecordOf(request.work);
  if (record == nullptr) {
    return {};
  }
  const disk::Digest digest = disk::DigestOf(Bytes(request.data, piece.bytes));
  if (digest == record->digest) {
    return {};
  }
  const Status damage = DataLossError(
      fmt::format("{} is damaged: its XXH3-128 is {}, the artifact says {}; restore the file or "
                  "save again",
                  Describe(piece), digest.Hex(), record->digest.Hex()));
  const auto& on_damage = request.work.transfer->spec.on_damage;
  if (!on_damage) {
    return damage;
  }
  on_damage(piece, damage);
  return {};
}

void Worker::End(size_t slot, Status outcome) {
  board_.Done(requests_[slot].work, std::move(outcome));
  requests_[slot] = {};
  free_.push_back(slot);
}

}  // namespace hearth::gms::storage

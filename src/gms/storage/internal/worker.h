#pragma once

#include <memory>
#include <vector>

#include "disk/io/io_queue.h"
#include "gms/storage/internal/staging.h"
#include "gms/storage/internal/work_board.h"

namespace hearth::gms::storage {

using disk::io::IoDone;
using disk::io::IoQueue;

struct WorkerOptions {
  size_t index = 0;
  unsigned depth = 1;
  uint64_t slot_bytes = 0;
  bool io_uring = true;
  AddressSpace* pin = nullptr;
};

// One thread of an engine: keeps its requests in flight, and does what the processor must do with
// each chunk while the disk works on the others.
class Worker {
 public:
  Worker(WorkBoard& board, const WorkerOptions& options);
  // Until the board is closed.
  void Run();

 private:
  struct Request {
    WorkBoard::Work work;
    std::byte* data = nullptr;
    uint32_t moved = 0;
    bool staged = false;
    bool direct = false;  // as it was submitted last; the file may have given it up since
  };

  void TakeUp(size_t slot, WorkBoard::Work work);
  // Ok and true: a request is in flight.
  Result<bool> Begin(size_t slot);
  Result<bool> BeginLoad(size_t slot, const ChunkRecord* record);
  Result<bool> BeginSave(size_t slot, ChunkRecord* record);
  // Made with the first chunk that passes through them: memory that the disk reaches needs none.
  void MakeSlots();
  // Where the chunk is or goes: its memory, or the slot.
  Result<std::byte*> Place(size_t slot, const Piece& piece);
  void Submit(size_t slot);
  void Complete(const IoDone& done);
  // Ok and true: it goes on.
  Result<bool> Advance(size_t slot, int64_t result);
  static Status Conclude(const Request& request);
  static Status CheckDigest(const Request& request);
  void End(size_t slot, Status outcome);

  WorkBoard& board_;
  WorkerOptions options_;
  std::unique_ptr<IoQueue> queue_;
  bool slots_made_ = false;
  std::unique_ptr<StagingSlots> slots_;  // null as well when there is no memory for them
  std::vector<Request> requests_;
  std::vector<size_t> free_;
};

}  // namespace hearth::gms::storage

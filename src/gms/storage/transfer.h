#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "base/wait_limit.h"
#include "disk/io/storage_file.h"
#include "gms/device/device.h"
#include "gms/storage/chunk_table.h"
#include "gms/storage/memory.h"

namespace hearth::gms::storage {

using disk::io::kDirectAlignment;
using disk::io::StorageFile;

struct EngineOptions {
  // Threads at most. With io_uring no more than there are processors: depth comes from the queue,
  // threads only copy and compute digests.
  int workers = 16;
  int depth = 32;                            // requests in flight, of all workers together
  uint64_t staging_bytes = 64ULL << 20;      // for all workers and devices together
  uint64_t slot_bytes = kDefaultChunkBytes;  // of one request at most
  bool io_uring = true;
  // Where it is set, staging memory is pinned through it. Must outlive the engine.
  AddressSpace* pin_with = nullptr;
};

// One chunk between a file and memory. Both must outlive the transfer.
struct Piece {
  StorageFile* file = nullptr;  // null for kDigest
  uint64_t file_offset = 0;
  Memory* memory = nullptr;
  uint64_t memory_offset = 0;
  uint32_t bytes = 0;
  uint64_t chunk = 0;  // its place in the records
};

enum class Direction : uint8_t {
  kLoad,    // file to memory
  kSave,    // memory to file; chunks of zeros are left out
  kDigest,  // memory is only looked at
};

struct TransferSpec {
  Direction direction = Direction::kLoad;
  size_t lanes = 1;
  // Load: what chunks must hold. Otherwise: where it is written down. Must outlive the transfer;
  // empty: neither.
  std::span<ChunkRecord> records;
  // Told of each damaged chunk, by any worker; the transfer goes on then. Empty: it fails.
  std::function<void(const Piece&, const Status&)> on_damage;
  // Grows by the bytes that are done; null: nobody counts. Must outlive the transfer.
  std::atomic<uint64_t>* progress = nullptr;
};

struct TransferState;

// Work that one user gave to an engine. Thread-safe.
class Transfer {
 public:
  ~Transfer();  // cancels, and waits for what is in flight
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  // Begins at once. Workers take from a lane of their own each, a few neighbours at a time, and
  // from the fullest one when theirs is empty.
  void Add(size_t lane, std::span<const Piece> pieces);
  // Waits until everything added is over: ok, or the first failure, after which nothing more is
  // begun. When the limit is over the rest is dropped.
  // kDataLoss "<file>: chunk <n> ..." for bytes that are not those that were saved.
  Status Finish(Clock& clock, const WaitLimit& limit);
  uint64_t bytes_done() const;

 private:
  friend class TransferEngine;
  explicit Transfer(std::shared_ptr<TransferState> state);
  std::shared_ptr<TransferState> state_;
};

// Moves chunks with a few threads that all devices share: io_uring with registered buffers and
// files where it is allowed, pread and pwrite elsewhere. Straight into and out of memory that the
// disk reaches; otherwise through staging slots. Digests are computed where the bytes pass, while
// other requests are in flight. Threads get ready as soon as it is made, and so do slots that are
// pinned. Thread-safe.
class TransferEngine {
 public:
  explicit TransferEngine(const EngineOptions& options);
  ~TransferEngine();  // transfers must be gone
  TransferEngine(const TransferEngine&) = delete;
  TransferEngine& operator=(const TransferEngine&) = delete;

  std::unique_ptr<Transfer> Begin(const TransferSpec& spec);
  bool uses_io_uring() const { return uses_io_uring_; }
  size_t workers() const { return threads_.size(); }

 private:
  struct Shared;
  bool uses_io_uring_ = false;
  std::shared_ptr<Shared> shared_;
  std::vector<std::jthread> threads_;
};

}  // namespace hearth::gms::storage

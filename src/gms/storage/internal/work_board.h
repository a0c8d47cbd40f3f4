#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "gms/storage/transfer.h"

namespace hearth::gms::storage {

class WorkBoard;

// What is known of a transfer. All but the counter is guarded by the board's lock.
struct TransferState {
  TransferSpec spec;
  WorkBoard* board = nullptr;
  std::vector<std::deque<Piece>> lanes;
  std::vector<std::deque<Piece>> runs;  // by worker: neighbours that it is going to take next
  size_t queued = 0;
  size_t in_flight = 0;
  Status status;  // the first failure
  std::atomic<uint64_t> bytes_done = 0;
};

// Who has work and who wants some. Thread-safe.
class WorkBoard {
 public:
  struct Work {
    std::shared_ptr<TransferState> transfer;
    Piece piece;
  };

  void Enlist(std::shared_ptr<TransferState> transfer);
  void Dismiss(const TransferState& transfer);
  void Add(TransferState& transfer, size_t lane, std::span<const Piece> pieces);
  // Drops what is queued; the transfer fails with `why` unless it has failed before.
  void Fail(TransferState& transfer, Status why);
  // Ok when nothing is queued or in flight any more. When the limit is over what is queued is
  // dropped, and what is in flight waited for.
  Status AwaitIdle(TransferState& transfer, Clock& clock, const WaitLimit& limit);

  // For workers. Nothing: no work now.
  std::optional<Work> Take(size_t worker);
  // Waits for work; false: closed.
  bool AwaitWork();
  void Done(const Work& work, Status outcome);
  void Close();

 private:
  static void FailLocked(TransferState& transfer, Status why);
  static std::optional<Piece> TakeFrom(TransferState& transfer, size_t worker);
  static void BeginRun(TransferState& transfer, size_t worker);

  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable idle_;
  std::vector<std::shared_ptr<TransferState>> transfers_;
  size_t turn_ = 0;
  bool closed_ = false;
};

}  // namespace hearth::gms::storage

#include "gms/storage/internal/work_board.h"

#include <algorithm>

#include "base/stop_waker.h"

namespace hearth::gms::storage {
namespace {

using Queues = std::vector<std::deque<Piece>>;

// Neighbours are one worker's: two that fill the two halves of a huge page at the same time wait
// for each other while the kernel makes the page.
constexpr size_t kRun = 4;

std::deque<Piece>& Fullest(Queues& queues) {
  return *std::max_element(queues.begin(), queues.end(),
                           [](const auto& a, const auto& b) { return a.size() < b.size(); });
}

bool Follows(const Piece& piece, const Piece& before) {
  return piece.memory == before.memory &&
         piece.memory_offset == before.memory_offset + before.bytes;
}

}  // namespace

void WorkBoard::Enlist(std::shared_ptr<TransferState> transfer) {
  std::lock_guard lock(mutex_);
  transfers_.push_back(std::move(transfer));
}

void WorkBoard::Dismiss(const TransferState& transfer) {
  std::lock_guard lock(mutex_);
  std::erase_if(transfers_, [&](const auto& one) { return one.get() == &transfer; });
}

void WorkBoard::Add(TransferState& transfer, size_t lane, std::span<const Piece> pieces) {
  std::lock_guard lock(mutex_);
  if (!transfer.status.ok()) {
    return;
  }
  auto& queue = transfer.lanes[lane % transfer.lanes.size()];
  queue.insert(queue.end(), pieces.begin(), pieces.end());
  transfer.queued += pieces.size();
  work_.notify_all();
}

void WorkBoard::FailLocked(TransferState& transfer, Status why) {
  if (transfer.status.ok()) {
    transfer.status = std::move(why);
  }
  for (Queues* queues : {&transfer.lanes, &transfer.runs}) {
    for (auto& queue : *queues) {
      queue.clear();
    }
  }
  transfer.queued = 0;
}

void WorkBoard::Fail(TransferState& transfer, Status why) {
  std::lock_guard lock(mutex_);
  FailLocked(transfer, std::move(why));
}

Status WorkBoard::AwaitIdle(TransferState& transfer, Clock& clock, const WaitLimit& limit) {
  const StopWaker waker(limit.stop, mutex_, idle_);
  std::unique_lock lock(mutex_);
  while (transfer.queued + transfer.in_flight > 0) {
    if (transfer.status.ok() && limit.Expired(clock)) {
      FailLocked(transfer, limit.Check(clock, "the transfer"));
      continue;  // with nothing in flight nobody would wake us
    }
    // Once failed, only what is in flight is waited for; a disk answers.
    clock.WaitUntil(lock, idle_, transfer.status.ok() ? limit.deadline : SteadyTime::max());
  }
  return transfer.status;
}

std::optional<Piece> WorkBoard::TakeFrom(TransferState& transfer, size_t worker) {
  if (transfer.queued == 0) {
    return std::nullopt;
  }
  if (transfer.runs.size() <= worker) {
    transfer.runs.resize(worker + 1);
  }
  if (transfer.runs[worker].empty()) {
    BeginRun(transfer, worker);
  }
  auto& queue = transfer.runs[worker].empty() ? Fullest(transfer.runs)
                                              : transfer.runs[worker];  // no lane has
  Piece piece = queue.front();
  queue.pop_front();
  --transfer.queued;
  ++transfer.in_flight;
  return piece;
}

void WorkBoard::BeginRun(TransferState& transfer, size_t worker) {
  auto* lane = &transfer.lanes[worker % transfer.lanes.size()];
  if (lane->empty()) {
    lane = &Fullest(transfer.lanes);
  }
  auto& run = transfer.runs[worker];
  while (!lane->empty() && run.size() < kRun &&
         (run.empty() || Follows(lane->front(), run.back()))) {
    run.push_back(lane->front());
    lane->pop_front();
  }
}

std::optional<WorkBoard::Work> WorkBoard::Take(size_t worker) {
  std::lock_guard lock(mutex_);
  // Devices take turns, so that none waits for another to be finished.
  for (size_t i = 0; i < transfers_.size(); ++i) {
    const auto& transfer = transfers_[(turn_ + i) % transfers_.size()];
    if (std::optional<Piece> piece = TakeFrom(*transfer, worker)) {
      turn_ = (turn_ + i + 1) % transfers_.size();
      return Work{transfer, *piece};
    }
  }
  return std::nullopt;
}

bool WorkBoard::AwaitWork() {
  std::unique_lock lock(mutex_);
  work_.wait(lock, [&] {
    return closed_ || std::any_of(transfers_.begin(), transfers_.end(),
                                  [](const auto& transfer) { return transfer->queued > 0; });
  });
  return !closed_;
}

void WorkBoard::Done(const Work& work, Status outcome) {
  if (outcome.ok()) {
    work.transfer->bytes_done.fetch_add(work.piece.bytes, std::memory_order_relaxed);
    if (work.transfer->spec.progress != nullptr) {
      work.transfer->spec.progress->fetch_add(work.piece.bytes, std::memory_order_relaxed);
    }
  }
  std::lock_guard lock(mutex_);
  --work.transfer->in_flight;
  if (!outcome.ok()) {
    FailLocked(*work.transfer, std::move(outcome));
  }
  if (work.transfer->queued + work.transfer->in_flight == 0) {
    idle_.notify_all();
  }
}

void WorkBoard::Close() {
  std::lock_guard lock(mutex_);
  closed_ = true;
  work_.notify_all();
}

}  // namespace hearth::gms::storage

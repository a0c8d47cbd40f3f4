#include "gms/storage/transfer.h"

#include <algorithm>

#include "gms/storage/internal/work_board.h"
#include "gms/storage/internal/worker.h"

namespace hearth::gms::storage {
namespace {

int CountWorkers(const EngineOptions& options, bool ring) {
  constexpr int kBlockingAtMost = 16;
  const int processors = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return std::clamp(options.workers, 1, ring ? processors : kBlockingAtMost);
}

// Of one worker, within the budget.
unsigned DepthOf(const EngineOptions& options, int workers) {
  const auto affordable = options.staging_bytes / std::max<uint64_t>(options.slot_bytes, 1);
  const auto depth = std::min<uint64_t>(static_cast<uint64_t>(options.depth), affordable);
  return static_cast<unsigned>(std::max<uint64_t>(1, depth / static_cast<uint64_t>(workers)));
}

}  // namespace

struct TransferEngine::Shared {
  WorkBoard board;
};

TransferEngine::TransferEngine(const EngineOptions& options)
    : uses_io_uring_(options.io_uring && disk::io::MakeRingQueue(1).ok()),
      shared_(std::make_shared<Shared>()) {
  const int workers = CountWorkers(options, uses_io_uring_);
  for (int i = 0; i < workers; ++i) {
    const WorkerOptions own{.index = static_cast<size_t>(i),
                            .depth = DepthOf(options, workers),
                            .slot_bytes = options.slot_bytes,
                            .io_uring = uses_io_uring_,
                            .pin = options.pin_with};
    // Made on its own thread: a ring belongs to one.
    threads_.emplace_back([shared = shared_, own] { Worker(shared->board, own).Run(); });
  }
}

TransferEngine::~TransferEngine() {
  shared_->board.Close();
  threads_.clear();
}

std::unique_ptr<Transfer> TransferEngine::Begin(const TransferSpec& spec) {
  auto state = std::make_shared<TransferState>();
  state->spec = spec;
  state->board = &shared_->board;
  state->lanes.resize(std::max<size_t>(spec.lanes, 1));
  shared_->board.Enlist(state);
  return std::unique_ptr<Transfer>(new Transfer(std::move(state)));
}

Transfer::Transfer(std::shared_ptr<TransferState> state) : state_(std::move(state)) {}

Transfer::~Transfer() {
  state_->board->Fail(*state_, CancelledError("the transfer was given up"));
  static_cast<void>(state_->board->AwaitIdle(*state_, RealClock(), WaitLimit::Forever()));
  state_->board->Dismiss(*state_);
}

void Transfer::Add(size_t lane, std::span<const Piece> pieces) {
  state_->board->Add(*state_, lane, pieces);
}

Status Transfer::Finish(Clock& clock, const WaitLimit& limit) {
  return state_->board->AwaitIdle(*state_, clock, limit);
}

uint64_t Transfer::bytes_done() const { return state_->bytes_done.load(std::memory_order_relaxed); }

}  // namespace hearth::gms::storage

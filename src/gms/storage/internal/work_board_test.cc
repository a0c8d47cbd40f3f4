#include "gms/storage/internal/work_board.h"

#include <gtest/gtest.h>

namespace hearth::gms::storage {
namespace {

constexpr uint32_t kChunk = 4096;

// One lane, as an artifact of one shard has.
class WorkBoardTest : public ::testing::Test {
 protected:
  WorkBoardTest() {
    transfer_->board = &board_;
    transfer_->lanes.resize(1);
    board_.Enlist(transfer_);
  }

  void AddChunks(uint64_t count) {
    std::vector<Piece> pieces;
    for (uint64_t i = 0; i < count; ++i) {
      pieces.push_back(
          {.memory = &NoMemory(), .memory_offset = i * kChunk, .bytes = kChunk, .chunk = i});
    }
    board_.Add(*transfer_, 0, pieces);
  }
  std::vector<uint64_t> TakeSome(size_t worker, size_t count) {
    std::vector<uint64_t> chunks;
    for (size_t i = 0; i < count; ++i) {
      const auto work = board_.Take(worker);
      if (!work) {
        break;
      }
      chunks.push_back(work->piece.chunk);
    }
    return chunks;
  }

  WorkBoard board_;
  std::shared_ptr<TransferState> transfer_ = std::make_shared<TransferState>();
};

using Chunks = std::vector<uint64_t>;

TEST_F(WorkBoardTest, WorkersOfOneLaneTakeNeighboursEach) {
  AddChunks(12);
  EXPECT_EQ(TakeSome(0, 1), (Chunks{0}));
  EXPECT_EQ(TakeSome(1, 2), (Chunks{4, 5}));
  EXPECT_EQ(TakeSome(0, 4), (Chunks{1, 2, 3, 8}));
  EXPECT_EQ(TakeSome(1, 2), (Chunks{6, 7}));
}

TEST_F(WorkBoardTest, WhatOneWorkerHasBeforeItIsTakenByAnotherThatHasNothing) {
  AddChunks(4);
  EXPECT_EQ(TakeSome(0, 1), (Chunks{0}));
  EXPECT_EQ(TakeSome(1, 9), (Chunks{1, 2, 3}));
  EXPECT_EQ(TakeSome(0, 1), Chunks());
}

TEST_F(WorkBoardTest, FailureDropsWhatWorkersHaveBeforeThem) {
  AddChunks(8);
  EXPECT_EQ(TakeSome(0, 1), (Chunks{0}));
  board_.Fail(*transfer_, CancelledError("no more"));
  EXPECT_EQ(TakeSome(0, 1), Chunks());
  EXPECT_EQ(TakeSome(1, 1), Chunks());
}

}  // namespace
}  // namespace hearth::gms::storage

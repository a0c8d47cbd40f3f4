#include "gms/storage/chunk_table.h"

#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"

namespace hearth::gms::storage {
namespace {

ChunkTable Sample() {
  ChunkTable table{.chunk_bytes = 8192};
  for (uint64_t i = 0; i < 11; ++i) {
    table.chunks.push_back({.digest = {.high = i << 60, .low = ~i}, .zero = i % 3 == 0});
  }
  return table;
}

TEST(ChunkTable, ComesBackAsItWasWritten) {
  ASSERT_OK_AND_ASSIGN(const ChunkTable read, ReadChunkTable(WriteChunkTable(Sample())));
  EXPECT_EQ(read.chunk_bytes, 8192U);
  EXPECT_EQ(read.chunks, Sample().chunks);
}

TEST(ChunkTable, RefusesEveryTruncationAndAnythingBehind) {
  const std::string bytes = WriteChunkTable(Sample());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(ReadChunkTable(bytes.substr(0, size)).ok()) << size;
  }
  EXPECT_FALSE(ReadChunkTable(bytes + "x").ok());
}

TEST(ChunkTable, RefusesCountsThatWrapAround) {
  std::string bytes = WriteChunkTable(Sample());
  bytes.replace(24, 8, std::string(8, '\xff'));
  EXPECT_CODE(Code::kDataLoss, ReadChunkTable(bytes));
}

}  // namespace
}  // namespace hearth::gms::storage

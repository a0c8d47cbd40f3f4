#include "gms/protocol/frame.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/testing/status_matchers.h"

namespace hearth::gms {
namespace {

void Feed(FrameReader& reader, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto room = reader.Room();
    const size_t size = std::min(room.size(), bytes.size());
    std::copy_n(bytes.data(), size, room.data());
    reader.Filled(size);
    bytes.remove_prefix(size);
  }
}

TEST(FrameReader, FramesComeOutWholeHoweverTheyArrive) {
  const std::string stream =
      EncodeFrame(CommitRequest{}) + EncodeFrame(MetadataGetRequest{std::string(9000, 'k')});
  for (const size_t piece : {size_t{1}, size_t{3}, size_t{4096}, stream.size()}) {
    FrameReader reader(1U << 20);
    std::vector<std::string> payloads;
    for (size_t at = 0; at < stream.size(); at += piece) {
      Feed(reader, std::string_view(stream).substr(at, piece));
      for (auto next = reader.Next(); next.ok() && *next; next = reader.Next()) {
        payloads.emplace_back(**next);
      }
    }
    ASSERT_EQ(payloads.size(), 2U) << piece;
    EXPECT_EQ(payloads[0], Encode(CommitRequest{}));
    EXPECT_EQ(payloads[1], Encode(MetadataGetRequest{std::string(9000, 'k')}));
    EXPECT_FALSE(reader.InFrame());
  }
}

TEST(FrameReader, ALengthAboveTheLimitEndsTheStream) {
  FrameReader reader(16);
  Feed(reader, std::string_view("\x00\x00\x00\x11", 4));
  EXPECT_TRUE(reader.Next().status().Is(Code::kDataLoss));
}

TEST(FrameReader, AnUnfinishedFrameIsKnownAsSuch) {
  FrameReader reader(16);
  Feed(reader, std::string_view("\x00\x00\x00\x02x", 5));
  auto next = reader.Next();
  ASSERT_OK(next);
  EXPECT_FALSE(*next);
  EXPECT_TRUE(reader.InFrame());
}

TEST(FrameReader, AFrameTakesNoMoreMemoryThanItselfAndItsHeader) {
  const std::string frame = EncodeFrame(MetadataGetRequest{std::string(16U << 20, 'k')});
  FrameReader reader(32U << 20);
  Feed(reader, std::string_view(frame).substr(0, 100'000));
  EXPECT_LT(reader.held_bytes(), 300'000U) << "what has arrived counts, not what is to come";
  Feed(reader, std::string_view(frame).substr(100'000, frame.size() - 100'001));
  EXPECT_EQ(reader.held_bytes(), frame.size());
  Feed(reader, std::string_view(frame).substr(frame.size() - 1));
  auto next = reader.Next();
  ASSERT_OK(next);
  ASSERT_TRUE(*next);
  EXPECT_EQ(**next, std::string_view(frame).substr(kFrameHeaderBytes));
  reader.Trim();
  EXPECT_LE(reader.held_bytes(), 64U << 10) << "and nothing is kept for ever";
}

TEST(FrameReader, AnEmptyPayloadIsAFrame) {
  FrameReader reader(16);
  Feed(reader, std::string_view("\0\0\0\0", 4));
  auto next = reader.Next();
  ASSERT_OK(next);
  ASSERT_TRUE(*next);
  EXPECT_TRUE((*next)->empty());
}

}  // namespace
}  // namespace hearth::gms

#include "disk/zstd/block.h"

#include <gtest/gtest.h>

#include <string>

#include "base/testing/status_matchers.h"

namespace hearth::disk::zstd {
namespace {

std::string Repeating(size_t bytes) {
  std::string text;
  while (text.size() < bytes) {
    text += "once upon a time ";
  }
  text.resize(bytes);
  return text;
}

std::string Compressed(const std::string& block) {
  std::string out(block.size(), '?');
  out.resize(Compressor().Compress(block, out));
  return out;
}

TEST(ZstdBlock, ComesBackAsItWas) {
  const std::string block = Repeating(1 << 20);
  const std::string compressed = Compressed(block);
  EXPECT_GT(compressed.size(), 0U);
  EXPECT_LT(compressed.size(), block.size() / 100);
  std::string back(block.size(), '?');
  ASSERT_OK(Expander().Expand(compressed, back));
  EXPECT_EQ(back, block);
}

TEST(ZstdBlock, WhatDoesNotFitIsTold) {
  std::string noise;
  for (uint64_t i = 1; noise.size() < 4096; ++i) {
    noise += static_cast<char>(i * i * 0x9e3779b97f4a7c15ULL >> 56U);
  }
  std::string out(noise.size() - 1, '?');
  EXPECT_EQ(Compressor().Compress(noise, out), 0U);
}

TEST(ZstdBlock, NeverFillsMoreThanThereIsRoomFor) {
  const std::string compressed = Compressed(Repeating(1 << 20));
  std::string room(4096 + 1, '!');
  EXPECT_CODE(Code::kDataLoss, Expander().Expand(compressed, std::span(room.data(), 4096)));
  EXPECT_EQ(room.back(), '!');
}

TEST(ZstdBlock, LessThanIsExpectedIsAnError) {
  std::string room(8192, '!');
  EXPECT_CODE(Code::kDataLoss, Expander().Expand(Compressed(Repeating(4096)), room));
  EXPECT_CODE(Code::kDataLoss, Expander().Expand("", room));
  EXPECT_CODE(Code::kDataLoss, Expander().Expand("no such block", room));
}

}  // namespace
}  // namespace hearth::disk::zstd

#include "agent/receive/direct_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstring>

#include "agent/receive/testing/sent_pages.h"
#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::agent::receive {
namespace {

constexpr size_t kBuffer = 16384;

// Whether the kernel's queue is used or plain writes.
class DirectWriterTest : public testing::TestWithParam<bool> {
 protected:
  std::unique_ptr<Target> Open(int flags = O_RDWR) {
    UniqueFd made(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    return std::make_unique<Target>(UniqueFd(::open(path_.c_str(), flags | O_CLOEXEC)),
                                    UniqueFd(::open(path_.c_str(), flags | O_CLOEXEC)), "file");
  }
  WriterOptions Options(size_t buffers = 4, Duration patience = std::chrono::hours(1)) {
    return {
        .buffers = buffers, .buffer_bytes = kBuffer, .patience = patience, .io_uring = GetParam()};
  }
  std::string Content() { return *RealFileSystem().Read(path_, 64 << 20); }

  TempDirectory directory_;
  std::string path_ = directory_ / "file";
};

void Write(DirectWriter& writer, Target& target, uint64_t offset, const std::string& bytes) {
  std::byte* const buffer = writer.Take();
  std::memcpy(buffer, bytes.data(), bytes.size());
  writer.Write(target, offset, buffer, {{0, static_cast<uint32_t>(bytes.size())}});
}

TEST_P(DirectWriterTest, MoreThanThereAreBuffersArriveWhereTheyBelong) {
  const auto target = Open();
  DirectWriter writer(Options());
  std::string expected;
  for (size_t i = 0; i < 40; ++i) {
    const std::string bytes = Pages(std::string(4, static_cast<char>('a' + i % 26)));
    Write(writer, *target, expected.size(), bytes);
    expected += bytes;
  }
  ASSERT_OK(writer.Drain());
  EXPECT_EQ(Content(), expected);
}

TEST_P(DirectWriterTest, OnlyTheRunsAreWritten) {
  const auto target = Open();
  DirectWriter writer(Options());
  std::byte* const buffer = writer.Take();
  std::memcpy(buffer, Pages("abcd").data(), kBuffer);
  writer.Write(*target, 0, buffer, {{0, 4096}, {12288, 16384}});
  ASSERT_OK(writer.Drain());
  EXPECT_EQ(Content(), Pages("a00d"));
}

TEST_P(DirectWriterTest, NobodyWaitsForASlowDiskForever) {
  const auto target = Open();
  DirectWriter writer(Options(1, Duration::zero()));
  std::string expected;
  for (size_t i = 0; i < 20; ++i) {
    Write(writer, *target, expected.size(), Pages("abcd"));
    expected += Pages("abcd");
  }
  ASSERT_OK(writer.Drain());
  EXPECT_EQ(Content(), expected);
}

TEST_P(DirectWriterTest, ABufferWithNothingToWriteComesBackAtOnce) {
  const auto target = Open();
  DirectWriter writer(Options(1));
  for (size_t i = 0; i < 3; ++i) {
    writer.Write(*target, 0, writer.Take(), {});
  }
  EXPECT_OK(writer.Drain());
  EXPECT_EQ(Content(), "");
}

TEST_P(DirectWriterTest, WhatCannotBeWrittenIsToldAndBuffersComeBack) {
  const auto target = Open(O_RDONLY);
  for (const Duration patience : {Duration(std::chrono::hours(1)), Duration::zero()}) {
    DirectWriter writer(Options(1, patience));
    for (size_t i = 0; i < 5; ++i) {
      Write(writer, *target, 0, Pages("abcd"));
    }
    EXPECT_FALSE(writer.Drain().ok());
    EXPECT_FALSE(writer.status().ok());
  }
}

INSTANTIATE_TEST_SUITE_P(Queues, DirectWriterTest, testing::Bool());

}  // namespace
}  // namespace hearth::agent::receive

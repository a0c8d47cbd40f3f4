#include "base/internal/line_writer.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <string>

#include "base/unique_fd.h"

namespace hearth::internal {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class LineWriterTest : public testing::Test {
 protected:
  LineWriterTest() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    out_ = UniqueFd(ends[0]);
    in_ = UniqueFd(ends[1]);
  }

  // All that lies in the pipe.
  std::string ReadAll() {
    ::fcntl(out_.get(), F_SETFL, O_NONBLOCK);
    std::string all;
    std::array<char, 4096> piece{};
    for (ssize_t count = 1; count > 0;) {
      count = ::read(out_.get(), piece.data(), piece.size());
      all.append(piece.data(), static_cast<size_t>(std::max<ssize_t>(count, 0)));
    }
    return all;
  }

  UniqueFd out_;
  UniqueFd in_;
};

TEST_F(LineWriterTest, WritesLines) {
  LineWriter writer(in_.get());
  writer.Write("one\n");
  writer.Write(std::string(10'000, 'x') + "\n");
  EXPECT_EQ(ReadAll(), "one\n" + std::string(10'000, 'x') + "\n");
}

TEST_F(LineWriterTest, AReaderThatStallsStallsNobodyAndHearsWhatWasLost) {
  LineWriter writer(in_.get());
  const std::string line = std::string(999, 'x') + "\n";
  for (int i = 0; i < 10'000; ++i) {  // far more than a pipe holds
    writer.Write(line);
  }
  const std::string kept = ReadAll();
  EXPECT_EQ(kept.size() % line.size(), 0U) << "whole lines";
  writer.Write("{\"msg\":\"again\"}\n");
  const std::string after = ReadAll();
  EXPECT_THAT(after, StartsWith("{"));
  EXPECT_THAT(after,
              HasSubstr("\"lines\":" + std::to_string(10'000 - kept.size() / line.size()) + "}"));
  EXPECT_THAT(after, EndsWith("{\"msg\":\"again\"}\n"));
  writer.Write("and on\n");
  EXPECT_EQ(ReadAll(), "and on\n");
}

TEST_F(LineWriterTest, ALineCutInTheMiddleIsEndedBeforeTheNext) {
  LineWriter writer(in_.get());
  writer.Write(std::string(200'000, 'x') + "\n");
  EXPECT_THAT(ReadAll(), EndsWith("x"));
  writer.Write("next\n");
  const std::string after = ReadAll();
  EXPECT_THAT(after, StartsWith("\n"));
  EXPECT_THAT(after, HasSubstr("lines=1\n"));
  EXPECT_THAT(after, EndsWith("next\n"));
}

// SIGPIPE is at its default here, which ends the program.
TEST_F(LineWriterTest, AReaderThatIsGoneIsNoReasonToEnd) {
  const auto old = std::signal(SIGPIPE, SIG_DFL);
  out_.reset();
  LineWriter writer(in_.get());
  writer.Write("one\n");
  writer.Write("two\n");
  sigset_t pending;
  ::sigpending(&pending);
  EXPECT_EQ(::sigismember(&pending, SIGPIPE), 0) << "nor later";
  sigset_t blocked;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  EXPECT_EQ(::sigismember(&blocked, SIGPIPE), 0) << "others still get theirs";
  std::signal(SIGPIPE, old);
}

TEST_F(LineWriterTest, ASignalThatWaitsAlreadyIsLeftToWhomItConcerns) {
  sigset_t broken_pipe;
  sigset_t before;
  ::sigemptyset(&broken_pipe);
  ::sigaddset(&broken_pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
  ::raise(SIGPIPE);
  out_.reset();
  LineWriter(in_.get()).Write("one\n");
  sigset_t pending;
  ::sigpending(&pending);
  EXPECT_EQ(::sigismember(&pending, SIGPIPE), 1);
  int taken = 0;
  ::sigwait(&broken_pipe, &taken);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace
}  // namespace hearth::internal

#include "gms/server/internal/connection.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <optional>

#include "base/check.h"
#include "gms/protocol/fd_channel.h"

namespace hearth::gms::server {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

// A connection whose other end is in our hand, and the loop that it lives on.
class ConnectionTest : public testing::Test {
 protected:
  void Open(const ConnectionLimits& limits) {
    std::array<int, 2> ends{};
    CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    peer_.reset(ends[1]);
    connection_.emplace(
        loop_, UniqueFd(ends[0]), Peer{},
        Connection::Callbacks{.frame = [this](std::string_view payload) { Answer(payload); },
                              .gone = [this](const Status& why) { why_ = why; }},
        limits);
  }
  // More than the kernel takes, so that some of it stays with the connection.
  void SendMoreThanFits() { connection_->Send(std::string(4U << 20, 'x')); }
  // Runs the loop for that long and tells how often it woke.
  int TurnsWithin(Duration duration) {
    bool over = false;
    loop_.At(RealClock().Now() + duration, [&] { over = true; });
    int turns = 0;
    while (!over) {
      loop_.Turn(hours(1));
      ++turns;
    }
    return turns;
  }
  bool RunsUntil(const std::function<bool()>& holds) {
    const SteadyTime limit = RealClock().Now() + seconds(60);
    while (!holds() && RealClock().Now() < limit) {
      loop_.Turn(milliseconds(10));
    }
    return holds();
  }
  size_t Fetch() {
    std::array<char, 65536> buffer;
    const ssize_t got = ::recv(peer_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    return got > 0 ? static_cast<size_t>(got) : 0;
  }

  EpollLoop loop_;
  UniqueFd peer_;
  std::optional<Status> why_;
  std::optional<Connection> connection_;

 private:
  void Answer(std::string_view payload) { connection_->Send(std::string(payload)); }
};

TEST_F(ConnectionTest, AClientThatSendsNoMoreAndDoesNotReadKeepsNoLoopBusy) {
  Open({.linger = hours(1)});
  SendMoreThanFits();
  ASSERT_EQ(::shutdown(peer_.get(), SHUT_WR), 0);
  EXPECT_LT(TurnsWithin(milliseconds(100)), 20);
  EXPECT_FALSE(why_);
}

TEST_F(ConnectionTest, AClientThatSendsNoMoreMustFetchItsAnswers) {
  Open({.linger = milliseconds(1)});
  SendMoreThanFits();
  ASSERT_EQ(::shutdown(peer_.get(), SHUT_WR), 0);
  ASSERT_TRUE(RunsUntil([&] { return why_.has_value(); }));
  EXPECT_TRUE(why_->Is(Code::kDeadlineExceeded)) << why_->ToString();
}

TEST_F(ConnectionTest, AClientThatSendsNoMoreGetsAllAnswersThatItFetches) {
  Open({.linger = hours(1)});
  SendMoreThanFits();
  ASSERT_EQ(::send(peer_.get(), "\0\0\0\2hi", 6, 0), 6);
  ASSERT_EQ(::shutdown(peer_.get(), SHUT_WR), 0);
  size_t fetched = 0;
  ASSERT_TRUE(RunsUntil([&] {
    fetched += Fetch();
    return why_.has_value();
  }));
  while (const size_t more = Fetch()) {
    fetched += more;
  }
  EXPECT_EQ(fetched, (4U << 20) + 2) << "with the answer to what it had still asked";
  EXPECT_TRUE(why_->Is(Code::kUnavailable)) << why_->ToString();
}

}  // namespace
}  // namespace hearth::gms::server

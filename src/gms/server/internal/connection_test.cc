#include "gms/server/internal/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
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
    traffic_.emplace(loop_, 1'000'000, limits.unfetched_fds);
    connection_.emplace(
        loop_, *traffic_, unfinished_, UniqueFd(ends[0]), Peer{},
        Connection::Callbacks{.frame = [this](std::string_view payload) { Answer(payload); },
                              .gone = [this](const Status& why) { why_ = why; }},
        limits);
  }
  void OpenOn(UniqueFd socket) {
    const ConnectionLimits limits;
    traffic_.emplace(loop_, 1'000'000, limits.unfetched_fds);
    connection_.emplace(loop_, *traffic_, unfinished_, std::move(socket), Peer{},
                        Connection::Callbacks{.frame = [](std::string_view) {},
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
  std::optional<FdTraffic> traffic_;
  UnfinishedRequests unfinished_{1U << 20};
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

TEST_F(ConnectionTest, AClientThatDoesNotFetchItsAnswerIsGivenUp) {
  Open({.answer_timeout = milliseconds(1)});
  SendMoreThanFits();
  ASSERT_TRUE(RunsUntil([&] { return why_.has_value(); }));
  EXPECT_TRUE(why_->Is(Code::kDeadlineExceeded)) << why_->ToString();
}

TEST_F(ConnectionTest, AClientThatDoesNotFinishItsRequestIsGivenUp) {
  Open({.request_timeout = milliseconds(1)});
  ASSERT_EQ(::send(peer_.get(), "\0\0\0\2h", 5, 0), 5);
  ASSERT_TRUE(RunsUntil([&] { return why_.has_value(); }));
  EXPECT_TRUE(why_->Is(Code::kDeadlineExceeded)) << why_->ToString();
}

// It is not its fault that nobody reads on.
TEST_F(ConnectionTest, WhoseRequestIsNotReadOnHasAsLongAsThatTakes) {
  Open({.request_timeout = milliseconds(200)});
  ASSERT_EQ(::send(peer_.get(), "\0\0\0\2hi\0\0", 8, 0), 8);
  size_t fetched = 0;
  ASSERT_TRUE(RunsUntil([&] { return (fetched += Fetch()) == 2; }));
  connection_->SetPaused(true);
  TurnsWithin(milliseconds(250));
  EXPECT_FALSE(why_);
  connection_->SetPaused(false);
  ASSERT_TRUE(RunsUntil([&] { return why_.has_value(); }));
  EXPECT_TRUE(why_->Is(Code::kDeadlineExceeded)) << why_->ToString();
}

TEST_F(ConnectionTest, AnUnfinishedRequestIsCountedUntilItIsWhole) {
  Open({});
  connection_->TakeLargeRequests();
  constexpr size_t kPayload = 0x20000;
  const std::string frame = std::string("\0\2\0\0", 4) + std::string(kPayload, 'x');
  const auto send = [&](std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(peer_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
      bytes.remove_prefix(sent > 0 ? static_cast<size_t>(sent) : 0);
      loop_.Turn(milliseconds(10));
    }
  };
  send(std::string_view(frame).substr(0, kPayload));
  EXPECT_TRUE(RunsUntil([&] { return unfinished_.bytes() == frame.size(); }));
  send(std::string_view(frame).substr(kPayload));
  EXPECT_TRUE(RunsUntil([&] { return unfinished_.bytes() == 0; }));
  EXPECT_FALSE(why_);
}

// The kernel counts descriptors that nobody has fetched, of all clients together: one that fetches
// none must leave room for the others.
TEST_F(ConnectionTest, DescriptorsBeyondTheShareWaitUntilEarlierOnesAreFetched) {
  Open({.unfetched_fds = 4});
  EXPECT_EQ(connection_->most_fds(), 4U);
  const auto lent = std::make_shared<const UniqueFd>(::dup(peer_.get()));
  for (int i = 0; i < 3; ++i) {
    connection_->Send("frame", {lent, lent});
  }
  EXPECT_LT(TurnsWithin(milliseconds(50)), 5) << "nobody asks again; the kernel tells";
  EXPECT_EQ(connection_->unsent_frames(), 1U);
  std::deque<UniqueFd> fds;
  std::array<char, 64> buffer;
  ASSERT_TRUE(RunsUntil([&] {
    const auto got = ReceiveSome(peer_.get(), buffer, fds);
    CHECK(got.ok()) << got.status().ToString();
    return fds.size() == 6;
  }));
  EXPECT_EQ(connection_->unsent_frames(), 0U);
}

TEST_F(ConnectionTest, WhoFetchesOneFrameGetsTheNextWhileAnotherIsOnItsWay) {
  Open({.unfetched_fds = 4});
  const auto lent = std::make_shared<const UniqueFd>(::dup(peer_.get()));
  constexpr size_t kFrame = 30'000;
  for (int i = 0; i < 3; ++i) {
    connection_->Send(std::string(kFrame, 'x'), {lent, lent});
  }
  ASSERT_EQ(connection_->unsent_frames(), 1U);
  std::deque<UniqueFd> fds;
  std::vector<char> buffer(kFrame);
  for (size_t left = kFrame; left > 0;) {
    const auto got = ReceiveSome(peer_.get(), std::span(buffer).first(left), fds);
    ASSERT_TRUE(got.ok() && got->bytes > 0);
    left -= got->bytes;
  }
  ASSERT_EQ(fds.size(), 2U);
  EXPECT_TRUE(RunsUntil([&] { return connection_->unsent_frames() == 0; }));
}

TEST(UnfetchedFds, ThatAreTooManyToTellApartCountUntilTheLastIsFetched) {
  UnfetchedFds unfetched;
  for (uint64_t i = 0; i < 1000; ++i) {
    unfetched.Sent(10 * i, 1);
  }
  unfetched.FetchedUpTo(10);
  EXPECT_EQ(unfetched.count(), 999U);
  unfetched.FetchedUpTo(9990);
  EXPECT_EQ(unfetched.count(), 937U);
  unfetched.FetchedUpTo(9991);
  EXPECT_EQ(unfetched.count(), 0U);
}

// Nobody else is in the way, and no limit of the machine would help.
TEST_F(ConnectionTest, OneThatDoesNotFetchItsShareOfDescriptorsIsGivenUpAndToldWhy) {
  Open({.answer_timeout = milliseconds(5), .unfetched_fds = 1});
  const auto lent = std::make_shared<const UniqueFd>(::dup(peer_.get()));
  connection_->Send("frame", {lent});
  connection_->Send("frame", {lent});
  ASSERT_TRUE(RunsUntil([&] { return why_.has_value(); }));
  EXPECT_THAT(std::string(why_->message()),
              testing::AllOf(testing::HasSubstr("does not fetch the 1 descriptors"),
                             testing::Not(testing::HasSubstr("limit of open files"))));
}

// As when the kernel has no room for another: a file is nothing that can be watched.
TEST_F(ConnectionTest, OneThatCannotBeWatchedEndsAndNothingElseDoes) {
  OpenOn(UniqueFd(::memfd_create("no socket", MFD_CLOEXEC)));
  EXPECT_TRUE(RunsUntil([&] { return why_.has_value(); }));
  EXPECT_THAT(std::string(why_->message()), testing::HasSubstr("cannot be watched"));
}

}  // namespace
}  // namespace hearth::gms::server

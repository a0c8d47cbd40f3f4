// What cannot be brought about from outside a server: clients that take nothing from the start.
#include "http/internal/server_connection.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <future>

namespace hearth::http {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr size_t kLongAnswer = 4 << 20;

class ServerConnectionTest : public testing::Test, public ServerConnection::Owner {
 protected:
  ServerConnectionTest() {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    client_ = UniqueFd(ends[0]);
    server_ = UniqueFd(::fcntl(ends[1], F_DUPFD_CLOEXEC, 0));
    ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
    for_connection_ = UniqueFd(ends[1]);
  }
  ~ServerConnectionTest() override { loop_.Stop(); }

  void Handle(ServerRequest /*request*/, std::shared_ptr<ServerExchange> exchange) override {
    (void)exchange->Send({.status = 200, .body = std::string(kLongAnswer, 'x')});
  }
  void OnClosed(ServerConnection& /*connection*/) override { closed_.set_value(); }
  bool MakeRoomFor(const ServerConnection& /*connection*/) override { return false; }

  void FillWhatTheClientHasToTake() {
    const std::string junk(1024, 'j');
    while (::send(server_.get(), junk.data(), junk.size(), MSG_DONTWAIT) > 0) {
    }
  }
  void Start(Duration read_timeout, Duration idle_timeout) {
    const ServerConnection::Settings settings{.read_timeout = read_timeout,
                                              .idle_timeout = idle_timeout,
                                              .bodies = std::make_shared<BodyBudget>(UINT64_MAX)};
    loop_.impl().RunAndWait([&] {
      std::make_shared<ServerConnection>(
          loop_,
          std::make_unique<net::Transport>(loop_.impl(), std::move(for_connection_), nullptr),
          Peer(), settings, *this)
          ->Start();
    });
    server_.reset();
  }
  void Say(std::string_view bytes) {
    EXPECT_EQ(::send(client_.get(), bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
  }
  bool AwaitClosed() {
    return closed_.get_future().wait_for(minutes(2)) == std::future_status::ready;
  }

  UniqueFd client_;
  UniqueFd server_;  // the same socket as the connection has
  UniqueFd for_connection_;
  std::promise<void> closed_;
  net::EventLoop loop_{"connection-test"};
};

TEST_F(ServerConnectionTest, WhoDoesNotTakeTheContinueHasNoMoreTimeForTheBody) {
  FillWhatTheClientHasToTake();
  Start(milliseconds(500), hours(1));  // it must be said in this time
  Say("PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\nslow");
  EXPECT_TRUE(AwaitClosed());
}

TEST_F(ServerConnectionTest, WhoTakesNoAnswerIsCutOff) {
  FillWhatTheClientHasToTake();
  Start(hours(1), milliseconds(30));
  Say("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_TRUE(AwaitClosed());
}

// Each drop is in time, all of them are not.
TEST_F(ServerConnectionTest, WhoTakesTheAnswerInDropsIsCutOff) {
  Start(hours(1), milliseconds(200));
  Say("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  size_t taken = 0;
  char drop[16 << 10];
  for (ssize_t got = 1; got > 0;) {
    pollfd end{client_.get(), POLLRDHUP, 0};
    (void)::poll(&end, 1, 10);
    got = ::recv(client_.get(), drop, sizeof(drop), 0);
    taken += static_cast<size_t>(std::max<ssize_t>(got, 0));
  }
  EXPECT_TRUE(AwaitClosed());
  EXPECT_LT(taken, kLongAnswer);
}

}  // namespace
}  // namespace hearth::http

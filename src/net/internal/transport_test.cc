#include "net/internal/transport.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <future>

namespace hearth::net {
namespace {

int Option(int fd, int level, int name) {
  int value = -1;
  socklen_t size = sizeof(value);
  EXPECT_EQ(::getsockopt(fd, level, name, &value, &size), 0);
  return value;
}

TEST(DetectDeadPeer, ProbesAddUpToTheTimeout) {
  for (const int seconds : {1, 2, 10, 60}) {
    const UniqueFd fd(::socket(AF_INET, SOCK_STREAM, 0));
    DetectDeadPeer(fd.get(), std::chrono::seconds(seconds));
    EXPECT_EQ(Option(fd.get(), SOL_SOCKET, SO_KEEPALIVE), 1);
    const int total =
        Option(fd.get(), IPPROTO_TCP, TCP_KEEPIDLE) +
        Option(fd.get(), IPPROTO_TCP, TCP_KEEPINTVL) * Option(fd.get(), IPPROTO_TCP, TCP_KEEPCNT);
    EXPECT_GE(total, seconds);
    EXPECT_LE(total, seconds + 3);
    EXPECT_EQ(Option(fd.get(), IPPROTO_TCP, TCP_USER_TIMEOUT), seconds * 1000);
  }
}

TEST(DetectDeadPeer, TakesAnyDuration) {
  const UniqueFd fd(::socket(AF_INET, SOCK_STREAM, 0));
  DetectDeadPeer(fd.get(), Duration::max());
  EXPECT_EQ(Option(fd.get(), SOL_SOCKET, SO_KEEPALIVE), 1);
  DetectDeadPeer(fd.get(), Duration(0));
  EXPECT_EQ(Option(fd.get(), IPPROTO_TCP, TCP_USER_TIMEOUT), 1000);
}

// Two ends of a connection; ours is a transport on a loop.
struct Ends {
  Ends() {
    int fds[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
    peer.reset(fds[1]);
    loop.impl().RunAndWait(
        [&] { transport = std::make_shared<Transport>(loop.impl(), UniqueFd(fds[0]), nullptr); });
  }
  ~Ends() {
    loop.impl().RunAndWait([&] { transport = nullptr; });
  }

  EventLoop loop{"transport-test"};
  UniqueFd peer;
  std::shared_ptr<Transport> transport;
};

TEST(Transport, AShortReadSaysTheSocketIsEmpty) {
  Ends ends;
  ASSERT_EQ(::send(ends.peer.get(), "abc", 3, 0), 3);
  ends.loop.impl().RunAndWait([&] {
    char buffer[10];
    const IoResult first = ends.transport->Read(buffer, sizeof(buffer));
    EXPECT_EQ(first.code, IoCode::kOk);
    EXPECT_EQ(first.bytes, 3U);
    ASSERT_EQ(::send(ends.peer.get(), "d", 1, 0), 1);
    EXPECT_EQ(ends.transport->Read(buffer, sizeof(buffer)).code, IoCode::kWantRead);
  });
  // Bytes that came in between are not missed.
  std::promise<IoResult> later;
  ends.loop.Post([&] {
    ends.transport->WaitReadable([&, transport = ends.transport](bool open) {
      EXPECT_TRUE(open);
      char buffer[10];
      later.set_value(transport->Read(buffer, sizeof(buffer)));
    });
  });
  EXPECT_EQ(later.get_future().get().bytes, 1U);
}

// A connection over TCP, in which the kernel heeds how many bytes are expected.
struct TcpEnds {
  TcpEnds() {
    const UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener.get(), any, size), 0);
    EXPECT_EQ(::listen(listener.get(), 1), 0);
    EXPECT_EQ(::getsockname(listener.get(), any, &size), 0);
    peer.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(peer.get(), any, size), 0);
    DisableSendDelay(peer.get());
    UniqueFd ours(::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    loop.impl().RunAndWait(
        [&] { transport = std::make_shared<Transport>(loop.impl(), std::move(ours), nullptr); });
  }
  ~TcpEnds() {
    loop.impl().RunAndWait([&] { transport = nullptr; });
  }

  // How many bytes the next read gives, once the transport is readable.
  std::future<size_t> ReadOnceReadable(size_t expected) {
    auto read = std::make_shared<std::promise<size_t>>();
    loop.impl().RunAndWait([this, expected, read] {
      transport->ExpectBytes(expected);
      transport->WaitReadable([read, transport = transport](bool) {
        char buffer[10];
        read->set_value(transport->Read(buffer, sizeof(buffer)).bytes);
      });
    });
    return read->get_future();
  }
  void Send(std::string_view bytes) {
    EXPECT_EQ(::send(peer.get(), bytes.data(), bytes.size(), 0), bytes.size());
    loop.impl().RunAndWait([] {});  // it has looked at the socket
  }

  EventLoop loop{"transport-test"};
  UniqueFd peer;
  std::shared_ptr<Transport> transport;
};

TEST(Transport, DoesNotWakeForFewerBytesThanAreExpected) {
  TcpEnds ends;
  std::future<size_t> read = ends.ReadOnceReadable(5);
  ends.Send("abc");
  ends.Send("de");
  EXPECT_EQ(read.get(), 5U);
  read = ends.ReadOnceReadable(0);
  ends.Send("f");
  EXPECT_EQ(read.get(), 1U);
}

TEST(Transport, WakesForTheEndHoweverMuchIsExpected) {
  TcpEnds ends;
  std::future<size_t> read = ends.ReadOnceReadable(5);
  ends.Send("abc");
  ends.peer.reset();
  EXPECT_EQ(read.get(), 3U);
}

TEST(Transport, ClosingEndsWaits) {
  Ends ends;
  std::promise<bool> readable;
  ends.loop.Post([&] {
    ends.transport->WaitReadable(
        [&, transport = ends.transport](bool open) { readable.set_value(open); });
    ends.transport->Close();
    EXPECT_TRUE(ends.transport->closed());
  });
  EXPECT_FALSE(readable.get_future().get());
}

TEST(Transport, APeerThatIsGoneIsAnErrorAndNoSignal) {
  Ends ends;
  ends.peer.reset();
  ends.loop.impl().RunAndWait([&] {
    EXPECT_EQ(ends.transport->Write("x").code, IoCode::kFailed);
    EXPECT_TRUE(ends.transport->Write("x").status.Is(Code::kUnavailable));
    char byte = 0;
    EXPECT_EQ(ends.transport->Read(&byte, 1).code, IoCode::kClosed);
  });
}

}  // namespace
}  // namespace hearth::net

#include "gms/protocol/message_channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstring>
#include <thread>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "gms/protocol/fd_channel.h"

namespace hearth::gms {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

WaitLimit Within(Duration duration) { return WaitLimit::For(RealClock(), duration); }
WaitLimit Soon() { return Within(std::chrono::seconds(30)); }

UniqueFd Listen(const std::string& path) {
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  EXPECT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_EQ(::listen(socket.get(), 8), 0);
  return socket;
}

struct Pair {
  MessageChannel client;
  UniqueFd server;
};

Pair Connected() {
  std::array<int, 2> ends{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  return {MessageChannel(UniqueFd(ends[0])), UniqueFd(ends[1])};
}

// A30, E07: a client may be there before the server.
TEST(MessageChannel, WaitsForASocketThatAppearsLater) {
  TempDirectory directory;
  const std::string path = directory / "s.sock";
  Result<MessageChannel> connected = UnavailableError("not tried");
  std::jthread client([&] { connected = MessageChannel::Connect(path, Soon()); });
  const UniqueFd listener = Listen(path);
  client.join();
  EXPECT_OK(connected);
}

// A30, E07: and gives up when none comes.
TEST(MessageChannel, GivesUpWithTheReasonWhenNobodyListens) {
  TempDirectory directory;
  const auto connected = MessageChannel::Connect(directory / "s.sock", Within(milliseconds(50)));
  EXPECT_TRUE(connected.status().Is(Code::kUnavailable));
  EXPECT_THAT(connected.status().message(), HasSubstr("No such file"));
}

// E06: a server that has gone silent.
TEST(MessageChannel, AnAnswerThatDoesNotComeEndsAtTheLimit) {
  Pair pair = Connected();
  const auto answer = pair.client.Call<CommitResponse>(CommitRequest{}, Within(milliseconds(20)));
  EXPECT_TRUE(answer.status().Is(Code::kDeadlineExceeded));
}

TEST(MessageChannel, ErrorsOfTheServerAreStatuses) {
  Pair pair = Connected();
  ASSERT_OK(
      SendSome(pair.server.get(),
               EncodeFrame(ErrorResponse{"Unknown allocation: x",
                                         static_cast<int64_t>(ErrorCode::kUnknownAllocation)}),
               {}));
  const auto answer = pair.client.Receive<CommitResponse>(Soon());
  EXPECT_TRUE(answer.status().Is(Code::kNotFound));
  EXPECT_EQ(answer.status().message(), "Unknown allocation: x");
}

// E01, E04: more descriptors than a message tells of are closed and reported.
TEST(MessageChannel, SurplusDescriptorsAreClosedAndReported) {
  Pair pair = Connected();
  std::vector<UniqueFd> fds;
  fds.emplace_back(::dup(0));
  fds.emplace_back(::dup(0));
  ASSERT_OK(SendSome(pair.server.get(), EncodeFrame(ExportAllocationResponse{}), fds));
  ASSERT_OK(pair.client.Receive<ExportAllocationResponse>(Soon()));
  ASSERT_OK(pair.client.TakeFds(1));
  EXPECT_THAT(pair.client.ExpectNoFds().message(), HasSubstr("multiple file descriptors"));
  EXPECT_OK(pair.client.ExpectNoFds());
  EXPECT_FALSE(pair.client.TakeFds(1).ok());
}

TEST(MessageChannel, AServerThatGoesInTheMiddleOfAFrameIsAnError) {
  Pair pair = Connected();
  ASSERT_OK(SendSome(pair.server.get(), EncodeFrame(CommitResponse{}).substr(0, 7), {}));
  pair.server.reset();
  EXPECT_TRUE(pair.client.Receive<CommitResponse>(Soon()).status().Is(Code::kUnavailable));
}

}  // namespace
}  // namespace hearth::gms

#include "gms/protocol/server_survey.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <thread>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "gms/protocol/fd_channel.h"

namespace hearth::gms {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

UniqueFd Listen(const std::string& path, int backlog = 8) {
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  EXPECT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_EQ(::listen(socket.get(), backlog), 0);
  return socket;
}

// Says the same to whoever comes first.
class Answering {
 public:
  Answering(const std::string& path, std::string bytes)
      : socket_(Listen(path)), thread_([this, bytes = std::move(bytes)] {
          const UniqueFd client(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
          std::string_view left = bytes;
          while (!left.empty()) {
            const ssize_t sent = ::send(client.get(), left.data(), left.size(), MSG_NOSIGNAL);
            if (sent <= 0) {
              return;
            }
            left.remove_prefix(static_cast<size_t>(sent));
          }
          char rest[64];
          while (::recv(client.get(), rest, sizeof(rest), 0) > 0) {
          }
        }) {}

 private:
  UniqueFd socket_;
  std::jthread thread_;
};

std::vector<SurveyedServer> Survey(const std::vector<std::string>& sockets, Duration duration) {
  return SurveyServers(sockets, WaitLimit::For(RealClock(), duration));
}

TEST(ServerSurvey, TellsWhoAnsweredWhoHangsAndWhoIsGone) {
  const TempDirectory directory;
  const std::string hangs = directory / "hangs.sock";
  const std::string gone = directory / "gone.sock";
  const std::string answers = directory / "answers.sock";
  const std::string foreign = directory / "foreign.sock";
  const UniqueFd hanging = Listen(hangs);
  Listen(gone);  // left behind
  const Answering answering(answers, EncodeFrame(StatusResponse{.version = "1", .pid = 7}));
  const Answering other(foreign, EncodeFrame(CommitResponse{}));
  // One hangs, so all of it passes; who answers may need some of it on a busy machine.
  const auto found = Survey({hangs, gone, answers, foreign, directory / "never"}, seconds(3));
  ASSERT_EQ(found.size(), 5U);
  EXPECT_CODE(Code::kDeadlineExceeded, found[0].answer);
  EXPECT_THAT(std::string(found[0].answer.status().message()),
              testing::AllOf(HasSubstr(hangs), HasSubstr("hangs, or is no gms-server")));
  EXPECT_TRUE(found[1].left_behind());
  ASSERT_OK(found[2].answer);
  EXPECT_EQ(found[2].answer->pid, 7);
  EXPECT_TRUE(found[2].channel);
  EXPECT_THAT(std::string(found[3].answer.status().message()),
              testing::AllOf(HasSubstr(foreign), HasSubstr("instead of")));
  EXPECT_FALSE(found[3].left_behind());
  EXPECT_TRUE(found[4].left_behind());
}

// As in a container that has the folder elsewhere.
TEST(ServerSurvey, SocketsAreWhereTheAdministrationIs) {
  const TempDirectory directory;
  const UniqueFd weights = Listen(directory / "gms_GPU-a_weights.sock");
  const Answering answering(
      directory / "gms_admin.sock",
      EncodeFrame(StatusResponse{.domains = {{.socket = "/there/gms_GPU-a_weights.sock"},
                                             {.socket = "/there/own.sock"}}}));
  const auto found = Survey({directory / "gms_admin.sock"}, seconds(60));
  ASSERT_OK(found[0].answer);
  EXPECT_EQ(found[0].answer->domains[0].socket, directory / "gms_GPU-a_weights.sock");
  EXPECT_EQ(found[0].answer->domains[1].socket, "/there/own.sock") << "it is not here";
}

// More than a socket holds: it has to be fetched while another one hangs.
TEST(ServerSurvey, ALongAnswerIsFetchedBesideOneThatHangs) {
  const TempDirectory directory;
  const UniqueFd hanging = Listen(directory / "hangs.sock");
  const Answering answering(directory / "answers.sock",
                            EncodeFrame(StatusResponse{.version = std::string(2U << 20, 'x')}));
  const auto found = Survey({directory / "hangs.sock", directory / "answers.sock"}, seconds(5));
  ASSERT_OK(found[1].answer);
  EXPECT_EQ(found[1].answer->version.size(), 2U << 20);
}

TEST(ServerSurvey, OneThatAcceptsNobodyAndHasAFullQueueDoesNotBlock) {
  const TempDirectory directory;
  const std::string full = directory / "full.sock";
  const UniqueFd listener = Listen(full, 0);
  std::vector<MessageChannel> queue;
  for (;;) {
    auto channel = MessageChannel::Connect(full, WaitLimit::For(RealClock(), Duration::zero()));
    if (!channel.ok()) {
      EXPECT_THAT(std::string(channel.status().message()), HasSubstr("its queue is full"));
      break;
    }
    queue.push_back(*std::move(channel));
  }
  const auto found = Survey({full}, seconds(60));
  EXPECT_CODE(Code::kUnavailable, found[0].answer);
  EXPECT_FALSE(found[0].left_behind()) << "somebody listens";
}

TEST(ServerSurvey, EndsWhenStopped) {
  const TempDirectory directory;
  const UniqueFd hanging = Listen(directory / "hangs.sock");
  std::stop_source stop;
  stop.request_stop();
  const auto found = SurveyServers({directory / "hangs.sock"}, {.stop = stop.get_token()});
  EXPECT_FALSE(found[0].answer.ok());
}

}  // namespace
}  // namespace hearth::gms

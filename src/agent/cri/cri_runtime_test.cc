#include "agent/cri/cri_runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "agent/container/await_container.h"
#include "agent/cri/testing/cri_stand_in.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "base/unique_fd.h"

namespace hearth::agent {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using Kind = ContainerEvent::Kind;
using Phase = ContainerState::Phase;

const std::string kDigest = "sha256:" + std::string(64, 'd');

std::string Crio() {
  return *RealFileSystem().Read(HEARTH_SOURCE_DIR "/tests/corpus/cri_info/crio.json", 1 << 20);
}

CriStandIn::Held Held(const std::string& id, const std::string& name) {
  return {.id = id,
          .labels = {{"io.kubernetes.pod.uid", "u1"},
                     {"io.kubernetes.pod.name", "p1"},
                     {"io.kubernetes.pod.namespace", "ns"},
                     {"io.kubernetes.container.name", name}},
          .image = "quay.io/models/vllm:1",
          .image_reference = "quay.io/models/vllm@" + kDigest,
          .log_path = "/var/log/pods/x/main/0.log",
          .info = Crio()};
}

class CriRuntimeTest : public testing::Test {
 protected:
  CriRuntimeTest() : server_(std::make_unique<CriStandIn>(directory_ / "cri.sock")) {
    server_->Hold(Held("c1", "main"));
  }
  Result<Container> Find(std::string_view id) { return runtime_->Find(id, limit_); }
  Result<Container> InPod(const PodContainer& which) { return runtime_->FindInPod(which, limit_); }

  TempDirectory directory_;
  std::unique_ptr<CriStandIn> server_;
  WaitLimit limit_ = WaitLimit::For(RealClock(), std::chrono::minutes(1));
  // A busy machine may keep the server from answering for long.
  std::unique_ptr<ContainerRuntime> runtime_ = *MakeCriRuntime(
      {.socket = directory_ / "cri.sock", .connect_timeout = std::chrono::minutes(1)}, RealClock());
};

TEST_F(CriRuntimeTest, FindsAContainerOfCriO) {
  ASSERT_OK_AND_ASSIGN(const Container container, Find("c1"));
  EXPECT_EQ(container.id, "c1");
  EXPECT_EQ(container.pid, 54321);
  EXPECT_EQ(container.image, "quay.io/models/vllm:1");
  EXPECT_EQ(container.image_digest, kDigest);
  EXPECT_EQ(container.log_path, "/var/log/pods/x/main/0.log");
  EXPECT_EQ(container.in_pod, (PodContainer{"u1", "p1", "ns", "main"}));
  EXPECT_EQ(container.labels.size(), 4U);
  EXPECT_THAT(container.bind_destinations, ElementsAre("/dev/shm", "/models"));
  EXPECT_EQ(*runtime_->Version(limit_), "cri-o 1.30.0");
}

TEST_F(CriRuntimeTest, OneThatIsNotThereIsToldWithTheSocket) {
  const Status status = Find("absent").status();
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_THAT(status.ToString(), AllOf(HasSubstr(server_->socket()), HasSubstr("absent")));
}

TEST_F(CriRuntimeTest, OneThatDoesNotRunIsToldWithItsEnd) {
  auto held = Held("c1", "main");
  held.state = {.phase = Phase::kExited, .exit_code = 137, .reason = "OOMKilled"};
  server_->Hold(held);
  const Status status = Find("c1").status();
  EXPECT_EQ(status.code(), Code::kUnavailable);
  EXPECT_THAT(status.ToString(), HasSubstr("is exited, not running; exit code 137 (OOMKilled)"));
  ASSERT_OK_AND_ASSIGN(const ContainerState state, runtime_->StateOf("c1", limit_));
  EXPECT_EQ(state.phase, Phase::kExited);
  EXPECT_EQ(state.exit_code, 137);
  held.state = {.phase = Phase::kCreated};
  server_->Hold(held);
  EXPECT_THAT(Find("c1").status().ToString(), HasSubstr("is created, not running"));
}

TEST_F(CriRuntimeTest, AnswersThatMakeNoSenseAreRefused) {
  auto held = Held("c1", "main");
  held.info = "{\"pid\":54321}";
  server_->Hold(held);
  const Status garbage = Find("c1").status();
  EXPECT_EQ(garbage.code(), Code::kInvalid);
  EXPECT_THAT(garbage.ToString(), AllOf(HasSubstr("c1"), HasSubstr(server_->socket())));
  held.info = "";
  server_->Hold(held);
  EXPECT_CODE(Code::kUnsupported, Find("c1"));
  server_->Confuse("other");
  EXPECT_CODE(Code::kInternal, Find("c1"));
  EXPECT_CODE(Code::kInvalid, Find("../x"));
}

TEST_F(CriRuntimeTest, FindsTheRunningOneInAPod) {
  auto before = Held("c0", "main");
  before.state = {.phase = Phase::kExited};
  before.created_at = 9;
  server_->Hold(before);
  server_->Hold(Held("c2", "sidecar"));
  EXPECT_EQ(InPod({.pod_uid = "u1", .name = "main"})->id, "c1");
  EXPECT_EQ(InPod({.pod_name = "p1", .pod_namespace = "ns", .name = "sidecar"})->id, "c2");
  auto newer = Held("c3", "main");
  newer.created_at = 2;
  server_->Hold(newer);
  EXPECT_EQ(InPod({.pod_uid = "u1", .name = "main"})->id, "c3") << "of two the newest";
}

TEST_F(CriRuntimeTest, WhoIsNotInThePodIsNotTaken) {
  // The server selects nothing: it gave all it has.
  EXPECT_CODE(Code::kNotFound, InPod({.pod_uid = "u2", .name = "main"}));
  EXPECT_CODE(Code::kNotFound, InPod({.pod_name = "p1", .pod_namespace = "other", .name = "main"}));
  EXPECT_CODE(Code::kInvalid, InPod({.name = "main"}));
  EXPECT_CODE(Code::kInvalid, InPod({.pod_uid = "u1"}));
  auto held = Held("c1", "main");
  held.state = {.phase = Phase::kExited};
  server_->Hold(held);
  const Status status = InPod({.pod_uid = "u1", .name = "main"}).status();
  EXPECT_EQ(status.code(), Code::kUnavailable);
  EXPECT_THAT(status.ToString(), HasSubstr("container main of pod u1"));
}

TEST_F(CriRuntimeTest, StopsWithItsGrace) {
  EXPECT_OK(runtime_->Stop("c1", std::chrono::milliseconds(1500), limit_));
  EXPECT_THAT(server_->stopped(), ElementsAre("c1 after 2 s"));
  EXPECT_CODE(Code::kInvalid, runtime_->Stop("-x", Duration(0), limit_));
}

TEST_F(CriRuntimeTest, OneThatIsAwayIsUnavailableUntilItIsBack) {
  server_.reset();
  const Status away = Find("c1").status();
  EXPECT_EQ(away.code(), Code::kUnavailable);
  EXPECT_THAT(away.ToString(), HasSubstr("cri.sock"));
  server_ = std::make_unique<CriStandIn>(directory_ / "cri.sock");
  server_->Hold(Held("c1", "main"));
  Result<Container> found = Find("c1");
  while (found.status().Is(Code::kUnavailable) && !limit_.Expired(RealClock())) {
    found = Find("c1");
  }
  EXPECT_OK(found.status());
}

TEST_F(CriRuntimeTest, OneThatIsSilentIsGivenUp) {
  server_->FallSilent();
  auto hasty = *MakeCriRuntime({.socket = server_->socket(),
                                .call_timeout = std::chrono::milliseconds(50),
                                .connect_timeout = std::chrono::minutes(1)},
                               RealClock());
  const Status status = hasty->Version(limit_).status();
  EXPECT_EQ(status.code(), Code::kUnavailable);
  EXPECT_THAT(status.ToString(), HasSubstr("no answer within 0.05 s"));
  EXPECT_CODE(Code::kDeadlineExceeded,
              runtime_->Version(WaitLimit::For(RealClock(), std::chrono::milliseconds(20))));
  std::stop_source stop;
  std::jthread stopping([&] { stop.request_stop(); });
  EXPECT_CODE(Code::kCancelled, runtime_->Version({limit_.deadline, stop.get_token()}));
}

TEST_F(CriRuntimeTest, ASocketOfSomebodyElseIsUnavailable) {
  const std::string path = directory_ / "other.sock";
  const UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(::listen(listener.get(), 4), 0);
  std::jthread rude([&] {
    const UniqueFd client(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    constexpr std::string_view kWords = "SSH-2.0-OpenSSH_9.2\r\n";
    (void)!::write(client.get(), kWords.data(), kWords.size());
  });
  EXPECT_CODE(Code::kUnavailable,
              (*MakeCriRuntime({.socket = path}, RealClock()))->Version(limit_));
}

TEST_F(CriRuntimeTest, TellsWhatHappens) {
  server_->ServeEvents();
  ASSERT_OK_AND_ASSIGN(const auto events, runtime_->Watch(limit_));
  server_->AwaitWatchers(1);
  for (const Kind kind : {Kind::kCreated, Kind::kStarted, Kind::kStopped, Kind::kRemoved}) {
    server_->Tell({kind, "c7"});
    ASSERT_OK_AND_ASSIGN(const ContainerEvent event, events->Next(limit_));
    EXPECT_EQ(event.kind, kind);
    EXPECT_EQ(event.container_id, "c7");
  }
  // A limit that is over costs nothing that comes later.
  EXPECT_CODE(Code::kDeadlineExceeded, events->Next(WaitLimit::For(RealClock(), Duration(0))));
  server_->Tell({Kind::kStarted, "c8"});
  EXPECT_EQ(events->Next(limit_)->container_id, "c8");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_CODE(Code::kCancelled, events->Next({limit_.deadline, stop.get_token()}));
}

TEST_F(CriRuntimeTest, EventsThatAreSwitchedOffAreTold) {
  ASSERT_OK_AND_ASSIGN(const auto events, runtime_->Watch(limit_));
  EXPECT_CODE(Code::kUnsupported, events->Next(limit_));
}

TEST_F(CriRuntimeTest, AStreamThatBreaksIsUnavailable) {
  server_->ServeEvents();
  ASSERT_OK_AND_ASSIGN(const auto events, runtime_->Watch(limit_));
  server_->AwaitWatchers(1);
  server_->Tell({Kind::kStarted, "c7"});
  ASSERT_OK(events->Next(limit_).status());
  server_.reset();
  EXPECT_CODE(Code::kUnavailable, events->Next(limit_));
}

// What one waits for is started when somebody looks for it.
TEST_F(CriRuntimeTest, AContainerIsAwaitedByEvents) {
  server_->ServeEvents();
  std::jthread starting([&] {
    server_->AwaitWatchers(1);
    server_->Hold(Held("c9", "late"));
    server_->Tell({Kind::kCreated, "c9"});
    server_->Tell({Kind::kStarted, "c9"});
  });
  // Only an event makes it look again in time.
  ASSERT_OK_AND_ASSIGN(const Container found,
                       AwaitContainer(*runtime_, {.pod_uid = "u1", .name = "late"}, limit_,
                                      RealClock(), {.look_anyway = std::chrono::hours(1)}));
  EXPECT_EQ(found.id, "c9");
}

TEST_F(CriRuntimeTest, AContainerIsAwaitedWithoutEvents) {
  std::jthread starting([&] { server_->Hold(Held("c9", "late")); });
  EXPECT_OK(
      AwaitContainer(*runtime_, {.pod_uid = "u1", .name = "late"}, limit_, RealClock()).status());
}

TEST_F(CriRuntimeTest, WhyAContainerDidNotComeIsTold) {
  std::stop_source stop;
  std::jthread stopping([&] {
    server_->AwaitLists(2);  // so that it was looked for at least once
    stop.request_stop();
  });
  const Status never = AwaitContainer(*runtime_, {.pod_uid = "u1", .name = "never"},
                                      {limit_.deadline, stop.get_token()}, RealClock())
                           .status();
  EXPECT_EQ(never.code(), Code::kCancelled);
  EXPECT_THAT(never.ToString(), HasSubstr("container never of pod u1 is not at"));
  const Status late = AwaitContainer(*runtime_, {.pod_uid = "u1", .name = "never"},
                                     WaitLimit::For(RealClock(), Duration(0)), RealClock())
                          .status();
  EXPECT_EQ(late.code(), Code::kDeadlineExceeded);
}

TEST(CriSocket, IsAnAbsolutePath) {
  EXPECT_CODE(Code::kInvalid, MakeCriRuntime({.socket = "cri.sock"}, RealClock()));
  EXPECT_CODE(Code::kInvalid, MakeCriRuntime({.socket = "tcp://1.2.3.4:5"}, RealClock()));
  EXPECT_OK(MakeCriRuntime({.socket = "unix:///run/crio/crio.sock"}, RealClock()).status());
}

TEST(CriSocket, IsLookedForInTheUsualPlaces) {
  const TempDirectory root;
  EXPECT_CODE(Code::kNotFound, FindCriSocket(RealFileSystem(), root.path()));
  std::filesystem::create_directories(root / "run/crio");
  std::ofstream(root / "run/crio/crio.sock") << "";
  EXPECT_EQ(*FindCriSocket(RealFileSystem(), root.path()), root / "run/crio/crio.sock");
}

}  // namespace
}  // namespace hearth::agent

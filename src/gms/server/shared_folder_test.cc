// Several servers in one folder, as deployments have them: one for each device, or for each tag.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>

#include "base/testing/status_matchers.h"
#include "gms/device/host_device.h"
#include "gms/protocol/socket_path.h"
#include "gms/server/internal/folder_lock.h"
#include "gms/server/internal/listening_socket.h"
#include "gms/server/internal/number_link.h"
#include "gms/server/testing/as_user.h"
#include "gms/server/testing/server_rig.h"

namespace hearth::gms::server {
namespace {

using testing::HasSubstr;

Result<std::unique_ptr<Server>> Make(ServerOptions options, int ordinal,
                                     const std::string& uuid = "") {
  auto device = OpenHostDevice({.ordinal = ordinal,
                                .uuid = uuid.empty() ? ServerRig::Uuid(ordinal) : uuid,
                                .budget_bytes = ServerRig::kDeviceBytes,
                                .granularity = ServerRig::kGranularity});
  RETURN_IF_ERROR(device.status());
  std::vector<DeviceSetup> devices;
  devices.push_back({*std::move(device), true});
  return Server::Create(std::move(options), std::move(devices), Logger::Null());
}

// A server on a thread of its own, beside that of a rig.
class Beside {
 public:
  Beside(ServerOptions options, int ordinal, const std::string& uuid = "") {
    auto server = Make(std::move(options), ordinal, uuid);
    CHECK(server.ok()) << server.status().ToString();
    server_ = *std::move(server);
    listening_ = server_->Listen();
    thread_ = std::thread([this] { outcome_ = server_->Run(); });
  }
  ~Beside() {
    server_->Stop();
    thread_.join();
  }
  const Status& listening() const { return listening_; }
  std::string AdminPath() const { return server_->SocketPaths().back(); }

 private:
  std::unique_ptr<Server> server_;
  Status listening_;
  Status outcome_;
  std::thread thread_;
};

Result<StatusResponse> StatusAt(const std::string& admin) {
  return TestClient(admin).Call<StatusResponse>(StatusRequest{});
}

TEST(SharedFolder, ServersOfOtherDevicesLiveSideBySide) {
  ServerRig rig;
  {
    const Beside second({.directory = rig.directory()}, 1);
    ASSERT_OK(second.listening());
    EXPECT_EQ(second.AdminPath(), AdminSocketPath(rig.directory(), "1"));
    ASSERT_OK_AND_ASSIGN(const auto status, StatusAt(second.AdminPath()));
    EXPECT_EQ(status.domains.front().gpu_uuid, ServerRig::Uuid(1));
    EXPECT_OK(rig.Connect("weights", 1).Lock("rw"));
    EXPECT_OK(rig.Connect("weights", 0).Lock("rw"));
    EXPECT_EQ(rig.Status().domains.front().gpu_uuid, ServerRig::Uuid(0));
  }
  EXPECT_FALSE(std::filesystem::exists(AdminSocketPath(rig.directory(), "1")));
  EXPECT_EQ(rig.Status().domains.front().gpu_uuid, ServerRig::Uuid(0)) << "which nobody removed";
}

TEST(SharedFolder, ServersOfOtherTagsLiveSideBySide) {
  ServerRig rig({.options = {.tags = {"weights"}}});
  const Beside second({.directory = rig.directory(), .tags = {"kv_cache"}}, 0);
  ASSERT_OK(second.listening());
  EXPECT_EQ(second.AdminPath(), AdminSocketPath(rig.directory(), "0_kv_cache"));
  EXPECT_OK(rig.Connect("kv_cache").Lock("rw"));
  EXPECT_OK(rig.Connect("weights").Lock("rw"));
}

TEST(SharedFolder, ServersOfOtherPathsLiveSideBySide) {
  ServerRig rig({.options = {.tags = {"weights"}}});
  const TempDirectory elsewhere;
  const std::string own = elsewhere / "own.sock";
  const Beside second({.directory = rig.directory(), .tags = {"weights"}, .socket_path = own}, 0);
  ASSERT_OK(second.listening());
  EXPECT_EQ(second.AdminPath(), elsewhere / "gms_admin_own.sock");
  EXPECT_OK(TestClient(own).Lock("rw"));
  EXPECT_OK(rig.Connect("weights").Lock("rw"));
}

// Each container may see one device only, and all of them under the number 0.
TEST(SharedFolder, DevicesOfTheSameNumberLiveSideBySideWithoutLinksByNumber) {
  ServerRig rig;
  const Beside second({.directory = rig.directory(), .ordinal_links = false}, 0, "GPU-b");
  const Beside third({.directory = rig.directory(), .ordinal_links = false}, 0, "GPU-c");
  ASSERT_OK(second.listening());
  ASSERT_OK(third.listening());
  EXPECT_EQ(third.AdminPath(), AdminSocketPath(rig.directory(), "GPU-c"));
}

std::string LeadsTo(const ServerRig& rig) {
  return std::filesystem::read_symlink(OrdinalSocketPath(rig.directory(), 0, "weights")).string();
}

TEST(SharedFolder, ANumberThatALivingServerHasIsNotTakenAway) {
  ServerRig rig;
  {
    ASSERT_OK_AND_ASSIGN(const auto second, Make({.directory = rig.directory()}, 0, "GPU-b"));
    const Status status = second->Listen();
    EXPECT_CODE(Code::kConflict, status);
    EXPECT_THAT(std::string(status.message()),
                testing::AllOf(HasSubstr("GPU-test-0"), HasSubstr("--number-links=false"),
                               HasSubstr(fmt::format("process {}", ::getpid()))));
  }
  EXPECT_EQ(LeadsTo(rig), "gms_GPU-test-0_weights.sock");
  EXPECT_FALSE(std::filesystem::exists(DomainSocketPath(rig.directory(), "GPU-b", "weights")));
}

TEST(SharedFolder, ANumberThatADeadServerHadIsTaken) {
  ServerRig rig({.options = {.ordinal_links = false}});
  const std::string link = OrdinalSocketPath(rig.directory(), 0, "weights");
  std::filesystem::create_symlink("gms_GPU-gone_weights.sock", link);
  {
    const Beside second({.directory = rig.directory()}, 0, "GPU-b");
    ASSERT_OK(second.listening());
    EXPECT_EQ(LeadsTo(rig), "gms_GPU-b_weights.sock");
    // Somebody else has it by then; it is not ours to remove.
    std::filesystem::remove(link);
    std::filesystem::create_symlink("gms_GPU-other_weights.sock", link);
  }
  EXPECT_EQ(LeadsTo(rig), "gms_GPU-other_weights.sock");
}

// In the order in which they went.
std::vector<std::string> Removed(int watch) {
  std::vector<std::string> names;
  alignas(inotify_event) char buffer[16384];
  const ssize_t size = ::read(watch, buffer, sizeof(buffer));
  for (ssize_t at = 0; at < size;) {
    const auto* event = reinterpret_cast<const inotify_event*>(buffer + at);
    names.emplace_back(event->name);
    at += static_cast<ssize_t>(sizeof(*event) + event->len);
  }
  return names;
}

// Its successor makes links of the same names to sockets of the same names as soon as these are
// free.
TEST(SharedFolder, AServerThatEndsTakesItsLinksBeforeItsSockets) {
  ServerRig rig;
  const UniqueFd watch(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  ASSERT_GE(::inotify_add_watch(watch.get(), rig.directory().c_str(), IN_DELETE), 0);
  ASSERT_OK(rig.Stop());
  EXPECT_THAT(Removed(watch.get()),
              testing::ElementsAre("gms_0_weights.sock", "gms_0_kv_cache.sock",
                                   "gms_GPU-test-0_weights.sock", "gms_GPU-test-0_kv_cache.sock",
                                   "gms_admin.sock"));
}

TEST(SharedFolder, ALinkIsNotTakenAwayWhileAnotherServerLooksAtIt) {
  const TempDirectory folder;
  const std::string path = folder / "gms_0_weights.sock";
  std::optional<FolderLocks> lock(std::in_place);
  ASSERT_OK_AND_ASSIGN(auto link, NumberLink::Make(path, folder / "gms_GPU-a_weights.sock", *lock));
  auto gone = std::async(std::launch::async, [&] { link.reset(); });
  EXPECT_EQ(gone.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
  EXPECT_TRUE(std::filesystem::is_symlink(path));
  lock.reset();
  gone.get();
  EXPECT_FALSE(std::filesystem::is_symlink(path));
}

// Whoever may read the folder can do that.
TEST(SharedFolder, SomebodyWhoKeepsTheLockIsWaitedForOnce) {
  const TempDirectory folder;
  FolderLocks lock;
  lock.Hold(folder / "any");
  std::vector<DeviceSetup> devices;
  devices.reserve(4);
  for (int i = 0; i < 4; ++i) {
    devices.push_back(ServerRig::HostDevice(i));
  }
  ASSERT_OK_AND_ASSIGN(auto server, Server::Create({.directory = folder.path()}, std::move(devices),
                                                   Logger::Null()));
  const SteadyTime begin = RealClock().Now();
  ASSERT_OK(server->Listen());
  server.reset();
  EXPECT_LT(RealClock().Now() - begin, std::chrono::seconds(15)) << "and not for each of 17 names";
}

// It may be one of another user, who would not let us ask.
TEST(SharedFolder, ANumberWhoseServerMayNotBeAskedIsNotTakenAway) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can become others";
  }
  ServerRig rig;
  std::filesystem::permissions(rig.directory(), std::filesystem::perms(0777));
  {
    const AsUser other(1234);
    ASSERT_OK_AND_ASSIGN(const auto second, Make({.directory = rig.directory()}, 0, "GPU-b"));
    EXPECT_OK(second->Listen());
    EXPECT_EQ(LeadsTo(rig), "gms_GPU-test-0_weights.sock");
  }
  EXPECT_EQ(LeadsTo(rig), "gms_GPU-test-0_weights.sock");
}

// A file, or a dead server's socket that belongs to another user and is not ours to remove.
TEST(SharedFolder, TheNextNameIsTriedWhenOneForTheAdministrationIsRefused) {
  const TempDirectory folder;
  std::ofstream(AdminSocketPath(folder.path())) << "precious";
  std::ofstream(AdminSocketPath(folder.path(), "1")) << "precious";
  const Beside server({.directory = folder.path()}, 1, "GPU-b");
  ASSERT_OK(server.listening());
  EXPECT_EQ(server.AdminPath(), AdminSocketPath(folder.path(), "GPU-b"));
  EXPECT_OK(StatusAt(server.AdminPath()));
}

TEST(SharedFolder, TheAdministrationIsBesideTheSocketWhereTheFolderIsNotThere) {
  const TempDirectory folder;
  const Beside server(
      {.directory = folder / "absent", .tags = {"weights"}, .socket_path = folder / "own.sock"}, 0);
  ASSERT_OK(server.listening());
  EXPECT_EQ(server.AdminPath(), folder / "gms_admin_own.sock");
}

void LeaveBehind(const std::string& path) {
  auto socket = ListeningSocket::Bind(path + "x", 0600);
  ASSERT_OK(socket);
  std::filesystem::rename(path + "x", path);
}

// It would look like one more server that died.
TEST(SharedFolder, WhatAServerLeftBehindUnderAnotherNameIsRemoved) {
  const TempDirectory folder;
  LeaveBehind(AdminSocketPath(folder.path(), "1"));
  LeaveBehind(AdminSocketPath(folder.path(), "2"));
  const Beside server({.directory = folder.path()}, 1);
  ASSERT_OK(server.listening());
  EXPECT_EQ(server.AdminPath(), AdminSocketPath(folder.path()));
  EXPECT_FALSE(std::filesystem::exists(AdminSocketPath(folder.path(), "1")));
  EXPECT_TRUE(std::filesystem::exists(AdminSocketPath(folder.path(), "2"))) << "another's";
}

TEST(SharedFolder, ADomainHasOneServer) {
  ServerRig rig;
  ASSERT_OK_AND_ASSIGN(const auto second, Make({.directory = rig.directory()}, 0));
  const Status status = second->Listen();
  EXPECT_CODE(Code::kConflict, status);
  EXPECT_THAT(std::string(status.message()), HasSubstr("GMS already running at " + rig.Path()));
}

TEST(SharedFolder, ASuccessorTakesOverFromTheServerOfItsDevicesAndNotFromAnother) {
  ServerRig rig;
  rig.Publish(1);
  auto second = std::make_unique<Beside>(ServerOptions{.directory = rig.directory()}, 1);
  ASSERT_OK(second->listening());
  ASSERT_OK_AND_ASSIGN(const auto successor, Make({.directory = rig.directory()}, 1));
  ASSERT_OK(successor->TakeOver(Soon()));
  ASSERT_OK(successor->Listen());
  second.reset();
  EXPECT_EQ(successor->SocketPaths().back(), AdminSocketPath(rig.directory(), "1"));
  EXPECT_EQ(rig.State().state, "COMMITTED") << "the other one goes on";
}

TEST(SharedFolder, ASuccessorWithoutAPredecessorEndsNobody) {
  ServerRig rig;
  ASSERT_OK_AND_ASSIGN(const auto successor, Make({.directory = rig.directory()}, 1));
  const Status status = successor->TakeOver(Soon());
  EXPECT_CODE(Code::kNotFound, status);
  EXPECT_THAT(std::string(status.message()), HasSubstr("gms_GPU-test-1_weights.sock"));
  EXPECT_EQ(rig.State().state, "EMPTY");
}

// It would find the second one's sockets taken after it has ended the first.
TEST(SharedFolder, ASuccessorOfTwoServersIsRefusedBeforeEitherEnds) {
  ServerRig rig({.options = {.tags = {"weights"}}});
  const Beside second({.directory = rig.directory(), .tags = {"kv_cache"}}, 0);
  ASSERT_OK(second.listening());
  ASSERT_OK_AND_ASSIGN(const auto successor, Make({.directory = rig.directory()}, 0));
  EXPECT_CODE(Code::kConflict, successor->TakeOver(Soon()));
  EXPECT_EQ(rig.State().state, "EMPTY");
  EXPECT_EQ(rig.State("kv_cache").state, "EMPTY");
}

// What it serves beyond would have no server any more, even when nothing is committed there.
TEST(SharedFolder, ASuccessorThatServesLessIsRefused) {
  ServerRig rig({.devices = 2});
  ASSERT_OK_AND_ASSIGN(const auto one_device, Make({.directory = rig.directory()}, 0));
  const Status status = one_device->TakeOver(Soon());
  EXPECT_CODE(Code::kInvalid, status);
  EXPECT_THAT(std::string(status.message()),
              testing::AllOf(HasSubstr("GPU-test-1"), HasSubstr("--device")));
  EXPECT_EQ(rig.State("weights", 1).state, "EMPTY");

  ServerRig both;
  ASSERT_OK_AND_ASSIGN(const auto one_tag,
                       Make({.directory = both.directory(), .tags = {"weights"}}, 0));
  EXPECT_CODE(Code::kInvalid, one_tag->TakeOver(Soon()));
  EXPECT_EQ(both.State("kv_cache").state, "EMPTY");
}

// The name is the same, the socket is not.
TEST(SharedFolder, AServerWithASocketOfTheSameNameElsewhereIsNotThePredecessor) {
  const TempDirectory folder;
  const TempDirectory here;
  const TempDirectory there;
  const Beside other(
      {.directory = folder.path(), .tags = {"weights"}, .socket_path = there / "own.sock"}, 0);
  ASSERT_OK(other.listening());
  ASSERT_OK_AND_ASSIGN(
      const auto successor,
      Make({.directory = folder.path(), .tags = {"weights"}, .socket_path = here / "own.sock"}, 0));
  const Status status = successor->TakeOver(Soon());
  EXPECT_CODE(Code::kConflict, status);
  EXPECT_THAT(std::string(status.message()), HasSubstr("not the predecessor"));
  EXPECT_OK(StatusAt(other.AdminPath()));
}

// It could not make its links after the predecessor has gone.
TEST(SharedFolder, ASuccessorWhoseNumberAnotherServerHasIsRefusedBeforeAnybodyEnds) {
  ServerRig rig;
  const Beside predecessor({.directory = rig.directory(), .ordinal_links = false}, 0, "GPU-b");
  ASSERT_OK(predecessor.listening());
  ASSERT_OK_AND_ASSIGN(const auto successor, Make({.directory = rig.directory()}, 0, "GPU-b"));
  const Status status = successor->TakeOver(Soon());
  EXPECT_CODE(Code::kConflict, status);
  EXPECT_THAT(std::string(status.message()), HasSubstr("--number-links=false"));
  EXPECT_OK(StatusAt(predecessor.AdminPath()));
}

// ---- What a successor could not serve is not ended for it.

TEST(SharedFolder, ASuccessorThatServesMoreAndHasNoRoomForItIsRefusedBeforeAnybodyEnds) {
  ServerRig rig({.options = {.tags = {"weights"}}});
  rig.Publish(1);
  std::ofstream(rig.Path("kv_cache")) << "precious";
  ASSERT_OK_AND_ASSIGN(const auto successor, Make({.directory = rig.directory()}, 0));
  const Status status = successor->TakeOver(Soon());
  EXPECT_CODE(Code::kPermissionDenied, status);
  EXPECT_THAT(std::string(status.message()), HasSubstr(rig.Path("kv_cache") + " is not a socket"));
  EXPECT_EQ(rig.State().state, "COMMITTED");
}

// The predecessor does not remove it when it goes.
TEST(SharedFolder, ASuccessorWhosePathIsALinkIsRefusedBeforeAnybodyEnds) {
  ServerRig rig;
  rig.Publish(1);
  std::filesystem::rename(rig.Path(), rig.directory() + "/moved");
  std::filesystem::create_symlink("moved", rig.Path());
  ASSERT_OK_AND_ASSIGN(const auto successor, Make({.directory = rig.directory()}, 0));
  EXPECT_CODE(Code::kPermissionDenied, successor->TakeOver(Soon()));
  EXPECT_EQ(rig.State().state, "COMMITTED");
}

TEST(SharedFolder, ASuccessorThatMayNotWriteToTheFolderIsRefusedBeforeAnybodyEnds) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can become others";
  }
  const TempDirectory folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0777));
  std::optional<AsUser> user(1234);
  const Beside predecessor({.directory = folder.path()}, 0);
  user.reset();
  ASSERT_OK(predecessor.listening());
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  user.emplace(1234);
  ASSERT_OK_AND_ASSIGN(const auto successor, Make({.directory = folder.path()}, 0));
  EXPECT_CODE(Code::kPermissionDenied, successor->TakeOver(Soon()));
  EXPECT_OK(StatusAt(predecessor.AdminPath()));
}

TEST(SharedFolder, ASuccessorWithoutANameForItsAdministrationIsRefusedBeforeAnybodyEnds) {
  const TempDirectory folder;
  const Beside predecessor(
      {.directory = folder.path(), .admin_path = AdminSocketPath(folder.path(), "own")}, 0);
  ASSERT_OK(predecessor.listening());
  for (const std::string& name :
       {AdminSocketPath(folder.path()), AdminSocketPath(folder.path(), "0"),
        AdminSocketPath(folder.path(), ServerRig::Uuid(0))}) {
    std::ofstream(name) << "precious";
  }
  ASSERT_OK_AND_ASSIGN(const auto successor, Make({.directory = folder.path()}, 0));
  const Status status = successor->TakeOver(Soon());
  EXPECT_CODE(Code::kConflict, status);
  EXPECT_THAT(std::string(status.message()), HasSubstr("all names for the administration"));
  EXPECT_OK(StatusAt(predecessor.AdminPath()));
}

// All that it took over would be lost for a courtesy.
TEST(SharedFolder, ASuccessorWhoseNumberIsTakenAfterTheTakeOverServesAllTheSame) {
  ServerRig rig;
  rig.Publish(1);
  ASSERT_OK_AND_ASSIGN(const auto successor, Make({.directory = rig.directory()}, 0));
  ASSERT_OK(successor->TakeOver(Soon()));
  const Beside other({.directory = rig.directory()}, 0, "GPU-b");
  ASSERT_OK(other.listening());
  ASSERT_OK(successor->Listen());
  ASSERT_OK(rig.Wait());
  EXPECT_EQ(LeadsTo(rig), "gms_GPU-b_weights.sock");
  std::thread running([&] { EXPECT_OK(successor->Run()); });
  EXPECT_EQ(rig.State().state, "COMMITTED");
  successor->Stop();
  running.join();
}

// A predecessor that has nothing to hand over but its nonce, and ends its connection when it is
// asked to go.
class Mute {
 public:
  Mute(const std::string& folder, bool dies, std::function<void()> meanwhile = {})
      : weights_(Bind(DomainSocketPath(folder, ServerRig::Uuid(0), "weights"))),
        admin_(Bind(AdminSocketPath(folder))),
        thread_([this, dies, meanwhile = std::move(meanwhile)] { Serve(dies, meanwhile); }) {}

  bool WasAskedToGo() {
    thread_.join();
    return asked_to_go_;
  }

 private:
  static ListeningSocket Bind(const std::string& path) {
    auto socket = ListeningSocket::Bind(path, 0600);
    CHECK(socket.ok()) << socket.status().ToString();
    return *std::move(socket);
  }
  void Serve(bool dies, const std::function<void()>& meanwhile) {
    pollfd coming{.fd = admin_.fd(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&coming, 1, 60000), 1);
    MessageChannel successor(
        UniqueFd(::accept4(admin_.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)));
    ASSERT_OK(successor.Receive<StatusRequest>(Soon()));
    const DomainItem domain{
        .gpu_uuid = ServerRig::Uuid(0), .domain = "weights", .socket = weights_.path()};
    ASSERT_OK(successor.Send(StatusResponse{.domains = {domain}}, Soon()));
    ASSERT_OK(successor.Receive<HandOverRequest>(Soon()));
    if (meanwhile) {
      meanwhile();
    }
    ASSERT_OK(successor.Send(HandOverResponse{.nonce = "handed over"}, Soon()));
    asked_to_go_ = successor.Receive<HandOverDoneRequest>(Soon()).ok();
    if (dies) {
      weights_.Remove();
      admin_.Remove();
    }
  }

  ListeningSocket weights_, admin_;
  bool asked_to_go_ = false;
  std::jthread thread_;
};

TEST(SharedFolder, APredecessorThatDiesWhenAllIsHandedOverLosesNothing) {
  const TempDirectory folder;
  const Mute predecessor(folder.path(), true);
  ASSERT_OK_AND_ASSIGN(const auto successor,
                       Make({.directory = folder.path(), .tags = {"weights"}}, 0));
  ASSERT_OK(successor->TakeOver(Soon()));
  ASSERT_OK(successor->Listen());
  std::thread running([&] { EXPECT_OK(successor->Run()); });
  const auto status = StatusAt(AdminSocketPath(folder.path()));
  ASSERT_OK(status);
  EXPECT_EQ(status->nonce, "handed over");
  successor->Stop();
  running.join();
}

TEST(SharedFolder, ASuccessorThatHasNoRoomAnyMoreDoesNotAskThePredecessorToGo) {
  const TempDirectory folder;
  const std::string path = DomainSocketPath(folder.path(), ServerRig::Uuid(0), "kv_cache");
  Mute predecessor(folder.path(), false, [&] { std::ofstream(path) << "precious"; });
  {
    ASSERT_OK_AND_ASSIGN(const auto successor, Make({.directory = folder.path()}, 0));
    EXPECT_CODE(Code::kPermissionDenied, successor->TakeOver(Soon()));
  }
  EXPECT_FALSE(predecessor.WasAskedToGo());
}

TEST(SharedFolder, APredecessorThatDoesNotAnswerAndLivesIsNotSucceeded) {
  const TempDirectory folder;
  const Mute predecessor(folder.path(), false);
  ASSERT_OK_AND_ASSIGN(const auto successor,
                       Make({.directory = folder.path(), .tags = {"weights"}}, 0));
  EXPECT_CODE(Code::kUnavailable, successor->TakeOver(Soon()));
}

// Somebody has our socket and is not who answers for the administration.
TEST(SharedFolder, ASuccessorWhoseSocketNobodyAnswersForEndsNobody) {
  ServerRig rig;
  ASSERT_OK_AND_ASSIGN(
      const auto foreign,
      ListeningSocket::Bind(DomainSocketPath(rig.directory(), "GPU-test-1", "weights"), 0600));
  ASSERT_OK_AND_ASSIGN(const auto successor, Make({.directory = rig.directory()}, 1));
  const Status status = successor->TakeOver(WaitLimit::For(RealClock(), std::chrono::seconds(2)));
  EXPECT_CODE(Code::kConflict, status);
  EXPECT_THAT(std::string(status.message()), HasSubstr("GMS already running at"));
  EXPECT_EQ(rig.State().state, "EMPTY");
}

// Whoever may write to the folder could pretend to be a predecessor.
TEST(SharedFolder, AServerOfAnotherUserIsNotThePredecessor) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can become others";
  }
  const TempDirectory folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0777));
  std::optional<AsUser> user(1234);
  const Beside foreign({.directory = folder.path()}, 0);
  user.reset();
  ASSERT_OK(foreign.listening());
  ASSERT_OK_AND_ASSIGN(const auto successor, Make({.directory = folder.path()}, 0));
  const Status status = successor->TakeOver(Soon());
  EXPECT_CODE(Code::kPermissionDenied, status);
  EXPECT_THAT(std::string(status.message()),
              testing::AllOf(HasSubstr(foreign.AdminPath()), HasSubstr("user 1234")));
  EXPECT_OK(StatusAt(foreign.AdminPath()));
}

TEST(SharedFolder, ASocketOfAnotherUserIsNotThePredecessors) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can become others";
  }
  ServerRig rig;
  std::filesystem::permissions(rig.directory(), std::filesystem::perms(0777));
  std::filesystem::remove(rig.Path());
  std::optional<AsUser> user(1234);
  ASSERT_OK_AND_ASSIGN(const auto foreign, ListeningSocket::Bind(rig.Path(), 0600));
  user.reset();
  ASSERT_OK_AND_ASSIGN(const auto successor, Make({.directory = rig.directory()}, 0));
  const Status status = successor->TakeOver(Soon());
  EXPECT_CODE(Code::kConflict, status);
  EXPECT_THAT(std::string(status.message()),
              testing::AllOf(HasSubstr(rig.Path()), HasSubstr("of user 1234")));
  EXPECT_EQ(rig.State("kv_cache").state, "EMPTY");
}

// The server that comes while a successor waits need not be the one that it waits for.
TEST(SharedFolder, ASuccessorThatWaitsDoesNotEndTheFirstThatComes) {
  const TempDirectory folder;
  ASSERT_OK_AND_ASSIGN(const auto successor, Make({.directory = folder.path()}, 1));
  auto taken_over = std::async(std::launch::async, [&] { return successor->TakeOver(Soon()); });
  const Beside other({.directory = folder.path()}, 0);
  ASSERT_OK(other.listening());
  EXPECT_CODE(Code::kNotFound, taken_over.get());
  EXPECT_OK(StatusAt(other.AdminPath()));
}

TEST(SharedFolder, OneThatHangsDoesNotKeepASuccessorFromItsPredecessor) {
  ServerRig rig({.options = {.admin_path = ""}});
  rig.Publish(1);
  ASSERT_OK_AND_ASSIGN(const auto hangs,
                       ListeningSocket::Bind(AdminSocketPath(rig.directory(), "hangs"), 0600));
  ASSERT_OK_AND_ASSIGN(const auto successor, Make({.directory = rig.directory()}, 0));
  EXPECT_OK(successor->TakeOver(WaitLimit::For(RealClock(), std::chrono::seconds(30))));
  EXPECT_OK(successor->Listen());
  EXPECT_OK(rig.Wait());
}

}  // namespace
}  // namespace hearth::gms::server

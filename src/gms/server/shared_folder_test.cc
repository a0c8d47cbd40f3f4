// Several servers in one folder, as deployments have them: one for each device, or for each tag.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/testing/status_matchers.h"
#include "gms/device/host_device.h"
#include "gms/protocol/socket_path.h"
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
TEST(SharedFolder, DevicesOfTheSameNumberLiveSideBySide) {
  ServerRig rig;
  const Beside second({.directory = rig.directory()}, 0, "GPU-b");
  const Beside third({.directory = rig.directory()}, 0, "GPU-c");
  ASSERT_OK(second.listening());
  ASSERT_OK(third.listening());
  EXPECT_EQ(third.AdminPath(), AdminSocketPath(rig.directory(), "GPU-c"));
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
  second.reset();
  ASSERT_OK(successor->Listen());
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

}  // namespace
}  // namespace hearth::gms::server

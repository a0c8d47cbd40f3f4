#include "gms/storage/device_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <filesystem>
#include <future>

#include "base/file_system.h"
#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "gms/device/testing/standin_cuda.h"

namespace hearth::gms::storage {
namespace {

using testing::HasSubstr;

class DeviceAccessTest : public testing::Test {
 protected:
  DeviceAccessTest() { selection_.cuda.driver = "libno-such-driver.so.1"; }

  Result<std::vector<DeviceAccess>> Select() const {
    return Select(RealClock(), WaitLimit::For(RealClock(), Duration::zero()));
  }
  Result<std::vector<DeviceAccess>> Select(Clock& clock, const WaitLimit& limit) const {
    return SelectDevices(
        selection_,
        [this](const std::string& name) { return name == "GMS_GPU_UUID_0" ? uuid_ : std::nullopt; },
        clock, limit);
  }
  void MakeSocketName(const std::string& name) {
    ASSERT_OK(RealFileSystem().Write(temp_ / name, "", 0600));
  }

  static UniqueFd Listen(const std::string& path) {
    UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    EXPECT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(::listen(socket.get(), 8), 0);
    return socket;
  }

  TempDirectory temp_;
  DeviceSelection selection_{.socket_directory = temp_.path()};
  std::optional<std::string> uuid_;
};

TEST_F(DeviceAccessTest, WithoutADriverSocketsAreCountedAndTheServerTellsTheKind) {
  MakeSocketName("gms_0_weights.sock");
  MakeSocketName("gms_2_weights.sock");
  MakeSocketName("gms_2_kv_cache.sock");
  ASSERT_OK_AND_ASSIGN(const auto devices, Select());
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[1].device, 2);
  ASSERT_OK_AND_ASSIGN(auto space, devices[1].bind(""));
  EXPECT_EQ(space, nullptr);
  EXPECT_EQ(devices[1].socket(nullptr), temp_ / "gms_2_weights.sock");
  ASSERT_OK(BindServed(devices[1], {.kind = "host", .uuid = "GPU-made-up"}, space));
  EXPECT_EQ(space->facts().kind, "host");
}

TEST_F(DeviceAccessTest, AServerThatSaysNothingNeedsTheFlagWhereThereIsNoDriver) {
  selection_.device = 0;
  ASSERT_OK_AND_ASSIGN(const auto devices, Select());
  std::unique_ptr<AddressSpace> space;
  const Status status = BindServed(devices[0], {}, space);
  EXPECT_CODE(Code::kInvalid, status);
  EXPECT_THAT(std::string(status.message()), HasSubstr("--device-type"));
  selection_.kind = "host";
  ASSERT_OK_AND_ASSIGN(const auto told, Select());
  ASSERT_OK_AND_ASSIGN(space, told[0].bind(""));
  EXPECT_OK(BindServed(told[0], {}, space));
}

TEST_F(DeviceAccessTest, ADriverThatIsMissingIsNamedWhenTheServerNeedsIt) {
  selection_.device = 0;
  ASSERT_OK_AND_ASSIGN(const auto devices, Select());
  std::unique_ptr<AddressSpace> space;
  const Status status = BindServed(devices[0], {.kind = "cuda"}, space);
  EXPECT_CODE(Code::kUnavailable, status);
  EXPECT_THAT(std::string(status.message()), HasSubstr("libno-such-driver.so.1"));
}

TEST_F(DeviceAccessTest, WithADriverItsDevicesAreTheOnes) {
  selection_.cuda = StandInCuda();
  ASSERT_OK_AND_ASSIGN(const auto devices, Select());
  ASSERT_EQ(devices.size(), 2U);
  ASSERT_OK_AND_ASSIGN(auto space, devices[1].bind(""));
  const std::string uuid = space->facts().uuid;
  EXPECT_EQ(devices[1].socket(space.get()), DomainSocketPath(temp_.path(), uuid, kWeightsTag));
  EXPECT_OK(BindServed(devices[1], {.kind = "cuda", .uuid = uuid}, space));
  EXPECT_EQ(space->facts().kind, "cuda");
  EXPECT_CODE(Code::kConflict,
              BindServed(devices[1], {.kind = "cuda", .uuid = "GPU-another"}, space));
}

TEST_F(DeviceAccessTest, AServerOfHostMemoryBesideADriverIsFoundByItsNumber) {
  selection_.cuda = StandInCuda();
  MakeSocketName("gms_0_weights.sock");
  ASSERT_OK_AND_ASSIGN(const auto devices, Select());
  ASSERT_OK_AND_ASSIGN(auto space, devices[0].bind(""));
  EXPECT_EQ(devices[0].socket(space.get()), temp_ / "gms_0_weights.sock");
  ASSERT_OK(BindServed(devices[0], {.kind = "host", .uuid = "GPU-made-up"}, space));
  EXPECT_EQ(space->facts().kind, "host");
}

TEST_F(DeviceAccessTest, AFlagThatContradictsTheServerIsRefused) {
  selection_.device = 0;
  selection_.kind = "host";
  ASSERT_OK_AND_ASSIGN(const auto devices, Select());
  ASSERT_OK_AND_ASSIGN(auto space, devices[0].bind(""));
  const Status status = BindServed(devices[0], {.kind = "cuda"}, space);
  EXPECT_CODE(Code::kInvalid, status);
  EXPECT_THAT(std::string(status.message()), HasSubstr("--device-type says host"));
}

TEST_F(DeviceAccessTest, TheEnvironmentNamesTheSocket) {
  selection_.device = 0;
  uuid_ = "GPU-given";
  ASSERT_OK_AND_ASSIGN(const auto devices, Select());
  EXPECT_EQ(devices[0].socket(nullptr), temp_ / "gms_GPU-given_weights.sock");
  selection_.socket = "/run/other.sock";
  ASSERT_OK_AND_ASSIGN(const auto named, Select());
  EXPECT_EQ(named[0].socket(nullptr), "/run/other.sock");
}

// Spec 5.1: what the environment says and what a server's driver says lead to the same socket.
TEST_F(DeviceAccessTest, AnInstanceOfAPartitionedDeviceIsFoundByEitherName) {
  ::setenv("STANDIN_CUDA_PARTITIONED", "1", 1);
  selection_.cuda = StandInCuda();
  selection_.device = 0;
  const auto served = OpenCudaDevice(0, StandInCuda());
  const auto devices = Select();
  uuid_ = "MIG-c0c0c0c0-c0c0-c0c0-c0c0-c0c0c0c0c000";
  const auto named = Select();
  ::unsetenv("STANDIN_CUDA_PARTITIONED");
  ASSERT_OK(served);
  ASSERT_OK(devices);
  ASSERT_OK(named);
  const std::string socket = DomainSocketPath(temp_.path(), (*served)->facts().uuid, kWeightsTag);
  EXPECT_EQ((*named)[0].socket(nullptr), socket);
}

TEST_F(DeviceAccessTest, AServerThatStillStartsIsWaitedForUntilAllItsSocketsAreThere) {
  ManualClock clock;
  selection_.socket_directory = temp_ / "later";
  auto devices = std::async(std::launch::async, [&] {
    return Select(clock, WaitLimit::For(clock, std::chrono::hours(1)));
  });
  // It has looked, sleeps, and looks again after the change.
  const auto then = [&](const std::function<void()>& change) {
    clock.AwaitWaiters(1);
    change();
    clock.Advance(std::chrono::seconds(1));
  };
  then([&] { ASSERT_OK(RealFileSystem().MakeDirectories(temp_ / "later", 0755)); });
  then([&] { MakeSocketName("later/gms_0_weights.sock"); });
  then([&] {
    MakeSocketName("later/gms_1_weights.sock");
    MakeSocketName("later/gms_admin.sock");
  });
  ASSERT_OK_AND_ASSIGN(const auto found, devices.get());
  EXPECT_EQ(found.size(), 2U);
}

TEST_F(DeviceAccessTest, EachServerOfAFolderCountsByASocketOfItsOwn) {
  MakeSocketName("gms_1_weights.sock");
  MakeSocketName("gms_admin_1.sock");
  ASSERT_OK_AND_ASSIGN(const auto devices, Select(RealClock(), WaitLimit::Forever()));
  EXPECT_EQ(devices.size(), 1U);
}

// People start one server for each device; which come up one after another.
TEST_F(DeviceAccessTest, DevicesThatAreExpectedAreWaitedForWhicheverServerHasThem) {
  ManualClock clock;
  selection_.expected = {0, 1};
  MakeSocketName("gms_0_weights.sock");
  MakeSocketName("gms_admin.sock");
  auto devices = std::async(std::launch::async, [&] {
    return Select(clock, WaitLimit::For(clock, std::chrono::hours(1)));
  });
  clock.AwaitWaiters(1);
  MakeSocketName("gms_1_weights.sock");
  clock.Advance(std::chrono::seconds(1));
  ASSERT_OK_AND_ASSIGN(const auto found, devices.get());
  EXPECT_EQ(found.size(), 2U);
}

TEST_F(DeviceAccessTest, ADeviceThatIsExpectedAndDoesNotComeIsNamed) {
  selection_.expected = {0, 1};
  MakeSocketName("gms_0_weights.sock");
  MakeSocketName("gms_admin.sock");
  const auto devices = Select();
  EXPECT_CODE(Code::kUnavailable, devices);
  EXPECT_THAT(std::string(devices.status().message()),
              testing::AllOf(HasSubstr("device 1 is expected"), HasSubstr("gms_1_weights.sock")));
}

TEST_F(DeviceAccessTest, NobodyWaitsForWhatCannotBecomeWhatIsExpected) {
  selection_.expected = {0, 1};
  MakeSocketName("gms_2_weights.sock");
  MakeSocketName("gms_admin.sock");
  ASSERT_OK_AND_ASSIGN(const auto devices, Select(RealClock(), WaitLimit::Forever()));
  EXPECT_EQ(devices.size(), 1U) << "whoever asked compares";
}

// Sockets by UUID come first, then links by number.
TEST_F(DeviceAccessTest, AServerThatHasBegunIsWaitedForBesideOneThatIsReady) {
  ManualClock clock;
  MakeSocketName("gms_0_weights.sock");
  MakeSocketName("gms_admin.sock");
  const UniqueFd listener = Listen(temp_ / "gms_GPU-b_weights.sock");
  auto devices = std::async(std::launch::async, [&] {
    return Select(clock, WaitLimit::For(clock, std::chrono::hours(1)));
  });
  clock.AwaitWaiters(1);
  std::filesystem::create_symlink("gms_GPU-b_weights.sock", temp_ / "gms_1_weights.sock");
  clock.Advance(std::chrono::seconds(1));
  ASSERT_OK_AND_ASSIGN(const auto found, devices.get());
  EXPECT_EQ(found.size(), 2U);
}

TEST_F(DeviceAccessTest, AServerWithoutLinksIsNotPassedOver) {
  MakeSocketName("gms_0_weights.sock");
  MakeSocketName("gms_admin.sock");
  {
    const UniqueFd listener = Listen(temp_ / "gms_GPU-b_weights.sock");
    const auto devices = Select();
    EXPECT_CODE(Code::kUnavailable, devices);
    EXPECT_THAT(std::string(devices.status().message()),
                testing::AllOf(HasSubstr("gms_GPU-b_weights.sock"), HasSubstr("--socket-path")));
  }
  EXPECT_OK(Select(RealClock(), WaitLimit::Forever()));  // now it is only left behind
}

TEST_F(DeviceAccessTest, AServerWithoutLinksIsNoneOfTheDevicesThatAreExpectedAndThere) {
  selection_.expected = {0};
  MakeSocketName("gms_0_weights.sock");
  MakeSocketName("gms_admin.sock");
  const UniqueFd listener = Listen(temp_ / "gms_GPU-b_weights.sock");
  ASSERT_OK_AND_ASSIGN(const auto devices, Select());
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].device, 0);
}

TEST(DevicesOfEnvironment, AreCountedUntilTheFirstThatIsNotNamed) {
  const auto of = [](const std::string& uuids) {
    return DevicesOfEnvironment([&](const std::string& name) {
      return name == "GMS_GPU_UUIDS" ? std::optional(uuids) : std::nullopt;
    });
  };
  EXPECT_EQ(of(""), std::set<int64_t>());
  EXPECT_EQ(of("GPU-a, GPU-b"), (std::set<int64_t>{0, 1}));
}

// One that makes no socket for the administration is not ours, and its devices count as well.
TEST_F(DeviceAccessTest, WhatIsThereWhenTheTimeIsOverIsTaken) {
  MakeSocketName("gms_0_weights.sock");
  ASSERT_OK_AND_ASSIGN(const auto devices, Select());
  EXPECT_EQ(devices.size(), 1U);
}

TEST_F(DeviceAccessTest, WaitingForAServerCanBeStopped) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_CODE(Code::kCancelled, Select(RealClock(), {.stop = stop.get_token()}));
}

TEST_F(DeviceAccessTest, DevicesOfADriverNeedNoWaiting) {
  selection_.cuda = StandInCuda();
  EXPECT_OK(Select(RealClock(), WaitLimit::Forever()));
  selection_.device = 1;
  EXPECT_OK(Select(RealClock(), WaitLimit::Forever()));
}

TEST_F(DeviceAccessTest, NoDriverAndNoSocketsIsToldWithAWayOut) {
  const auto devices = Select();
  EXPECT_CODE(Code::kNotFound, devices);
  EXPECT_THAT(std::string(devices.status().message()),
              testing::AllOf(HasSubstr(temp_.path()), HasSubstr("--socket-dir")));
}

}  // namespace
}  // namespace hearth::gms::storage

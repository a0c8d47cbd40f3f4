// Memory that is not there, never was, or fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <limits>

#include "base/testing/status_matchers.h"
#include "gms/device/testing/faulty_device.h"
#include "gms/server/testing/server_rig.h"

namespace hearth::gms::server {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr auto kAll = static_cast<int64_t>(ServerRig::kDeviceBytes);
constexpr int64_t kHalf = kAll / 2;

// Nobody asks again by himself within the test.
ServerRig::Setup OnlyWoken() { return {.options = {.alloc_retry_interval = hours(1)}}; }

// The same behind the device's own thread, as drivers are that may block.
DeviceSetup OnAThread(int ordinal) {
  DeviceSetup setup = ServerRig::HostDevice(ordinal);
  setup.quick = false;
  return setup;
}

void SendAllocate(TestClient& client, int64_t size) {
  ASSERT_OK(client.channel().Send(AllocateRequest{.size = size}, Soon()));
}

bool Waits(ServerRig& rig, const std::string& tag) {
  return ServerRig::Eventually([&] {
    const auto events = rig.Events(tag);
    return std::find(events.begin(), events.end(), "allocation_oom") != events.end();
  });
}

class MemoryPressure : public testing::TestWithParam<bool> {
 protected:
  static ServerRig::Setup With(ServerRig::Setup setup) {
    if (GetParam()) {
      setup.open = OnAThread;
    }
    return setup;
  }
};
INSTANTIATE_TEST_SUITE_P(OnTheLoopAndOnAThread, MemoryPressure, testing::Bool());

// W-17: nothing is locked while an allocation waits for memory.
// W-33: woken by whatever is given back in the process, on the other domain too.
TEST_P(MemoryPressure, AnAllocationWaitsUntilSomebodyGivesMemoryBack) {
  ServerRig rig(With(OnlyWoken()));
  TestClient cache = rig.Connect("kv_cache");
  ASSERT_OK(cache.Lock("rw"));
  ASSERT_OK_AND_ASSIGN(const auto held, cache.Allocate(kAll));
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.Lock("rw"));
  SendAllocate(writer, kHalf);
  ASSERT_TRUE(Waits(rig, "weights"));
  EXPECT_OK(cache.LockState());  // others are served meanwhile
  ASSERT_OK(cache.Call<FreeAllocationResponse>(FreeAllocationRequest{held.allocation_id}));
  ASSERT_OK_AND_ASSIGN(const auto made, writer.channel().Receive<AllocateResponse>(Soon()));
  EXPECT_EQ(made.layout_slot, 0);
  const auto events = rig.Events();
  EXPECT_EQ(std::count(events.begin(), events.end(), "allocation_oom"), 1);
}

// A23 without a device: memory whose server handle is gone lives on in another process' descriptor.
TEST_P(MemoryPressure, MemoryThatAnotherHoldsIsWaitedForUntilItLetsGo) {
  ServerRig rig(With({.options = {.alloc_retry_interval = milliseconds(5)}}));
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.Lock("rw"));
  ASSERT_OK_AND_ASSIGN(const auto made, writer.Allocate(kAll));
  ASSERT_OK_AND_ASSIGN(UniqueFd held, writer.Export(made.allocation_id));
  writer.Close();
  TestClient next = rig.Connect();
  ASSERT_OK(next.Lock("rw"));
  SendAllocate(next, kAll);
  ASSERT_TRUE(Waits(rig, "weights"));
  held.reset();
  ASSERT_OK_AND_ASSIGN(const auto again, next.channel().Receive<AllocateResponse>(Soon()));
  EXPECT_EQ(again.layout_slot, 0);
}

TEST_P(MemoryPressure, WaitingEndsWithWordsThatClientsKnowAndTheSessionGoesOn) {
  ServerRig rig(With({.options = {.alloc_retry_interval = milliseconds(5),
                                  .alloc_retry_timeout = milliseconds(40)}}));
  TestClient cache = rig.Connect("kv_cache");
  ASSERT_OK(cache.Lock("rw"));
  ASSERT_OK(cache.Allocate(kHalf));
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.Lock("rw"));
  const auto refused = writer.Allocate(kAll);
  EXPECT_THAT(refused.status().message(), HasSubstr("Timed out waiting for GPU memory:"));
  EXPECT_EQ(refused.status().reason(), ReasonOf(ErrorCode::kOutOfMemory));
  EXPECT_OK(writer.Allocate(kHalf));
}

// Memory is not all that may have run out.
TEST(MemoryPressureCause, WhoWaitedInVainIsToldWhatWasMissing) {
  ServerRig rig({.options = {.alloc_retry_interval = milliseconds(5),
                             .alloc_retry_timeout = milliseconds(40)},
                 .open = [](int ordinal) {
                   DeviceSetup setup = ServerRig::HostDevice(ordinal);
                   auto device = std::make_unique<FaultyDevice>(std::move(setup.device));
                   device->FailFrom(0, Status::FromErrno(EMFILE, "raise RLIMIT_NOFILE"));
                   setup.device = std::move(device);
                   return setup;
                 }});
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.Lock("rw"));
  const auto refused = writer.Allocate(kHalf);
  EXPECT_THAT(refused.status().message(), StartsWith("Timed out waiting for GPU memory:"));
  EXPECT_THAT(refused.status().message(), HasSubstr("raise RLIMIT_NOFILE"));
  EXPECT_EQ(refused.status().reason(), ReasonOf(ErrorCode::kOutOfMemory));
}

TEST_P(MemoryPressure, ABatchThatDoesNotFitGivesBackWhatItHad) {
  ServerRig rig(With({.options = {.alloc_retry_interval = milliseconds(5),
                                  .alloc_retry_timeout = milliseconds(40)}}));
  TestClient cache = rig.Connect("kv_cache");
  ASSERT_OK(cache.Lock("rw"));
  ASSERT_OK(cache.Allocate(kHalf));
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.LockExtended("rw"));
  AllocateBatchRequest batch;
  batch.items.assign(200, AllocationItem{.size = 4096, .tag = "w"});
  EXPECT_EQ(writer.Call<AllocateBatchResponse>(batch).status().reason(),
            ReasonOf(ErrorCode::kOutOfMemory));
  EXPECT_EQ(writer.CountAllocations(), 0);
  EXPECT_TRUE(ServerRig::Eventually([&] { return writer.Allocate(kHalf).ok(); }))
      << "all of it is back, which may take longer than one allocation waits";
}

TEST_P(MemoryPressure, AClientThatHangsUpWhileItWaitsIsGoneAtOnce) {
  ServerRig rig(With(OnlyWoken()));
  TestClient cache = rig.Connect("kv_cache");
  ASSERT_OK(cache.Lock("rw"));
  ASSERT_OK(cache.Allocate(kHalf));
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.LockExtended("rw"));
  AllocateBatchRequest batch;
  batch.items.assign(200, AllocationItem{.size = 4096, .tag = "w"});
  ASSERT_OK(writer.channel().Send(batch, Soon()));
  ASSERT_TRUE(Waits(rig, "weights"));
  writer.Close();
  EXPECT_TRUE(rig.BecomesState("EMPTY"));
  EXPECT_TRUE(ServerRig::Eventually([&] {
    return rig.Status().domains[0].device_free_bytes == kHalf;
  })) << "and so is what it had";
}

// What is kept for the case that the writer fails is let go for it when that helps, and only then.
TEST_P(MemoryPressure, TheOldGenerationMakesRoomForTheNewOne) {
  ServerRig rig(With(OnlyWoken()));
  TestClient first = rig.Connect();
  ASSERT_OK(first.Lock("rw"));
  ASSERT_OK(first.Allocate(kAll));
  ASSERT_OK(first.Commit());
  TestClient second = rig.Connect();
  ASSERT_OK(second.Lock("rw"));
  ASSERT_OK(second.Allocate(kAll));
  EXPECT_THAT(rig.Events(), Not(Contains("allocation_oom")));
  ASSERT_OK(second.Commit());
  EXPECT_EQ(rig.State().allocation_count, 1);
}

TEST_P(MemoryPressure, TheOldGenerationIsNotGivenUpInVain) {
  ServerRig rig(With({.options = {.alloc_retry_interval = milliseconds(5),
                                  .alloc_retry_timeout = milliseconds(40)}}));
  rig.Publish();
  TestClient cache = rig.Connect("kv_cache");
  ASSERT_OK(cache.Lock("rw"));
  ASSERT_OK(cache.Allocate(kHalf));
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.Lock("rw"));
  EXPECT_FALSE(writer.Allocate(kAll).ok());
  writer.Close();
  EXPECT_TRUE(rig.BecomesState("COMMITTED")) << "what was there would not have been enough";
}

// Descriptors run out as memory does, and nothing comes back by giving weights up.
TEST_P(MemoryPressure, TheOldGenerationIsNotGivenUpWhenMemoryIsNotWhatIsMissing) {
  FaultyDevice* faulty = nullptr;
  ServerRig rig({.options = {.alloc_retry_interval = milliseconds(5),
                             .alloc_retry_timeout = milliseconds(40)},
                 .open = [&](int ordinal) {
                   DeviceSetup setup = ServerRig::HostDevice(ordinal);
                   setup.quick = !GetParam();
                   auto device = std::make_unique<FaultyDevice>(std::move(setup.device));
                   faulty = device.get();
                   setup.device = std::move(device);
                   return setup;
                 }});
  rig.Publish();
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.Lock("rw"));
  faulty->FailFrom(faulty->steps(), Status::FromErrno(EMFILE, "memfd_create"));
  EXPECT_EQ(writer.Allocate(4096).status().reason(), ReasonOf(ErrorCode::kOutOfMemory));
  faulty->Recover();
  writer.Close();
  EXPECT_TRUE(rig.BecomesState("COMMITTED"));
}

// W-06: what cannot be is refused before the driver is asked.
TEST_P(MemoryPressure, AbsurdSizesAreRefusedAtOnce) {
  ServerRig rig(With(OnlyWoken()));
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.LockExtended("rw"));
  for (const int64_t size : {int64_t{0}, int64_t{-1}, std::numeric_limits<int64_t>::min()}) {
    EXPECT_THAT(writer.Allocate(size).status().message(), HasSubstr("size must be > 0"));
  }
  for (const int64_t size : {kAll + 1, std::numeric_limits<int64_t>::max()}) {
    EXPECT_THAT(writer.Allocate(size).status().message(), HasSubstr("more than"));
  }
  AllocateBatchRequest batch;
  batch.items.assign(3, AllocationItem{.size = kHalf, .tag = "w"});
  EXPECT_THAT(writer.Call<AllocateBatchResponse>(batch).status().message(), HasSubstr("in all"));
  EXPECT_OK(writer.Allocate(kAll));
}

// W-06, W-52: a driver that fails ends nothing but the call, on its own device.
TEST(FailingDriver, LeavesTheSessionAndTheOtherDevicesAlone) {
  for (const bool quick : {true, false}) {
    FaultyDevice* faulty = nullptr;
    ServerRig rig({.devices = 2, .open = [&](int ordinal) {
                     DeviceSetup setup = ServerRig::HostDevice(ordinal);
                     setup.quick = quick;
                     if (ordinal == 0) {
                       auto device = std::make_unique<FaultyDevice>(std::move(setup.device));
                       faulty = device.get();
                       setup.device = std::move(device);
                     }
                     return setup;
                   }});
    TestClient writer = rig.Connect();
    ASSERT_OK(writer.LockExtended("rw"));
    ASSERT_OK(writer.Allocate(4096, "w", "a"));
    faulty->FailFrom(faulty->steps(), UnavailableError("the device fell off the bus"));
    const auto refused = writer.Allocate(4096);
    EXPECT_THAT(refused.status().message(), HasSubstr("fell off the bus"));
    EXPECT_EQ(refused.status().reason(), ReasonOf(ErrorCode::kDeviceFailed));
    EXPECT_EQ(writer.Export("a").status().reason(), ReasonOf(ErrorCode::kDeviceFailed));
    EXPECT_FALSE(writer.Call<OpenLayoutResponse>(OpenLayoutRequest{}).ok());
    TestClient other = rig.Connect("weights", 1);
    ASSERT_OK(other.Lock("rw"));
    EXPECT_OK(other.Allocate(4096));
    faulty->Recover();
    EXPECT_OK(writer.Allocate(4096));
    EXPECT_OK(writer.Export("a"));
  }
}

// A device whose driver does not answer until it is let go on.
class StuckDevice : public FaultyDevice {
 public:
  using FaultyDevice::FaultyDevice;
  Result<Handle> Create(uint64_t size) override {
    stuck_.set_value();
    go_on_.get_future().wait();
    return FaultyDevice::Create(size);
  }
  void AwaitStuck() { stuck_.get_future().wait(); }
  void GoOn() { go_on_.set_value(); }

 private:
  std::promise<void> stuck_;
  std::promise<void> go_on_;
};

// W-40: while a driver call blocks, both domains of the device, all others and the administration
// are served.
TEST(FailingDriver, ThatDoesNotAnswerHoldsUpNobodyElse) {
  StuckDevice* stuck = nullptr;
  ServerRig rig({.devices = 2, .open = [&](int ordinal) {
                   DeviceSetup setup = ServerRig::HostDevice(ordinal);
                   setup.quick = false;
                   if (ordinal == 0) {
                     auto device = std::make_unique<StuckDevice>(std::move(setup.device));
                     stuck = device.get();
                     setup.device = std::move(device);
                   }
                   return setup;
                 }});
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.Lock("rw"));
  SendAllocate(writer, 4096);
  stuck->AwaitStuck();
  TestClient cache = rig.Connect("kv_cache");
  EXPECT_OK(cache.Lock("rw"));
  EXPECT_OK(cache.LockState());
  EXPECT_EQ(rig.State().state, "RW");
  EXPECT_THAT(rig.Status().domains, testing::SizeIs(4));
  TestClient other = rig.Connect("weights", 1);
  ASSERT_OK(other.Lock("rw"));
  EXPECT_OK(other.Allocate(4096));
  stuck->GoOn();
  EXPECT_OK(writer.channel().Receive<AllocateResponse>(Soon()));
}

}  // namespace
}  // namespace hearth::gms::server

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/testing/status_matchers.h"
#include "gms/client/testing/faulty_address_space.h"
#include "gms/client/testing/memory_rig.h"

// What a memory manager leaves behind when the device or the server fails, and when all goes well.
namespace hearth::gms {
namespace {

struct Broken {
  explicit Broken(const MemoryRig& rig)
      : space(MemoryRig::Space()), manager(space, rig.Options()) {}
  FaultyAddressSpace space;
  MemoryManager manager;
};

// The server's are ours, too, and it closes a connection some time after its client did.
bool NoMoreFdsThan(size_t count) {
  return server::ServerRig::Eventually([&] { return OpenFds() <= count; });
}

size_t MappedCount(const MemoryManager& manager) {
  size_t count = 0;
  for (const Mapping& mapping : manager.mappings()) {
    count += mapping.mapped ? 1 : 0;
  }
  return count;
}

// W-11: fails at step n for all n: all is mapped, or nothing is, and it can be tried again.
TEST(MemoryFaults, WakeThatFailsAnywhereLeavesNothingMapped) {
  MemoryRig rig;
  rig.Publish({"one", "two", "three", "four"});
  Broken engine(rig);
  ASSERT_OK(engine.manager.Connect(LeaseRequest::kRo));
  ASSERT_OK(engine.manager.OpenLayout());
  ASSERT_OK(engine.manager.Sleep());
  engine.space.Restart();
  ASSERT_OK(engine.manager.Wake());
  const int steps = engine.space.steps();
  ASSERT_GE(steps, 5);  // four mapped, one wait for the device
  ASSERT_OK(engine.manager.Sleep());
  const size_t fds = OpenFds();
  for (int step = 0; step < steps; ++step) {
    SCOPED_TRACE(step);
    engine.space.Restart();
    engine.space.FailAt(step);
    EXPECT_CODE(Code::kInternal, engine.manager.Wake());
    EXPECT_EQ(MappedCount(engine.manager), 0U);
    EXPECT_EQ(SharedMappings(), 0U);
    EXPECT_FALSE(engine.manager.connected());
    EXPECT_TRUE(NoMoreFdsThan(fds));
    ASSERT_OK(engine.manager.Reset());
  }
  ASSERT_OK(engine.manager.Wake());
  EXPECT_EQ(MappedCount(engine.manager), 4U);
}

TEST(MemoryFaults, SleepAndCloseTakeNeighboursTogether) {
  MemoryRig rig;
  rig.Publish(std::vector<std::string>(20, "weights"));
  Broken engine(rig);
  ASSERT_OK(engine.manager.Connect(LeaseRequest::kRo));
  ASSERT_OK(engine.manager.OpenLayout());
  engine.space.Restart();
  ASSERT_OK(engine.manager.Sleep());
  EXPECT_LE(engine.space.steps(), 3);
  EXPECT_EQ(SharedMappings(), 0U);
  ASSERT_OK(engine.manager.Wake());
  engine.space.Restart();
  ASSERT_OK(engine.manager.Close());
  EXPECT_LE(engine.space.steps(), 3);
  EXPECT_EQ(SharedMappings(), 0U);
}

TEST(MemoryFaults, AttachThatFailsAnywhereLeavesNothingBehind) {
  MemoryRig rig;
  rig.Publish({"one", "two", "three"});
  for (int step = 0; step < 3; ++step) {
    Broken engine(rig);
    ASSERT_OK(engine.manager.Connect(LeaseRequest::kRo));
    engine.space.FailAt(step);
    EXPECT_CODE(Code::kInternal, engine.manager.OpenLayout());
    EXPECT_EQ(engine.manager.mappings().size(), 0U);
    EXPECT_EQ(SharedMappings(), 0U);
  }
}

TEST(MemoryFaults, AllocationThatCannotBeMappedIsFreedOnTheServer) {
  MemoryRig rig;
  Broken engine(rig);
  ASSERT_OK(engine.manager.Connect(LeaseRequest::kRw));
  engine.space.FailAt(1);
  const std::vector<MappingRequest> requests(3, {.size = 4096, .tag = "weights"});
  EXPECT_CODE(Code::kInternal, engine.manager.CreateMappings(requests));
  EXPECT_EQ(engine.manager.mappings().size(), 0U);
  EXPECT_EQ(rig.server().State().allocation_count, 0);
}

// All or nothing when the server's memory runs out within a batch.
TEST(MemoryFaults, BatchThatDoesNotFitLeavesNothing) {
  server::ServerOptions options;
  options.alloc_retry_timeout = std::chrono::milliseconds(20);
  MemoryRig rig({.options = options});
  const auto engine = rig.Engine();
  ASSERT_OK((*engine)->Connect(LeaseRequest::kRw));
  ASSERT_OK_AND_ASSIGN(const uintptr_t half,
                       (*engine)->CreateMapping(server::ServerRig::kDeviceBytes / 2, "weights"));
  const std::vector<MappingRequest> requests(4, {.size = server::ServerRig::kDeviceBytes / 4});
  EXPECT_CODE(Code::kExhausted, (*engine)->CreateMappings(requests));
  EXPECT_OK((*engine)->failure());
  EXPECT_EQ(rig.server().State().allocation_count, 1);
  EXPECT_OK((*engine)->DestroyMapping(half));
  EXPECT_OK((*engine)->CreateMappings(requests));
}

// W-03: a thousand turns of everything leave as many descriptors and mappings as one.
TEST(MemoryLeaks, SleepAndWakeLeaveNothingBehind) {
  MemoryRig rig;
  rig.Publish({"one", "two"});
  const auto engine = rig.Engine();
  ASSERT_OK((*engine)->Connect(LeaseRequest::kRo));
  ASSERT_OK((*engine)->OpenLayout());
  const size_t fds = OpenFds();
  const size_t mappings = SharedMappings();
  for (int i = 0; i < 100; ++i) {
    ASSERT_OK((*engine)->Sleep());
    EXPECT_EQ(SharedMappings(), 0U);
    ASSERT_OK((*engine)->Wake());
  }
  EXPECT_TRUE(NoMoreFdsThan(fds));
  EXPECT_EQ(SharedMappings(), mappings);
  ASSERT_OK((*engine)->Close());
  EXPECT_EQ(SharedMappings(), 0U);
}

TEST(MemoryLeaks, WriterThatAllocatesAndFreesLeavesNothingBehind) {
  MemoryRig rig;
  const auto engine = rig.Engine();
  ASSERT_OK((*engine)->Connect(LeaseRequest::kRw));
  const size_t fds = OpenFds();
  const size_t mappings = SharedMappings();
  for (int i = 0; i < 200; ++i) {
    ASSERT_OK_AND_ASSIGN(const uintptr_t address, (*engine)->CreateMapping(4096, "weights"));
    ASSERT_OK((*engine)->DestroyMapping(address));
  }
  EXPECT_TRUE(NoMoreFdsThan(fds));
  EXPECT_EQ(SharedMappings(), mappings);
}

// A layout of more allocations than a message carries, and than a usual process may have open.
TEST(MemoryLeaks, LargeLayoutIsAttachedWithFewOpenFiles) {
  // The server, which is in this process, too, has a descriptor of each.
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  limit.rlim_cur = limit.rlim_max;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  server::ServerRig::Setup setup;
  setup.open = [](int ordinal) { return server::ServerRig::HostDevice(ordinal, 16U << 20); };
  MemoryRig rig(std::move(setup));
  {
    const auto writer = rig.Engine();
    ASSERT_OK((*writer)->Connect(LeaseRequest::kRw));
    const std::vector<MappingRequest> requests(2000, {.size = 4096, .tag = "weights"});
    ASSERT_OK_AND_ASSIGN(const auto made, (*writer)->CreateMappings(requests));
    EXPECT_EQ(made.back().address - made.front().address, 1999U * 4096);  // neighbours
    writer->Write(made[1500].address, "there");
    ASSERT_OK((*writer)->Commit());
    const auto reader = rig.Engine();
    ASSERT_OK((*reader)->Connect(LeaseRequest::kRo));
    ASSERT_OK_AND_ASSIGN(const AttachedLayout layout, (*reader)->OpenLayout());
    EXPECT_EQ(layout.mappings.size(), 2000U);
    EXPECT_EQ(reader->Read(layout.mappings[1500].address, 5), "there");
    ASSERT_OK((*reader)->Sleep());
    ASSERT_OK_AND_ASSIGN(const WakeReport report, (*reader)->Wake());
    EXPECT_EQ(report.mapped, 2000U);
  }
  EXPECT_EQ(SharedMappings(), 0U);
}

}  // namespace
}  // namespace hearth::gms

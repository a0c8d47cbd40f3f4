#include "gms/client/engine_memory.h"

#include <gtest/gtest.h>

#include <map>

#include "base/testing/status_matchers.h"
#include "gms/client/testing/memory_rig.h"
#include "gms/device/testing/standin_cuda.h"

namespace hearth::gms {
namespace {

Environment Variables(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const std::string& name) -> std::optional<std::string> {
    const auto at = values.find(name);
    return at == values.end() ? std::nullopt : std::optional<std::string>(at->second);
  };
}

EngineMemoryOptions OptionsFor(const server::ServerRig& server) {
  EngineMemoryOptions options;
  options.environment = Variables({{"GMS_SOCKET_DIR", server.directory()}});
  options.cuda = {.driver = "libno-such-driver.so", .management = "libno-such-driver.so"};
  options.memory.arena_bytes = 1ULL << 30;
  return options;
}

TEST(EngineMemory, FindsTheServerByNumberWhenNobodyTellsTheUuid) {
  const server::ServerRig server;
  EngineMemory memory(OptionsFor(server));
  EXPECT_EQ(*memory.FindSocket(), server.directory() + "/gms_0_weights.sock");
  EXPECT_CODE(Code::kInvalid, memory.manager());
  ASSERT_OK(memory.Connect(LeaseRequest::kRw));
  ASSERT_OK_AND_ASSIGN(MemoryManager* const manager, memory.manager());
  EXPECT_EQ(manager->granularity(), server::ServerRig::kGranularity);  // as the server said
  ASSERT_OK_AND_ASSIGN(const uintptr_t address, manager->CreateMapping(1, "weights"));
  *reinterpret_cast<char*>(address) = 'x';
}

// B07, W-13: the environment names the device.
TEST(EngineMemory, FindsTheServerByTheUuidOfTheEnvironment) {
  const server::ServerRig server;
  EngineMemoryOptions options = OptionsFor(server);
  options.environment = Variables({{"GMS_SOCKET_DIR", server.directory()},
                                   {"GMS_GPU_UUIDS", "GPU-first," + server::ServerRig::Uuid(0)}});
  options.device = 1;  // as this process counts
  EngineMemory memory(options);
  EXPECT_EQ(*memory.FindSocket(), server.Path());
  EXPECT_OK(memory.Connect(LeaseRequest::kRw));
}

TEST(EngineMemory, PathThatNoSocketCanHaveIsRefused) {
  EngineMemoryOptions options;
  options.socket_dir = "/" + std::string(200, 'x');
  EXPECT_CODE(Code::kInvalid, EngineMemory(options).Connect(LeaseRequest::kRo));
}

// The whole life of a pool on an accelerator: its driver is the stand-in.
TEST(EngineMemory, DeviceOfTheDriverIsWrittenPublishedAndWokenWith) {
  const CudaLibraries cuda = StandInCuda();
  server::ServerRig server({.open = [&](int ordinal) {
    auto device = OpenCudaDevice(ordinal, cuda);
    EXPECT_OK(device);
    return server::DeviceSetup{.device = *std::move(device)};
  }});
  EngineMemoryOptions options = OptionsFor(server);
  options.cuda = cuda;
  EngineMemory writer(options);
  ASSERT_OK(writer.Connect(LeaseRequest::kRw));
  ASSERT_OK_AND_ASSIGN(MemoryManager* const manager, writer.manager());
  ASSERT_OK_AND_ASSIGN(AddressSpace* const space, writer.space());
  EXPECT_EQ(space->facts().kind, "cuda");
  ASSERT_OK_AND_ASSIGN(const uintptr_t address, manager->CreateMapping(5, "weights"));
  ASSERT_OK(space->CopyFromHost(address, "bytes", 5));
  ASSERT_OK(manager->Commit());
  ASSERT_OK(manager->Sleep());
  ASSERT_OK(manager->Wake());
  char text[5];
  ASSERT_OK(space->CopyToHost(text, address, 5));
  EXPECT_EQ(std::string(text, 5), "bytes");

  // F02: the process is restored on another device; the server's is not its own any more.
  ASSERT_OK(manager->Sleep());
  EngineMemoryOptions moved = options;
  moved.device = 1;
  moved.socket = OrdinalSocketPath(server.directory(), 0, kWeightsTag);
  EngineMemory other(moved);
  const Status refused = other.Connect(LeaseRequest::kRo);
  EXPECT_CODE(Code::kConflict, refused);
  EXPECT_EQ(refused.reason(), MemoryManager::kWrongDevice);
}

}  // namespace
}  // namespace hearth::gms

#include "gms/client/testing/memory_rig.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "base/testing/status_matchers.h"
#include "gms/device/host_device.h"

namespace hearth::gms {

void TestMemory::Write(uintptr_t address, const std::string& text) {
  ASSERT_OK(space_->CopyFromHost(address, text.data(), text.size()));
}

std::string TestMemory::Read(uintptr_t address, size_t size) {
  std::string text(size, '\0');
  EXPECT_OK(space_->CopyToHost(text.data(), address, size));
  return text;
}

std::vector<uintptr_t> TestMemory::Fill(const std::vector<std::string>& texts, uint64_t size) {
  std::vector<uintptr_t> addresses;
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto address = manager_.CreateMapping(size, "weights");
    EXPECT_OK(address);
    Write(*address, texts[i]);
    addresses.push_back(*address);
    EXPECT_OK(manager_.WithSession([&](Session& session) {
      return session.PutMetadata({.key = "key" + std::to_string(i),
                                  .allocation_id = manager_.Find(*address)->allocation_id,
                                  .value = "value"});
    }));
  }
  return addresses;
}

Result<std::vector<AllocationItem>> TestMemory::List() {
  std::vector<AllocationItem> items;
  RETURN_IF_ERROR(manager_.WithSession([&](Session& session) -> Status {
    ASSIGN_OR_RETURN(items, session.List());
    return {};
  }));
  return items;
}

MemoryManagerOptions MemoryRig::Options(const std::string& tag) const {
  MemoryManagerOptions options;
  options.connect.socket = server_.Path(tag);
  options.arena_bytes = 1ULL << 30;
  options.scratch_block = 1U << 20;
  return options;
}

std::unique_ptr<AddressSpace> MemoryRig::Space() {
  return OpenHostAddressSpace({.kind = "host", .granularity = server::ServerRig::kGranularity});
}

std::unique_ptr<TestMemory> MemoryRig::Engine(MemoryManagerOptions options) const {
  return std::make_unique<TestMemory>(Space(), std::move(options));
}

std::unique_ptr<TestMemory> MemoryRig::Engine(const std::string& tag, bool plain) const {
  MemoryManagerOptions options = Options(tag);
  options.connect.plain = plain;
  return Engine(std::move(options));
}

void MemoryRig::Publish(const std::vector<std::string>& texts, uint64_t size) const {
  const auto writer = Engine();
  ASSERT_OK((*writer)->Connect(LeaseRequest::kRw));
  writer->Fill(texts, size);
  ASSERT_OK((*writer)->Commit());
}

size_t OpenFds() { return server::OpenFds(); }

std::string Protection(uintptr_t address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0;
    unsigned long end = 0;
    char protection[5] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, protection) == 3 &&
        begin <= address && address < end) {
      return protection;
    }
  }
  return "";
}

size_t SharedMappings() {
  std::ifstream maps("/proc/self/maps");
  size_t count = 0;
  for (std::string line; std::getline(maps, line);) {
    count += line.find("/memfd:") != std::string::npos ? 1 : 0;
  }
  return count;
}

}  // namespace hearth::gms

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gms/client/memory_manager.h"
#include "gms/device/device.h"
#include "gms/server/testing/server_rig.h"

namespace hearth::gms {

// A memory manager as an engine has one, with an address space of its own.
class TestMemory {
 public:
  TestMemory(std::unique_ptr<AddressSpace> space, MemoryManagerOptions options)
      : space_(std::move(space)), manager_(*space_, std::move(options)) {}

  MemoryManager* operator->() { return &manager_; }
  MemoryManager& operator*() { return manager_; }
  AddressSpace& space() { return *space_; }

  void Write(uintptr_t address, const std::string& text);
  std::string Read(uintptr_t address, size_t size);
  // Allocates one piece per text, fills it, and names the i-th "key<i>".
  std::vector<uintptr_t> Fill(const std::vector<std::string>& texts, uint64_t size = 4096);
  Result<std::vector<AllocationItem>> List();

 private:
  std::unique_ptr<AddressSpace> space_;
  MemoryManager manager_;
};

// A running server of host memory and the engines that use it.
class MemoryRig {
 public:
  MemoryRig() = default;
  explicit MemoryRig(server::ServerRig::Setup setup) : server_(std::move(setup)) {}

  server::ServerRig& server() { return server_; }
  MemoryManagerOptions Options(const std::string& tag = "weights") const;
  std::unique_ptr<TestMemory> Engine(const std::string& tag = "weights", bool plain = false) const;
  std::unique_ptr<TestMemory> Engine(MemoryManagerOptions options) const;
  static std::unique_ptr<AddressSpace> Space();
  // Publishes texts as a writer that leaves.
  void Publish(const std::vector<std::string>& texts, uint64_t size = 4096) const;

 private:
  server::ServerRig server_;
};

size_t OpenFds();
// What the kernel lets this process do at the address: "rw-s", "---p"; empty: nothing is there.
std::string Protection(uintptr_t address);
// How many mappings of shared memory this process has.
size_t SharedMappings();

}  // namespace hearth::gms

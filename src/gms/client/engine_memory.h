#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"
#include "base/wait_limit.h"
#include "gms/client/memory_manager.h"
#include "gms/device/cuda_device.h"
#include "gms/device/device.h"
#include "gms/protocol/socket_path.h"

namespace hearth::gms {

struct EngineMemoryOptions {
  // Where the server is: this path, or else `<dir>/gms_<device>_<tag>.sock`.
  std::string socket;
  std::string socket_dir;  // empty: GMS_SOCKET_DIR, TMPDIR, /tmp
  int device = 0;          // as this process counts
  std::string tag{kWeightsTag};
  uint64_t granularity = 0;  // of host memory opened before a server was asked; 0: 2 MiB
  // Socket and lease are ours to fill in.
  MemoryManagerOptions memory;
  CudaLibraries cuda;
  Environment environment = ProcessEnvironment();
};

// One memory pool for an engine, from as little as a device number and a tag: finds the socket,
// asks the server which kind of memory it serves and opens the address space that fits. Thread-safe
// as MemoryManager is; Connect comes first.
class EngineMemory {
 public:
  explicit EngineMemory(EngineMemoryOptions options);
  ~EngineMemory();
  EngineMemory(const EngineMemory&) = delete;
  EngineMemory& operator=(const EngineMemory&) = delete;

  // Makes space and manager without a server, for scratch: of the driver's device when there is
  // one, else of this machine's memory. Nothing the second time.
  Status Open();
  // Makes them from what the server says, unless they are there; otherwise as
  // MemoryManager::Connect.
  Status Connect(LeaseRequest lease, const WaitLimit& limit = WaitLimit::Forever(),
                 bool replace = false);
  // kInvalid before Open or the first Connect.
  Result<MemoryManager*> manager();
  Result<AddressSpace*> space();
  // Where the server is looked for now. The device's UUID, when the environment or the driver
  // tells it, else its number.
  Result<std::string> FindSocket() const;

 private:
  Result<std::string> DeviceUuid() const;
  Status OpenSpace(const std::string& kind, uint64_t granularity);

  EngineMemoryOptions options_;
  std::mutex opening_;
  std::unique_ptr<AddressSpace> space_;
  std::unique_ptr<MemoryManager> manager_;
};

}  // namespace hearth::gms

#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/testing/temp_directory.h"
#include "gms/client/session.h"
#include "gms/device/host_device.h"
#include "gms/server/server.h"
#include "gms/storage/device_access.h"

namespace hearth::gms::saver {

// What one device holds, as an engine would put it there.
struct Weights {
  struct Piece {
    std::string id;
    std::string bytes;  // a multiple of the granularity
  };
  std::vector<Piece> pieces;
  std::vector<MetadataItem> metadata;

  // Bytes that depend on the seed; the second piece is all zeros.
  static Weights Sample(uint64_t seed, const std::vector<uint64_t>& granules = {3, 2, 17});
  friend bool operator==(const Weights& a, const Weights& b);
};

// A real memory service in this process, with memory of this machine as its devices.
class MemoryService {
 public:
  static constexpr uint64_t kGranularity = 64 << 10;

  explicit MemoryService(int devices = 1, HostPages pages = HostPages::kSmall,
                         uint64_t granularity = kGranularity);
  // With devices of another kind.
  explicit MemoryService(std::vector<std::unique_ptr<Device>> devices, CudaLibraries cuda = {});
  ~MemoryService();
  MemoryService(const MemoryService&) = delete;
  MemoryService& operator=(const MemoryService&) = delete;

  const std::string& directory() const { return directory_.path(); }
  std::string Socket(int device) const;
  std::vector<storage::DeviceAccess> Devices() const;

  Status Commit(int device, const Weights& weights);
  // What is committed, by slot. kDeadlineExceeded when nothing is.
  Result<Weights> Read(int device) const;
  // A lease that was granted at once.
  Result<std::unique_ptr<Session>> Connect(int device, LeaseRequest lease) const;
  int64_t OpenAllocations(int device) const;  // as a new writer sees the server's books

 private:
  TempDirectory directory_;
  CudaLibraries cuda_{.driver = "none"};
  std::unique_ptr<server::Server> server_;
  std::jthread thread_;
};

}  // namespace hearth::gms::saver

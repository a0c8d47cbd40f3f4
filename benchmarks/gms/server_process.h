#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/process_runner.h"
#include "base/testing/temp_directory.h"
#include "gms/device/host_device.h"
#include "gms/storage/device_access.h"

namespace hearth::bench {

// A gms-server of its own with one device of this machine's memory; stopped when it goes.
class ServerProcess {
 public:
  struct Setup {
    std::string program;
    gms::HostPages pages = gms::HostPages::kSmall;
    uint64_t granularity = 2ULL << 20;
    uint64_t memory_bytes = 0;  // 0: all there is
  };
  // Returns once a client was let in.
  static Result<std::unique_ptr<ServerProcess>> Start(const Setup& setup);
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  std::string socket() const;
  Result<std::vector<gms::storage::DeviceAccess>> Devices() const;
  double seconds_to_handshake() const { return seconds_to_handshake_; }
  Result<double> CpuSeconds() const;
  Result<double> ResidentBytes() const;

 private:
  ServerProcess() = default;
  std::string Log() const;

  TempDirectory directory_;
  std::unique_ptr<ChildProcess> process_;
  double seconds_to_handshake_ = 0;
};

}  // namespace hearth::bench

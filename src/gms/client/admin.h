#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/wait_limit.h"
#include "gms/protocol/messages.h"

namespace hearth::gms {

namespace internal {
class Rpc;
}

// The administration's connection (gms_admin.sock): who holds what, and ends sessions. Errors are
// those of Session. One thread at a time.
class Admin {
 public:
  static Result<std::unique_ptr<Admin>> Connect(const std::string& socket, const WaitLimit& limit);
  ~Admin();
  Admin(const Admin&) = delete;
  Admin& operator=(const Admin&) = delete;

  Result<StatusResponse> ReadStatus(SteadyTime deadline);
  Result<bool> Evict(uint64_t session, SteadyTime deadline);  // false: no such session
  Result<std::string> ReadMetrics(SteadyTime deadline);       // Prometheus exposition

 private:
  explicit Admin(std::unique_ptr<internal::Rpc> rpc);

  std::unique_ptr<internal::Rpc> rpc_;
};

}  // namespace hearth::gms

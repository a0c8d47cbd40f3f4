#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "gms/client/memory_manager.h"

namespace hearth::bench {

// Seconds of each of so many requests that allocate one piece and come back with its descriptor;
// pieces are freed afterwards, outside of the measured time.
Result<std::vector<double>> MeasureAllocations(const std::string& socket, size_t calls);
// The same for a request that only hands out the descriptor.
Result<std::vector<double>> MeasureExports(const std::string& socket, size_t calls);

// An engine that reads all weights of a server.
class Reader {
 public:
  explicit Reader(const std::string& socket);
  // Connects and maps everything; `pieces` must be there.
  Status Attach(size_t pieces);
  // One byte of each piece, so that all are really there.
  void Touch() const;
  Status Sleep() { return manager_->Sleep(); }
  Status Wake() { return ToStatus(manager_->Wake()); }

 private:
  std::unique_ptr<gms::AddressSpace> space_;
  std::unique_ptr<gms::MemoryManager> manager_;
};

// Seconds of an attach by a reader that goes afterwards.
Result<double> MeasureAttach(const std::string& socket, size_t pieces);
// Seconds of a sleep and the wake after it.
Result<double> MeasureSleepWake(const std::string& socket, size_t pieces);

}  // namespace hearth::bench

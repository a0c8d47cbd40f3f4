#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/wait_limit.h"
#include "gms/client/memory_manager.h"
#include "gms/device/device.h"
#include "model.h"

namespace hearth::engine {

struct WeightsOptions {
  gms::MemoryManagerOptions memory;
  ModelShape shape;
  uint64_t seed = 1;
  // Never make weights: wait until somebody else has. What a second engine does.
  bool read_only = false;
};

// The model's weights, in the memory service. Whoever comes first makes and publishes them;
// everybody after that maps what is there. They stay at their addresses over sleep and wake. Not
// thread-safe.
class Weights {
 public:
  enum class Origin { kMade, kFound };

  // Called now and then with how much is made.
  using Progress = std::function<void(size_t done_bytes, size_t total_bytes)>;

  // kConflict when what is published is another model. `space` must outlive the weights.
  static Result<std::unique_ptr<Weights>> Open(gms::AddressSpace& space, WeightsOptions options,
                                               const WaitLimit& limit, const Progress& progress);

  Origin origin() const { return origin_; }
  const std::string& layout_hash() const { return hash_; }
  // Valid while awake.
  const WeightsView& view() const { return view_; }
  bool awake() const { return awake_; }
  // No memory behind the addresses and no lease: ready to be captured.
  Status Sleep();
  // The same weights at the same addresses.
  Status Wake(const WaitLimit& limit);

 private:
  Weights(gms::AddressSpace& space, WeightsOptions options);
  Status Make(const Progress& progress);
  Status Find();
  Status Bind(const std::vector<gms::MetadataItem>& metadata);

  WeightsOptions options_;
  gms::MemoryManager memory_;
  Origin origin_ = Origin::kFound;
  std::string hash_;
  WeightsView view_;
  bool awake_ = false;
};

}  // namespace hearth::engine

#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "gms.h"
#include "gms/client/engine_memory.h"

// What the opaque handles of include/gms.h are. Shared, because the allocator's registry may hold
// the memory longer than its engine does.
struct gms_client {
  explicit gms_client(hearth::gms::EngineMemoryOptions options)
      : device(options.device),
        tag(options.tag),
        memory(std::make_shared<hearth::gms::EngineMemory>(std::move(options))) {}

  int device;
  std::string tag;
  std::shared_ptr<hearth::gms::EngineMemory> memory;
};

struct gms_layout {
  hearth::gms::AttachedLayout layout;
  std::map<std::string, uintptr_t> addresses;  // by allocation id
};

namespace hearth::gms::capi {

// Notes the failure for gms_error and gives its number.
gms_code Tell(const Status& status);
gms_code CodeOf(const Status& status);
// Negative: for ever, as are more milliseconds than a clock can count.
Duration DurationOf(int64_t timeout_ms);
WaitLimit LimitOf(int64_t timeout_ms);
Result<LeaseRequest> LeaseOf(gms_lease lease);
// Fills the caller's structure; texts stay where they are.
void Show(const Mapping& from, gms_mapping* to);

// Everything a C function does: no exception leaves the library.
template <typename Operation>
gms_code Guarded(Operation operation) {
  try {
    return Tell(operation());
  } catch (const std::exception& error) {
    return Tell(InternalError(error.what()));
  }
}

}  // namespace hearth::gms::capi

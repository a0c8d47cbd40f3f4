#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "gms/failover/lock_owner.h"

// What is read can be written, and reads the same again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto owner = hearth::gms::ParseLockOwner({reinterpret_cast<const char*>(data), size});
  if (owner.ok()) {
    auto again = hearth::gms::ParseLockOwner(hearth::gms::FormatLockOwner(*owner));
    CHECK(again.ok() && *again == *owner);
  }
  return 0;
}

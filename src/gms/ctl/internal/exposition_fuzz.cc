// What a server says as its metrics.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "gms/ctl/internal/exposition.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& sample : hearth::gms::ctl::ReadExposition(text)) {
    CHECK(!sample.name.empty() && !sample.value.empty());
    CHECK(sample.name.size() + sample.value.size() <= size);
  }
  return 0;
}

#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/duration.h"

// What is read can be written, and reads the same again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const hearth::Result<hearth::Duration> duration = hearth::ParseDuration(text);
  if (duration.ok()) {
    const std::string written = hearth::FormatDuration(*duration);
    const hearth::Result<hearth::Duration> again = hearth::ParseDuration(written);
    CHECK(again.ok() && *again == *duration) << written;
  }
  return 0;
}

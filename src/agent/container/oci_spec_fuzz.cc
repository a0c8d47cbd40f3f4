#include <string_view>

#include "agent/container/oci_spec.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)hearth::agent::ParseOciSpec(text);
  (void)hearth::agent::ParseOciState(text);
  return 0;
}

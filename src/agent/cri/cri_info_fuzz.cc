#include <string_view>

#include "agent/cri/cri_info.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto info = hearth::agent::ParseCriInfo(text); info.ok() && info->pid <= 0) {
    __builtin_trap();
  }
  (void)hearth::agent::DigestOf(text);
  return 0;
}

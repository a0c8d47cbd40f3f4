#include <string_view>

#include "agent/host/mount_info.h"
#include "agent/host/process_facts.h"

// Mount points and process names are the container's to choose.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto mounts = hearth::agent::ParseMountInfo(text); mounts.ok()) {
    (void)hearth::agent::OverlayUpperDirectory(*mounts, *mounts);
  }
  (void)hearth::agent::ParseProcessStatus(text);
  return 0;
}

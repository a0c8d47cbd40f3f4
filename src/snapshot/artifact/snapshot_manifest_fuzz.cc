#include <cstdlib>
#include <string_view>

#include "snapshot/artifact/manifest.h"

// Storage is shared: anybody may have written there.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using hearth::snapshot::ReadManifest;
  using hearth::snapshot::WriteManifest;
  const auto manifest = ReadManifest(std::string_view(reinterpret_cast<const char*>(data), size));
  if (manifest.ok()) {
    const std::string text = WriteManifest(*manifest);
    const auto again = ReadManifest(text);
    if (!again.ok() || WriteManifest(*again) != text) {
      std::abort();
    }
  }
  return 0;
}

#include <cstdlib>
#include <string_view>

#include "snapshot/images/adapt_files.h"
#include "snapshot/images/decode.h"

// Images come from a disk that others write to. Each kind has a magic of its own, so that at most
// one of these goes further than the first bytes.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hearth::snapshot::images;  // NOLINT(google-build-using-namespace)
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)DecodeProcessTree(bytes);
  (void)DecodeCore(bytes);
  (void)DecodeRights(bytes);
  (void)DecodeFilesId(bytes);
  (void)DecodeMemory(bytes);
  (void)DecodePagemap(bytes);
  (void)DecodeDescriptors(bytes);
  (void)DecodeFiles(bytes);
  (void)DecodeMounts(bytes);
  (void)DecodeInventory(bytes);
  uint16_t port = 0;
  const auto next = [&](const auto&) { return hearth::Result<uint16_t>(++port); };
  const auto adapted = AdaptFiles(
      bytes, {.source_ips = {"10.0.0.4"}, .target_ips = {"10.0.0.5"}, .reserve_port = next});
  if (adapted.ok() && adapted->image && !DecodeFiles(*adapted->image).ok()) {
    std::abort();  // what is written can be read
  }
  return 0;
}

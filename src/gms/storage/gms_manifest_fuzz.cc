#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "gms/storage/checkpoint.h"
#include "gms/storage/internal/root_digest.h"
#include "gms/storage/manifest.h"

// Everything that is read from a checkpoint directory before a byte of weights is. The digest is
// made to fit as well, so that what lies behind it is reached.
namespace hearth::gms::storage {
namespace {

void ReadAll(std::string_view text) {
  const auto manifest = ReadManifest(text);
  if (manifest.ok()) {
    CHECK(CheckManifest(*manifest).ok());
    CHECK(!LayoutHashOf(*manifest, {}).empty());
  }
  static_cast<void>(ReadMetadata(text));
  static_cast<void>(ReadCheckpointRecord(text));
  static_cast<void>(ReadChunkTable(text));
}

}  // namespace
}  // namespace hearth::gms::storage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  hearth::gms::storage::ReadAll(text);
  constexpr size_t kTail = 51;  // ,"root_digest":"<32 digits>"} and a line end
  if (size > kTail + 2) {
    const std::string object = std::string(text.substr(0, size - kTail)) + "}";
    hearth::gms::storage::ReadAll(hearth::gms::storage::WithRootDigest(object));
  }
  return 0;
}

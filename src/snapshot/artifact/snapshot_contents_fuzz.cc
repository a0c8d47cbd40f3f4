#include <cstdlib>
#include <string_view>

#include "snapshot/artifact/contents.h"
#include "snapshot/artifact/seal.h"

// Storage is shared: anybody may have written there.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using hearth::snapshot::ReadContents;
  using hearth::snapshot::WriteContents;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(hearth::snapshot::CheckSeal(text));
  const auto contents = ReadContents(text);
  if (contents.ok()) {
    const auto again = ReadContents(WriteContents(*contents));
    if (!again.ok() || again->files != contents->files) {
      std::abort();
    }
  }
  return 0;
}

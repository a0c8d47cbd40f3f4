#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/base64.h"
#include "base/check.h"

// All bytes can be encoded and come back; what decodes is as long as its letters say.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const hearth::Result<std::string> back = hearth::DecodeBase64(hearth::EncodeBase64(bytes));
  CHECK(back.ok() && *back == bytes);

  const hearth::Result<std::string> decoded = hearth::DecodeBase64(bytes);
  if (decoded.ok()) {
    const auto breaks =
        std::count_if(bytes.begin(), bytes.end(), [](char c) { return c == '\r' || c == '\n'; });
    CHECK(hearth::EncodeBase64(*decoded).size() == bytes.size() - static_cast<size_t>(breaks));
  }
  return 0;
}

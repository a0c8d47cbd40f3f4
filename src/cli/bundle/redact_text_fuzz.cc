#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "cli/bundle/redact.h"

// A text with a token in a known place stays without it, whatever stands around.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr std::string_view kToken = "hf_0123456789abcdefghij";
  std::string text(reinterpret_cast<const char*>(data), size);
  (void)hearth::bundle::RedactText(text);
  text.insert(size / 2, " " + std::string(kToken) + " ");
  const auto redacted = hearth::bundle::RedactText(text);
  CHECK(redacted.text.find(kToken) == std::string::npos);
  CHECK(redacted.count > 0);
  return 0;
}

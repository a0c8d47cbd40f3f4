#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "kube/client/internal/warnings.h"
#include "kube/model/retry_after.h"

// The header fields that we read more out of than their text, all with the same value.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  hearth::http::Headers headers;
  headers.Add("Warning", text);
  headers.Add("Retry-After", text);
  for (const std::string& warning : hearth::kube::internal::ParseWarnings(headers)) {
    CHECK(!warning.empty());
  }
  const auto check = [](const auto& wait) {
    CHECK(!wait || (wait->count() >= 0 && *wait <= std::chrono::hours(24)));
  };
  check(hearth::kube::RetryAfter(headers, hearth::WallTime()));
  headers.Add("Date", text);
  check(hearth::kube::RetryAfter(headers));
  return 0;
}

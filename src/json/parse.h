#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/blob.h"
#include "json/value.h"

namespace hearth::json {

struct ParseLimits {
  size_t max_bytes = size_t{64} << 20;
  int max_depth = 512;  // at most 2,000, whatever is said here
  // Kubernetes' strict field validation wants duplicates told, so refusing them is the default. The
  // name is in the message.
  bool allow_duplicate_keys = false;
};

// Foreign bytes to validated JSON. Refuses what RFC 8259 refuses, invalid UTF-8, unpaired surrogate
// escapes, bytes after the value, and what the limits refuse; kInvalid (kExhausted for limits) with
// the byte offset and what was found there. Numbers keep their text. Thread-safe.
Result<Blob> Parse(std::string_view text, const ParseLimits& limits = {});
Result<Value> ParseValue(std::string_view text, const ParseLimits& limits = {});

}  // namespace hearth::json

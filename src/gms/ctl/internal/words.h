#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "json/value.h"

// Numbers and bytes as people read them.
namespace hearth::gms::ctl {

// "0 B", "512 KiB", "66.5 MiB"
std::string SizeText(uint64_t bytes);
// Two units at most: "350ms", "12s", "3m12s", "4h05m", "12d3h".
std::string AgeText(int64_t milliseconds);
// "2026-11-16 12:00:00.250", in UTC
std::string TimeText(int64_t ms_since_1970);
// The first characters of a hash.
std::string ShortHash(std::string_view hash);

// A tensor's description as engines write it: JSON with dtype, shape and stride. Empty when the
// bytes are something else.
struct TensorWords {
  std::string dtype;  // without "torch."
  std::string shape;  // "[256, 2048]"
};
TensorWords DescribeTensor(std::string_view metadata_value);
// Bytes for JSON: {"value": ...} as it is when it is JSON, as a string when it is text, else
// {"value_base64": ...}.
json::Value::Member ValueMember(std::string_view bytes);

}  // namespace hearth::gms::ctl

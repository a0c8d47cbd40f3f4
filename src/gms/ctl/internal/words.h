#pragma once

#include <string>
#include <string_view>

#include "command_line/words.h"
#include "json/value.h"

// Bytes as people read them.
namespace hearth::gms::ctl {

using command_line::AgeText;
using command_line::ShortHash;
using command_line::SizeText;
using command_line::TimeText;

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

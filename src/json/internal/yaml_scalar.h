#pragma once

#include <string>
#include <string_view>

#include "json/value.h"

// What YAML 1.1 scalars mean, as the reader behind kubectl takes them (sigs.k8s.io/yaml).
namespace hearth::json::internal {

enum class YamlType {
  kNull,
  kBool,
  kInt,
  kFloat,
  kNotFinite,  // .inf and .nan, which JSON cannot hold; the value is the text
  kMerge,      // <<; the value is the text
  kString,
};

struct YamlScalar {
  YamlType type;
  Value value;
};

// A plain scalar: no quotes, no tag. Numbers become the JSON token kubectl would send, 1.0 is 1 and
// 0x10 is 16, but integers stay exact whatever their length. A float too large for a double is a
// string: it is more likely a commit id such as 1234e567.
YamlScalar ResolvePlain(std::string_view text);

// A number written as a float, too large for a double or not; the JSON token, empty when it is
// none.
std::string FloatToken(std::string_view text);

// Whether a double holds the number of a JSON token at least roughly.
bool FitsDouble(std::string_view token);

// Whether readers that are stricter about YAML 1.1 than ours, too, take the plain text for a
// string: no timestamp, no 1:30.
bool IsStringEverywhere(std::string_view text);

}  // namespace hearth::json::internal

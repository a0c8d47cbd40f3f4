#pragma once

#include "base/result.h"
#include "cel/value.h"
#include "json/value.h"

namespace hearth::cel {

// Untyped data for expressions: objects become maps, integers that fit become ints and all other
// numbers doubles. Copies nothing; `json` must outlive the value and everything taken out of it.
Value FromJson(const json::Value& json);

// The value as JSON: uints and ints as integers, bytes in base64, durations, timestamps and types
// as string() has them, optionals as what they hold or null, map keys as text. kUnsupported for
// kinds that have no such form; kExhausted for a value nested deeper than JSON may be.
Result<json::Value> ToJson(const Value& value);

}  // namespace hearth::cel

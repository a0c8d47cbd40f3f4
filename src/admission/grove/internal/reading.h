#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "json/value.h"

// Reading members of an object that may be anything: what is missing or of the wrong kind reads as
// nothing, since the schema tells those. Results live as long as the object.
namespace hearth::admission::grove {

// The member; a null value when there is none.
const json::Value& Member(const json::Value& object, std::string_view name);
// Whether there is such a member that is not null.
bool Has(const json::Value& object, std::string_view name);
std::string_view Text(const json::Value& value);
std::string_view Text(const json::Value& object, std::string_view name);
const json::Value::Items& List(const json::Value& object, std::string_view name);
const json::Value::Members& Map(const json::Value& object, std::string_view name);
// A whole number, also when it is written 1.0 or 1e3. Nothing when it does not fit 64 bits.
std::optional<int64_t> Number(const json::Value& object, std::string_view name);

}  // namespace hearth::admission::grove

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/seeded_hash.h"
#include "json/value.h"

// Reads objects that may be anything: what is missing or of another kind is nothing, since the
// schema tells that. Results live as long as the object.
namespace hearth::admission {

// All take null for a value that is not there.
std::string_view Text(const json::Value* value);  // empty unless a string
// A whole number, also when it is written 1.0 or 1e3. Nothing when it does not fit 64 bits.
std::optional<int64_t> Integer(const json::Value* value);
bool IsTrue(const json::Value* value);
const json::Value* ObjectOrNull(const json::Value* value);  // null unless an object
const json::Value* At(const json::Value* value, std::string_view dotted);
const json::Value::Items& Items(const json::Value* value);      // empty unless an array
const json::Value::Members& Members(const json::Value* value);  // empty unless an object

// The member of that name; a null value when there is none.
const json::Value& Member(const json::Value& object, std::string_view name);
// Whether there is such a member that is not null.
bool Has(const json::Value& object, std::string_view name);
// As above, of the member of that name.
std::string_view Text(const json::Value& object, std::string_view name);
std::optional<int64_t> Integer(const json::Value& object, std::string_view name);
const json::Value::Items& Items(const json::Value& object, std::string_view name);
const json::Value::Members& Members(const json::Value& object, std::string_view name);

// The annotation of an object; null when it has none of that name.
const json::Value* Annotation(const json::Value& object, std::string_view key);

// The element with that `name`; null when there is none.
const json::Value* FindNamed(const json::Value* list, std::string_view name);
// Names of all elements.
SeededSet<std::string_view> Names(const json::Value* list);

}  // namespace hearth::admission

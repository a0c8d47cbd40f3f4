#pragma once

#include <string>
#include <string_view>

#include "controller/cached_object.h"
#include "json/field_set.h"

namespace hearth::controller {

// A cached object made from JSON text, keeping `fields` (everything by default). CHECKs that the
// text is fine.
ObjectPtr MakeCached(std::string_view json);
ObjectPtr MakeCached(std::string_view json, const json::FieldSet& fields);

// {"metadata":{"name":..,"namespace":"ns","uid":..,"resourceVersion":..},"spec":{"v":..}}
std::string ObjectText(std::string_view name, std::string_view uid, uint64_t version,
                       int value = 0);

}  // namespace hearth::controller

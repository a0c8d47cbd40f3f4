#pragma once

#include <string>

#include "schema/schema.h"

// A schema in words, as cells of a Markdown table.
namespace hearth::generate {

// Text that Markdown shows as it is, also within a table.
std::string Escaped(std::string_view text);
// Text as a code span within a table.
std::string Code(std::string_view text);

// The innermost schema: what a list holds, or a map, however deep.
const schema::Schema& Element(const schema::Schema& schema);

// "string", "list of `core.v1.EnvVar`", "map of string to object". `object` is what stands for
// objects of ours: a link to their table.
std::string TypeText(const schema::Schema& schema, const std::string& object);

// What values may be beyond their type: "`a`, `b`; at most 25 items; keyed by `name`". Empty when
// anything goes.
std::string ConstraintText(const schema::Schema& schema);

}  // namespace hearth::generate

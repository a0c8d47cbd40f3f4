#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cel/environment.h"
#include "cel/value.h"

namespace hearth::cel {

// One row of a table of expressions.
struct Case {
  std::string_view expression;
  // What Show gives for the value; or after a '!' a piece of the message it fails with, when it is
  // compiled or when it is evaluated.
  std::string_view expected;
  // A JSON object; each member is a variable.
  std::string_view variables = "{}";
};

// JSON, in which kinds stay apart: 1, 1u, 1.0, "text", b"bytes", duration(1.5s),
// timestamp(2026-01-02T03:04:05Z), type(int), optional(1), none, and for opaque values the type's
// name.
std::string Show(const Value& value);

// What the case gives, in the form of Case::expected.
std::string Outcome(const Case& row, const Environment& settings = {});

// A test failure for every row that gives something else.
void ExpectAll(const std::vector<Case>& rows);

}  // namespace hearth::cel

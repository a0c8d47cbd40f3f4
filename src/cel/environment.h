#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cel/value.h"

namespace hearth::cel {

// A name expressions may use. A known kind lets Compile refuse what cannot work.
struct Variable {
  std::string name;
  std::optional<Kind> kind;
};

// What an expression is compiled for: its variables, in the order their values come in an
// Activation, and how much of an expression is accepted.
struct Environment {
  std::vector<Variable> variables;
  size_t max_expression_bytes = 16 * 1024;
  // Levels of the syntax tree; chains of && and || count as one.
  int max_depth = 250;
  // Lists and maps of constants, conversions of constants and membership in a constant list are
  // worked out at compile time and cost nothing, as in the API server.
  bool fold_constants = true;
};

}  // namespace hearth::cel

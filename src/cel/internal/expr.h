#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cel/value.h"

namespace hearth::cel::internal {

enum class ExprKind {
  kLiteral,    // literal
  kName,       // name; a leading dot is kept
  kSelect,     // target.name
  kOptSelect,  // target.?name
  kIndex,      // target[args[0]]
  kOptIndex,   // target[?args[0]]
  kCall,       // name(args) or target.name(args)
  kUnary,      // name is ! or -; args[0]
  kBinary,     // name is the operator; args[0], args[1]
  kAnd,        // all args; two or more
  kOr,
  kTernary,  // args[0] ? args[1] : args[2]
  kList,     // args; optionals
  kMap,      // keys and values by turns in args; optionals, one per entry
  kMacro,    // name(target, variables, args), see macros.h
};

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

// The syntax tree, macros recognised but not expanded.
struct Expr {
  ExprKind kind = ExprKind::kLiteral;
  size_t offset = 0;
  int depth = 1;  // levels from here down
  Value literal;
  std::string name;
  ExprPtr target;
  std::vector<ExprPtr> args;
  std::vector<bool> optionals;
  std::vector<std::string> variables;
};

}  // namespace hearth::cel::internal

#pragma once

#include <string>

#include "cel/internal/expr.h"

namespace hearth::cel::internal {

// Makes a macro of a call that is one: has(a.b) becomes kMacro "has" with the select as target;
// t.all(x, p) becomes kMacro "all" with target t, variables {x} and args {p}; likewise exists,
// exists_one (also existsOne), map, filter, sortBy, optMap, optFlatMap, and with two variables all,
// exists, exists_one, transformList, transformMap, transformMapEntry. Gives what is wrong with the
// macro's arguments, or "" when it is fine or no macro.
std::string RecogniseMacro(Expr& call);

}  // namespace hearth::cel::internal

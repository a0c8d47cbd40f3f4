#pragma once

#include "cli/manifest/report.h"

namespace hearth::manifest::internal {

// What to say about an object whose kind is not one of the product's. Somebody else's kind is a
// note; ours in a version that there is not, or misspelt, is an error. The place is left to the
// caller: the path is where to look. With `strict` everything is an error.
Finding JudgeForeignKind(const ObjectReport& object, bool strict);

}  // namespace hearth::manifest::internal

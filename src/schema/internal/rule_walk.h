#pragma once

#include "json/value.h"
#include "schema/internal/node.h"
#include "schema/rules.h"

namespace hearth::schema::internal {

// Calls `rules` for every value of `object` that has some. `old` is null on a create.
void WalkRules(const Node& root, const json::Value& object, const json::Value* old,
               RuleChecker& rules, ErrorList& errors);

}  // namespace hearth::schema::internal

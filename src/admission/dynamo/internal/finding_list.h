#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "admission/rules/request.h"
#include "admission/rules/rule.h"
#include "schema/field_error.h"

namespace hearth::admission::dynamo {

// Adds what was found about an object now and not about the one that is stored: nobody is kept from
// changing something else because a rule is newer than the object. Warnings are added all.
void AddNew(const Findings& now, const Findings& before, Findings& findings);

// The same for a check of whole objects: asks it about `object`, and about the one it replaces.
void AddNewOf(void (*check)(const json::Value& object, const Setup& setup, Findings& findings),
              const json::Value& object, const Request& request, Findings& findings);

// Worded as apimachinery does: supported values: "a", "b". Long ones are cut.
schema::FieldError NotSupported(const schema::FieldPath& path, const json::Value& value,
                                const std::vector<std::string_view>& supported);

using RuleList = std::vector<const Rule*>;

}  // namespace hearth::admission::dynamo

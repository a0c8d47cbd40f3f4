#pragma once

#include <string_view>
#include <vector>

#include "admission/rules/request.h"
#include "admission/rules/rule.h"
#include "json/value.h"

namespace hearth::admission {

// What the door does with one kind beyond its schema. All functions are pure and take any object
// whatsoever: members that are missing or of the wrong kind are passed over, since the schema tells
// those. Schema defaults are filled in before.
struct KindRules {
  std::string_view group;
  std::string_view version;  // the one that the functions below expect; others are converted to it
  std::string_view kind;
  // Fills in what a schema default cannot. Null: nothing to fill in. Twice is the same as once.
  void (*set_defaults)(json::Value& object, const Request& request);
  void (*validate)(const json::Value& object, const Request& request, Findings& findings);
  std::vector<const Rule*> rules;  // all that `validate` may name
  // The same for a change of what is being deleted. Null: everything may be changed. Silent about
  // what was wrong before, so that finalizers can always be taken away.
  void (*validate_deleted)(const json::Value& object, const Request& request,
                           Findings& findings) = nullptr;
};

}  // namespace hearth::admission

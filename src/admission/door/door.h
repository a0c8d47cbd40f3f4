#pragma once

#include <string>
#include <vector>

#include "admission/rules/request.h"
#include "admission/rules/rule.h"
#include "base/result.h"
#include "json/value.h"

namespace hearth::admission {

// Rules of every kind; null when the kind has none beyond its schema.
const struct KindRules* FindRules(std::string_view group, std::string_view kind);

// What becomes of an object that somebody wants to store.
struct Admitted {
  json::Value object;  // as it would be stored, in the version it came in
  std::vector<Finding> errors;
  std::vector<Warning> warnings;
  std::vector<std::string> unknown_fields;  // places of what the server would drop
  size_t more_unknown_fields = 0;           // that are not named
};

// The whole way of one object through an API server with our webhooks, without either: metadata,
// pruning, defaults, schema, CEL rules, the rules of the webhooks (converted to the version they
// speak of, with paths led back). Pure.
//
// kNotFound: not a kind of the product. kInvalid: not an object of Kubernetes at all, or one that
// cannot be converted.
Result<Admitted> Admit(json::Value object, const Request& request);

}  // namespace hearth::admission

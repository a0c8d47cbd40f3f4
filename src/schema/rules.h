#pragma once

#include "json/value.h"
#include "schema/field_error.h"
#include "schema/schema.h"

namespace hearth::schema {

// One value with rules (x-kubernetes-validations) that is to be checked by them.
class RuleSite {
 public:
  RuleSite(const Schema& schema, const json::Value& self, const json::Value* old_self,
           const FieldPath& path, bool is_resource)
      : schema_(schema), self_(self), old_self_(old_self), path_(path), is_resource_(is_resource) {}
  virtual ~RuleSite() = default;

  const Schema& schema() const { return schema_; }   // schema().rules is not empty
  const json::Value& self() const { return self_; }  // never null: null values have no rules
  // What `self` was before the update, found by its name or, in a list of type map, by its keys.
  // Null on a create and for what is new or stands in a list whose items cannot be told apart:
  // rules that speak of oldSelf are then left out unless they say optionalOldSelf.
  const json::Value* old_self() const { return old_self_; }
  // Where it is; a rule's fieldPath is added to this.
  const FieldPath& path() const { return path_; }
  // The object itself or an embedded one: apiVersion, kind and metadata are known to its rules.
  bool is_resource() const { return is_resource_; }
  // Nothing was changed here by an update, so that a rule that does not speak of oldSelf and fails
  // must not be told. Compares; ask only when a rule fails.
  virtual bool Unchanged() const = 0;

 private:
  const Schema& schema_;
  const json::Value& self_;
  const json::Value* old_self_;
  const FieldPath& path_;
  bool is_resource_;
};

// Evaluates rules. The Validator walks the object, finds the old values and calls this once for
// every value that has rules, parents before children; this module knows nothing of the language
// they are written in. Made for one call of the Validator, so it may hold the cost that is left.
class RuleChecker {
 public:
  virtual ~RuleChecker() = default;
  // Adds what fails. False stops the walk: the budget is used up, and `errors` says so.
  virtual bool Check(const RuleSite& site, ErrorList& errors) = 0;
};

}  // namespace hearth::schema

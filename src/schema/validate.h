#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "schema/field_error.h"
#include "schema/rules.h"
#include "schema/schema.h"

namespace hearth::schema {

// The detail of a finding that is none: rules were left out because something else is wrong.
inline constexpr std::string_view kRulesNotTried =
    "some validation rules were not checked because the object was invalid; correct the existing "
    "errors to complete validation";

// Checks custom resources against the schema of their CustomResourceDefinition, with the verdicts
// of the Kubernetes 1.34 API server and its words. Made once, then asked from any thread.
//
// Expects objects that were prepared (see prepare.h): pruned and defaulted. The object's own
// metadata is checked by ValidateObjectMeta, not here. All faults are told, up to
// ErrorList::kLimit; the cost is linear in the size of the object, and the depth of recursion is
// that of the schema.
class Validator {
 public:
  // kInvalid, with a cause for each fault, when the schema is not structural (see structural.h) or
  // has a default that it would refuse itself.
  static Result<Validator> Make(SchemaPtr schema);
  // The same for a schema of our own: tests make sure of it, and every start would pay again.
  static Validator MakeTrusted(SchemaPtr schema);
  Validator(Validator&&) noexcept;
  Validator& operator=(Validator&&) noexcept;
  ~Validator();

  // Empty when all is well. `before` is what was found earlier, about the metadata say; it comes
  // first. `rules` evaluates x-kubernetes-validations; without it they are not asked, and neither
  // are they when a value has the wrong type or size, which is then told as well.
  std::vector<FieldError> Validate(const json::Value& object, RuleChecker* rules = nullptr,
                                   std::vector<FieldError> before = {}) const;
  // As above for a change of `old`. Faults that were there before do not stop it: what the schema
  // says about a value that is the same in `old` is left out (by name, in lists of type map by key,
  // other lists only as a whole), and duplicates in lists are told only when `old` had none.
  std::vector<FieldError> ValidateUpdate(const json::Value& object, const json::Value& old,
                                         RuleChecker* rules = nullptr,
                                         std::vector<FieldError> before = {}) const;

  // As above for a change through the status subresource: of values only those of status are
  // checked.
  std::vector<FieldError> ValidateStatusUpdate(const json::Value& object, const json::Value& old,
                                               RuleChecker* rules = nullptr,
                                               std::vector<FieldError> before = {}) const;

  const SchemaPtr& schema() const;
  bool has_rules() const;

 private:
  struct Impl;
  explicit Validator(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hearth::schema

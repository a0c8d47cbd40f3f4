#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "cel/program.h"
#include "schema/field_error.h"
#include "schema/schema.h"

namespace hearth::schema::internal {

struct CompiledRule {
  Rule rule;
  std::shared_ptr<const cel::Program> program;
  std::shared_ptr<const cel::Program> message;  // null: none, or it does not compile
  ErrorType error_type = ErrorType::kInvalid;
  bool needs_old_self = false;  // a transition rule
  bool optional_old_self = false;
};

Result<CompiledRule> CompileRule(const Rule& rule);

cel::Activation VariablesOf(const CompiledRule& rule, const cel::Value& self,
                            const std::optional<cel::Value>& old_self);
// The rule's own field path behind that of the place it stands at.
std::string PathOf(const CompiledRule& rule, const FieldPath& path);
// What is told when it fails: the message expression's words, else the message, else the rule.
// kExhausted: the expression used up what it may cost, so that no further rule may run; the status
// says so in the API server's words.
Result<std::string> MessageOf(const CompiledRule& rule, const cel::Activation& variables,
                              cel::CostBudget& budget);
// What is told when it cannot be evaluated.
std::string FailureText(const CompiledRule& rule, const Status& failure);

}  // namespace hearth::schema::internal

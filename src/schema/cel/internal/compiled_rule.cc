#include "schema/cel/internal/compiled_rule.h"

#include <algorithm>

namespace hearth::schema::internal {
namespace {

constexpr size_t kMostMessageBytes = 5 * 1024;

ErrorType TypeOf(const std::string& reason) {
  if (reason == "FieldValueForbidden") {
    return ErrorType::kForbidden;
  }
  if (reason == "FieldValueRequired") {
    return ErrorType::kRequired;
  }
  return reason == "FieldValueDuplicate" ? ErrorType::kDuplicate : ErrorType::kInvalid;
}

bool IsUsable(std::string_view message) {
  const bool blank = std::all_of(message.begin(), message.end(), [](char c) { return c == ' '; });
  return !blank && message.size() <= kMostMessageBytes &&
         message.find('\n') == std::string_view::npos;
}

}  // namespace

Result<CompiledRule> CompileRule(const Rule& rule) {
  static const cel::Environment kSelf{.variables = {{"self", {}}}};
  static const cel::Environment kBoth{.variables = {{"self", {}}, {"oldSelf", {}}}};
  CompiledRule compiled{.rule = rule, .error_type = TypeOf(rule.reason)};
  compiled.optional_old_self = rule.optional_old_self.value_or(false);
  auto without_old = cel::Compile(rule.rule, kSelf);
  if (without_old.ok()) {
    compiled.program = *std::move(without_old);
  } else {
    ASSIGN_OR_RETURN(compiled.program, cel::Compile(rule.rule, kBoth));
    compiled.needs_old_self = true;
  }
  if (!rule.message_expression.empty()) {
    ASSIGN_OR_RETURN(compiled.message, cel::Compile(rule.message_expression,
                                                    compiled.needs_old_self ? kBoth : kSelf));
  }
  return compiled;
}

cel::Activation VariablesOf(const CompiledRule& rule, const cel::Value& self,
                            const std::optional<cel::Value>& old_self) {
  if (!rule.needs_old_self) {
    return {self};
  }
  if (!rule.optional_old_self) {
    return {self, *old_self};
  }
  return {self, old_self ? cel::Value::Optional(*old_self) : cel::Value::None()};
}

std::string PathOf(const CompiledRule& rule, const FieldPath& path) {
  std::string text = path.ToString();
  if (rule.rule.field_path.empty()) {
    return text;
  }
  return path.IsRoot() ? rule.rule.field_path.substr(rule.rule.field_path.starts_with('.') ? 1 : 0)
                       : text + rule.rule.field_path;
}

std::string MessageOf(const CompiledRule& rule, const cel::Activation& variables,
                      cel::CostBudget& budget) {
  if (rule.message != nullptr) {
    const auto text = rule.message->Evaluate(variables, budget);
    if (text.ok() && text->Is(cel::Kind::kString) && IsUsable(text->text())) {
      return std::string(text->text());
    }
  }
  return rule.rule.message.empty() ? "failed rule: " + rule.rule.rule : rule.rule.message;
}

std::string BareMessage(const Status& failure) {
  return failure.causes().empty() ? std::string(failure.message()) : failure.causes()[0].message;
}

}  // namespace hearth::schema::internal

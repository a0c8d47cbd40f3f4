#include "schema/cel/internal/compiled_rule.h"

#include <fmt/format.h>

#include "base/strings.h"

namespace hearth::schema::internal {
namespace {

constexpr size_t kMostMessageBytes = size_t{5} << 10;

ErrorType TypeOf(const std::string& reason) {
  if (reason == "FieldValueForbidden") {
    return ErrorType::kForbidden;
  }
  if (reason == "FieldValueRequired") {
    return ErrorType::kRequired;
  }
  return reason == "FieldValueDuplicate" ? ErrorType::kDuplicate : ErrorType::kInvalid;
}

// Without the place in the expression.
std::string BareMessage(const Status& failure) {
  return failure.causes().empty() ? std::string(failure.message()) : failure.causes()[0].message;
}

bool IsUsable(std::string_view message) {
  return !message.empty() && message.size() <= kMostMessageBytes &&
         message.find('\n') == std::string_view::npos;
}

std::string_view NameOf(const Rule& rule) {
  return Trim(rule.message.empty() ? rule.rule : rule.message);
}

Status MessageCosts(const CompiledRule& rule, const Status& failure) {
  return ExhaustedError(
      failure.reason() == cel::CostBudget::kTotalExceeded
          ? "messageExpression evaluation failed due to running out of cost budget, no further "
            "validation rules will be run"
          : "no further validation rules will be run due to call cost exceeds limit for "
            "messageExpression: " +
                QuotedText(rule.rule.message_expression));
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

Result<std::string> MessageOf(const CompiledRule& rule, const cel::Activation& variables,
                              cel::CostBudget& budget) {
  if (rule.message != nullptr) {
    const auto value = rule.message->Evaluate(variables, budget);
    if (!value.ok() && value.status().Is(Code::kExhausted)) {
      return MessageCosts(rule, value.status());
    }
    const std::string_view text =
        value.ok() && value->Is(cel::Kind::kString) ? Trim(value->text()) : std::string_view();
    if (IsUsable(text)) {
      return std::string(text);
    }
  }
  const std::string name(NameOf(rule.rule));
  return rule.rule.message.empty() ? "failed rule: " + name : name;
}

std::string FailureText(const CompiledRule& rule, const Status& failure) {
  if (failure.reason() == cel::CostBudget::kTotalExceeded) {
    return "validation failed due to running out of cost budget, no further validation rules will "
           "be run";
  }
  const std::string_view name = NameOf(rule.rule);
  if (failure.Is(Code::kExhausted)) {
    return fmt::format(
        "'operation cancelled: actual cost limit exceeded': no further validation rules will be "
        "run due to call cost exceeds limit for rule: {}",
        name);
  }
  const std::string why = BareMessage(failure);
  return why.starts_with("no such overload")
             ? fmt::format(
                   "'no such overload': call arguments did not match a supported operator, "
                   "function or macro signature for rule: {}",
                   name)
             : fmt::format("{} evaluating rule: {}", why, name);
}

}  // namespace hearth::schema::internal

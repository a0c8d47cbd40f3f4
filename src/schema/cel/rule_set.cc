#include "schema/cel/rule_set.h"

#include <fmt/format.h>

#include <unordered_map>
#include <vector>

#include "cel/program.h"
#include "schema/cel/internal/compiled_rule.h"
#include "schema/cel/typed_value.h"
#include "schema/type_name.h"

namespace hearth::schema {

using internal::CompiledRule;

struct RuleSet::Impl {
  SchemaPtr schema;
  std::unordered_map<const Schema*, std::vector<CompiledRule>> rules;

  void Add(const Schema& node, const std::string& path, std::vector<Cause>& faults);
  void AddBelow(const Schema& node, const std::string& path, std::vector<Cause>& faults);
};

void RuleSet::Impl::Add(const Schema& node, const std::string& path, std::vector<Cause>& faults) {
  if (!node.rules.empty() && !rules.contains(&node)) {
    std::vector<CompiledRule>& compiled = rules[&node];
    for (const Rule& rule : node.rules) {
      auto one = internal::CompileRule(rule);
      if (one.ok()) {
        compiled.push_back(*std::move(one));
      } else {
        faults.push_back({"FieldValueInvalid", std::string(one.status().message()), path});
      }
    }
  }
  AddBelow(node, path, faults);
}

void RuleSet::Impl::AddBelow(const Schema& node, const std::string& path,
                             std::vector<Cause>& faults) {
  for (const Property& property : node.properties) {
    Add(*property.schema, path.empty() ? property.name : path + "." + property.name, faults);
  }
  if (node.items != nullptr) {
    Add(*node.items, path + "[*]", faults);
  }
  if (node.additional_properties != nullptr) {
    Add(*node.additional_properties, path + "[*]", faults);
  }
}

namespace {

class CelChecker : public RuleChecker {
 public:
  CelChecker(const std::unordered_map<const Schema*, std::vector<CompiledRule>>& rules,
             uint64_t budget)
      : rules_(rules), budget_(budget) {}

  bool Check(const RuleSite& site, ErrorList& errors) override {
    const auto found = rules_.find(&site.schema());
    if (found == rules_.end()) {
      return true;
    }
    const cel::Value self = ToCel(site.self(), site.schema(), site.is_resource());
    const std::optional<cel::Value> old_self =
        site.old_self() != nullptr
            ? std::optional(ToCel(*site.old_self(), site.schema(), site.is_resource()))
            : std::nullopt;
    for (const CompiledRule& rule : found->second) {
      if (rule.needs_old_self && !rule.optional_old_self && !old_self) {
        continue;
      }
      if (!CheckOne(rule, internal::VariablesOf(rule, self, old_self), site, errors)) {
        return false;
      }
    }
    return true;
  }

 private:
  // False when no further rule may run.
  bool CheckOne(const CompiledRule& rule, const cel::Activation& variables, const RuleSite& site,
                ErrorList& errors) {
    const Result<cel::Value> verdict = rule.program->Evaluate(variables, budget_);
    if (!verdict.ok()) {
      // Told even of what was not changed: nobody knows what the rule would say.
      Add(site, site.path().ToString(), internal::FailureText(rule, verdict.status()), errors);
      return !verdict.status().Is(Code::kExhausted);
    }
    return verdict->IsTrue() || Tell(rule, variables, site, errors);
  }

  // The message costs even where it is not told.
  bool Tell(const CompiledRule& rule, const cel::Activation& variables, const RuleSite& site,
            ErrorList& errors) {
    const Result<std::string> message = internal::MessageOf(rule, variables, budget_);
    if (rule.needs_old_self || !site.Unchanged()) {
      const std::string path = internal::PathOf(rule, site.path());
      if (message.ok()) {
        Add(site, path, rule.error_type == ErrorType::kDuplicate ? "" : *message, errors,
            rule.error_type);
      } else {
        Add(site, path, std::string(message.status().message()), errors);
      }
    }
    return message.ok();
  }

  // The name of the type stands for the value, as the API server has it.
  static void Add(const RuleSite& site, std::string path, std::string detail, ErrorList& errors,
                  ErrorType type = ErrorType::kInvalid) {
    errors.Add({.type = type,
                .path = std::move(path),
                .bad_value = ValueText(TypeName(site.schema().type)),
                .detail = std::move(detail)});
  }

  const std::unordered_map<const Schema*, std::vector<CompiledRule>>& rules_;
  cel::CostBudget budget_;
};

}  // namespace

Result<RuleSet> RuleSet::Compile(SchemaPtr schema) {
  auto impl = std::make_unique<Impl>();
  impl->schema = std::move(schema);
  std::vector<Cause> faults;
  impl->Add(*impl->schema, "", faults);
  if (!faults.empty()) {
    Status status = InvalidError(
        fmt::format("a rule does not compile: {}: {}", faults[0].field, faults[0].message));
    for (Cause& fault : faults) {
      status = status.WithCause(std::move(fault));
    }
    return status;
  }
  return RuleSet(std::move(impl));
}

RuleSet::RuleSet(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
RuleSet::RuleSet(RuleSet&&) noexcept = default;
RuleSet& RuleSet::operator=(RuleSet&&) noexcept = default;
RuleSet::~RuleSet() = default;

std::unique_ptr<RuleChecker> RuleSet::NewChecker(uint64_t budget) const {
  return std::make_unique<CelChecker>(impl_->rules, budget);
}

}  // namespace hearth::schema

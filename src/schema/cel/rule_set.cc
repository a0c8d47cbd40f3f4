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
      const cel::Activation variables = internal::VariablesOf(rule, self, old_self);
      const Result<cel::Value> verdict = rule.program->Evaluate(variables, budget_);
      if (verdict.ok() && verdict->IsTrue()) {
        continue;
      }
      if (!rule.needs_old_self && site.Unchanged()) {
        continue;
      }
      if (!Tell(site, rule, variables, verdict, errors)) {
        return false;
      }
    }
    return true;
  }

 private:
  // False when nothing is left to spend.
  bool Tell(const RuleSite& site, const CompiledRule& rule, const cel::Activation& variables,
            const Result<cel::Value>& verdict, ErrorList& errors) {
    const bool spent =
        !verdict.ok() && verdict.status().reason() == cel::CostBudget::kTotalExceeded;
    // The name of the type stands for the value, as the API server has it.
    FieldError error{.path = internal::PathOf(rule, site.path()),
                     .bad_value = ValueText(TypeName(site.schema().type))};
    if (spent) {
      error.detail =
          "validation failed due to running out of cost budget, no further validation rules will "
          "be run";
    } else if (!verdict.ok() && verdict.status().Is(Code::kExhausted)) {
      error.detail = "call cost exceeds limit for rule: " + rule.rule.rule;
    } else if (!verdict.ok()) {
      error.detail = fmt::format("{} evaluating rule: {}", internal::BareMessage(verdict.status()),
                                 rule.rule.message.empty() ? rule.rule.rule : rule.rule.message);
    } else {
      error.type = rule.error_type;
      error.detail = internal::MessageOf(rule, variables, budget_);
    }
    errors.Add(std::move(error));
    return !spent;
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

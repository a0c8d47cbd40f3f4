#include "cel/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "cel/internal/meter.h"
#include "cel/internal/parser.h"
#include "cel/internal/planner.h"
#include "cel/internal/position.h"

namespace hearth::cel {
namespace {

using internal::Meter;

Status Exceeded(const CostBudget& budget) {
  if (budget.remaining() < budget.per_call()) {
    return {Code::kExhausted, CostBudget::kTotalExceeded,
            fmt::format("evaluation would cost more than the {} left of the cost budget",
                        budget.remaining())};
  }
  return {Code::kExhausted, CostBudget::kCallExceeded,
          fmt::format("evaluation costs more than {}, the limit for one call", budget.per_call())};
}

class CompiledProgram final : public Program {
 public:
  CompiledProgram(std::string_view expression, internal::Plan plan, size_t variables)
      : expression_(expression), plan_(std::move(plan)), variables_(variables) {}

  Result<Value> Evaluate(const Activation& variables, CostBudget& budget) const override {
    CHECK(variables.size() == variables_) << variables.size() << " values for " << expression_;
    Meter meter(std::min(budget.per_call(), budget.remaining()));
    const Meter::Scope scope(meter);
    std::vector<Value> locals(plan_.slots);
    internal::Frame frame{variables, locals, meter};
    Value value = plan_.root->Eval(frame);
    if (meter.exhausted()) {
      Status status = Exceeded(budget);
      budget.Spend(meter.used());
      return status;
    }
    budget.Spend(meter.used());
    if (value.IsError()) {
      return internal::FailureAt(expression_, value.error_offset(), value.error_message());
    }
    return value;
  }

  std::optional<Kind> kind() const override { return plan_.kind; }

 private:
  std::string expression_;
  internal::Plan plan_;
  size_t variables_;
};

}  // namespace

Result<std::shared_ptr<const Program>> Compile(std::string_view expression,
                                               const Environment& environment) {
  if (expression.size() > environment.max_expression_bytes) {
    return ExhaustedError(fmt::format("the expression has {} bytes, more than {}",
                                      expression.size(), environment.max_expression_bytes));
  }
  ASSIGN_OR_RETURN(internal::ExprPtr tree, internal::Parse(expression, environment.max_depth));
  ASSIGN_OR_RETURN(internal::Plan plan, internal::MakePlan(expression, *tree, environment));
  return std::shared_ptr<const Program>(
      std::make_shared<CompiledProgram>(expression, std::move(plan), environment.variables.size()));
}

}  // namespace hearth::cel

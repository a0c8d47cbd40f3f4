#include <fmt/format.h>

#include "api/grove/constants.h"
#include "base/strings.h"
#include "claims/plan.h"

namespace hearth::claims {
namespace {

std::string First(const std::vector<ClaimProblem>& problems) {
  const std::string& first = problems.front().message;
  return problems.size() == 1 ? first : fmt::format("{} (and {} more)", first, problems.size() - 1);
}

std::string AllReady(const ClaimPlan& plan) {
  std::string text = plan.total == 0 ? "no claims are needed now" : "all claims are there";
  if (!plan.replaced_templates.empty()) {
    text += fmt::format("; those of {} differ: the template was replaced between them",
                        Join(plan.replaced_templates, ", "));
  }
  return text;
}

}  // namespace

std::optional<controller::Condition> ClaimsCondition(const ClaimPlan& plan, int64_t generation,
                                                     std::string_view too_many) {
  if (!plan.shares) {
    return std::nullopt;
  }
  controller::Condition condition;
  condition.type = api::grove::kResourceClaimsReady;
  condition.observed_generation = generation;
  const bool ready = plan.problems.empty();
  condition.status = ready ? "True" : "False";
  condition.message = ready ? AllReady(plan) : First(plan.problems);
  if (!ready) {
    condition.reason = plan.problems.front().reason;
  } else {
    condition.reason = too_many.empty() ? kAllClaimsReady : kTooManyConsumers;
  }
  if (!too_many.empty()) {
    condition.message += fmt::format("; {}", too_many);
  }
  return condition;
}

}  // namespace hearth::claims

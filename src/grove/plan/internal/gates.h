#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "grove/plan/pod_plan.h"

namespace hearth::grove {

// Which pods of a clique may be scheduled: those whose claims are there, whose base gang is
// scheduled and, where the scheduler places whole gangs, whose gang names them.
class Gates {
 public:
  explicit Gates(const CliqueWorld& world);

  // Why a pod of this index is held back, for people; empty: it may go. An empty name is that of a
  // pod which is only to be made.
  std::string HeldBy(int32_t index, std::string_view pod) const;

 private:
  const CliqueWorld& world_;
  std::set<std::string_view> named_;
};

// Notes in the plan which pods are let go, and what the others wait for. `staying` are the pods
// that the plan does not take away.
void PlanGates(const Gates& gates, const std::vector<const PodFacts*>& staying, PodPlan& plan);

}  // namespace hearth::grove

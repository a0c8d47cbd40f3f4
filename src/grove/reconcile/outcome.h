#pragma once

#include <initializer_list>
#include <optional>

#include "controller/event_recorder.h"
#include "controller/reconciler.h"
#include "grove/plan/clique_status.h"
#include "grove/plan/group_plan.h"
#include "grove/plan/set_plan.h"

// How the pass over any of Grove's objects ends.
namespace hearth::grove {

// The earliest of those that are there.
controller::Outcome NextLook(std::initializer_list<std::optional<Duration>> delays);

// After a failure the controller tries again by itself, with growing delays; what the server called
// invalid, which may be a policy's word, is tried again after kRefusedAgain or the earliest delay.
inline constexpr Duration kRefusedAgain = std::chrono::seconds(30);
Result<controller::Outcome> EndPass(const Status& failure,
                                    std::initializer_list<std::optional<Duration>> delays);

// How long until what failed is tried again, at most.
inline constexpr BackoffPolicy kRetry{std::chrono::milliseconds(5), std::chrono::seconds(30), 2.0,
                                      0.1};

// The first failure that another try may mend soon, else the first at all.
Status Worse(const Status& a, const Status& b);

controller::EventType EventTypeOf(const StatusEvent& event);

// The errors of this pass with a time: that of the same error in the former status, or now.
void StampErrors(std::vector<api::grove::LastError>& errors,
                 const std::vector<api::grove::LastError>& before, WallTime now);

}  // namespace hearth::grove

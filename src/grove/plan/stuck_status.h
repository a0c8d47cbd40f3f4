#pragma once

#include "base/clock.h"
#include "grove/model/facts.h"
#include "grove/plan/clique_status.h"

namespace hearth::grove {

// The status of an object that cannot be looked after or cannot go: what it was, with the errors of
// this pass and ReplicaFailure. Pure.
api::grove::PodCliqueSetStatus StuckStatus(const SetFacts& set, const PassNotes& notes,
                                           WallTime now);
api::grove::PodCliqueScalingGroupStatus StuckStatus(const GroupFacts& group, const PassNotes& notes,
                                                    WallTime now);
api::grove::PodCliqueStatus StuckStatus(const CliqueFacts& clique, const PassNotes& notes,
                                        WallTime now);

}  // namespace hearth::grove

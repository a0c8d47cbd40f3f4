#include "grove/plan/stuck_status.h"

#include "grove/plan/internal/status_parts.h"

namespace hearth::grove {
namespace {

template <typename Status>
Status Stuck(Status status, const PassNotes& notes, WallTime now) {
  status.last_errors = KeepTimes(status.last_errors, notes.errors);
  TakeRefusal(notes, now, status.conditions);
  return status;
}

}  // namespace

api::grove::PodCliqueSetStatus StuckStatus(const SetFacts& set, const PassNotes& notes,
                                           WallTime now) {
  return Stuck(set.status, notes, now);
}

api::grove::PodCliqueScalingGroupStatus StuckStatus(const GroupFacts& group, const PassNotes& notes,
                                                    WallTime now) {
  return Stuck(group.status, notes, now);
}

api::grove::PodCliqueStatus StuckStatus(const CliqueFacts& clique, const PassNotes& notes,
                                        WallTime now) {
  return Stuck(clique.status, notes, now);
}

}  // namespace hearth::grove

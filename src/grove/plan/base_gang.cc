#include "grove/plan/base_gang.h"

#include <algorithm>

#include "grove/model/names.h"

namespace hearth::grove {
namespace {

bool IsScaledAway(const SetFacts& set, int32_t replica, const GangOutline::Part& part,
                  const LiveReplicas& group_replicas) {
  if (part.group_replica.empty()) {
    return false;
  }
  const auto live = group_replicas(GroupName(set.id.name, replica, part.group_template));
  return live && part.group_index >= *live;
}

bool IsScheduled(const std::optional<CliqueFacts>& clique) {
  return clique && !clique->id.deleting &&
         (clique->replicas == 0 || clique->status.scheduled_replicas >= clique->min_available);
}

}  // namespace

bool IsBaseGangScheduled(const SetFacts& set, int32_t replica, const LiveReplicas& group_replicas,
                         const FindClique& find_clique) {
  const GangOutline base =
      BaseGang(set, replica, [](std::string_view) { return std::optional<int32_t>(); });
  return std::all_of(base.parts.begin(), base.parts.end(), [&](const GangOutline::Part& part) {
    return IsScaledAway(set, replica, part, group_replicas) ||
           IsScheduled(find_clique(part.clique));
  });
}

}  // namespace hearth::grove

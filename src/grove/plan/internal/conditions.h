#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "api/table/common.h"
#include "base/clock.h"
#include "controller/conditions.h"

// Conditions in a status that is read into values; the rules are those of controller/conditions.h.
namespace hearth::grove {

using Conditions = std::vector<api::Condition>;

// Null when there is none of that type.
const api::Condition* FindCondition(const Conditions& conditions, std::string_view type);
bool HasStatus(const Conditions& conditions, std::string_view type, std::string_view status);
// When its status changed; nothing when it does not say.
std::optional<WallTime> ChangedAt(const api::Condition& condition);

void SetCondition(Conditions& conditions, const controller::Condition& wanted, WallTime now);
void RemoveCondition(Conditions& conditions, std::string_view type);

}  // namespace hearth::grove

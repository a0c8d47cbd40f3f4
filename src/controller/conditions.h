#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "json/time.h"
#include "json/value.h"
#include "json/view.h"

namespace hearth::controller {

// A condition as KEP-1623 has it.
struct Condition {
  std::string type;
  std::string status;  // "True", "False", "Unknown"
  std::string reason;  // CamelCase, never empty
  std::string message;
  int64_t observed_generation = 0;
};

// The conditions of `current` (an array, may be absent) with `wanted` set: lastTransitionTime moves
// only when the status changes, other conditions and their order stay.
json::Value SetCondition(json::View current, const Condition& wanted, json::Time now);
json::Value SetCondition(json::Value current, const Condition& wanted, json::Time now);
std::optional<Condition> FindCondition(json::View conditions, std::string_view type);
bool IsTrue(json::View conditions, std::string_view type);

}  // namespace hearth::controller

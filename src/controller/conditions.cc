#include "controller/conditions.h"

#include <algorithm>
#include <utility>

namespace hearth::controller {
namespace {

bool HasType(const json::Value& condition, std::string_view type) {
  const json::Value* found = condition.Find("type");
  return found != nullptr && found->IsString() && found->string() == type;
}

bool HasStatus(const json::Value& condition, std::string_view status) {
  const json::Value* found = condition.Find("status");
  return found != nullptr && found->IsString() && found->string() == status;
}

// Members of the old condition that we do not know stay: other versions of us may have written
// them.
void Write(json::Value& condition, const Condition& wanted, json::Time now) {
  const json::Value* since = condition.Find("lastTransitionTime");
  const bool moved = !HasStatus(condition, wanted.status) || since == nullptr || !since->IsString();
  condition.Set("type", wanted.type);
  condition.Set("status", wanted.status);
  if (wanted.observed_generation > 0) {
    condition.Set("observedGeneration", wanted.observed_generation);
  }
  if (moved) {
    condition.Set("lastTransitionTime", now.ToString());
  }
  condition.Set("reason", wanted.reason);
  condition.Set("message", wanted.message);
}

}  // namespace

json::Value SetCondition(json::View current, const Condition& wanted, json::Time now) {
  return SetCondition(json::Value(current), wanted, now);
}

json::Value SetCondition(json::Value current, const Condition& wanted, json::Time now) {
  if (!current.IsArray()) {
    current = json::Value::Array();
  }
  auto& items = current.items();
  const auto found = std::find_if(items.begin(), items.end(), [&](const json::Value& item) {
    return HasType(item, wanted.type);
  });
  if (found != items.end()) {
    Write(*found, wanted, now);
    return current;
  }
  json::Value added = json::Value::Object();
  Write(added, wanted, now);
  current.Append(std::move(added));
  return current;
}

std::optional<Condition> FindCondition(json::View conditions, std::string_view type) {
  for (const json::View item : conditions.items()) {
    if (item["type"].Equals(type)) {
      return Condition{.type = std::string(type),
                       .status = item["status"].StringOr("Unknown"),
                       .reason = item["reason"].StringOr(""),
                       .message = item["message"].StringOr(""),
                       .observed_generation = item["observedGeneration"].Int().value_or(0)};
    }
  }
  return std::nullopt;
}

bool IsTrue(json::View conditions, std::string_view type) {
  const std::optional<Condition> condition = FindCondition(conditions, type);
  return condition.has_value() && condition->status == "True";
}

}  // namespace hearth::controller

#include "controller/ownership.h"

#include <algorithm>
#include <utility>

namespace hearth::controller {
namespace {

using json::Value;

// Sets of fields are objects: a member for each field, with the set of what is below it.
void Unite(Value& into, const Value& more) {
  if (!more.IsObject()) {
    return;
  }
  for (const auto& [name, below] : more.members()) {
    if (Value* present = into.Find(name)) {
      Unite(*present, below);
    } else {
      into.Set(name, below);
    }
  }
}

bool IsAt(json::View entry, std::string_view api_version, std::string_view subresource) {
  return entry["apiVersion"].Equals(api_version) && entry["fieldsType"].Equals("FieldsV1") &&
         entry["subresource"].StringOr("") == subresource;
}

bool IsOneOf(json::View manager, std::span<const std::string_view> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return manager.Equals(name); });
}

}  // namespace

std::optional<Value> MoveOwnership(json::View managed_fields, std::string_view api_version,
                                   std::string_view subresource, std::string_view to,
                                   std::span<const std::string_view> from) {
  Value kept = Value::Array();
  Value applied;  // the entry of `to`
  Value fields = Value::Object();
  std::string time;
  bool moved = false;
  for (const json::View entry : managed_fields.items()) {
    const bool here = IsAt(entry, api_version, subresource);
    const bool plain = here && entry["operation"].Equals("Update");
    const bool by_apply = here && entry["operation"].Equals("Apply");
    if (plain && IsOneOf(entry["manager"], from)) {
      moved = true;
      time = entry["time"].StringOr("");
      Unite(fields, Value(entry["fieldsV1"]));
    } else if (by_apply && entry["manager"].Equals(to)) {
      applied = Value(entry);
      Unite(fields, Value(entry["fieldsV1"]));
    } else {
      kept.Append(Value(entry));
    }
  }
  if (!moved) {
    return std::nullopt;
  }
  if (applied.IsNull()) {
    applied = Value::Object({{"manager", to},
                             {"operation", "Apply"},
                             {"apiVersion", api_version},
                             {"time", time},
                             {"fieldsType", "FieldsV1"}});
    if (!subresource.empty()) {
      applied.Set("subresource", subresource);
    }
  }
  applied.Set("fieldsV1", std::move(fields));
  kept.Append(std::move(applied));
  return kept;
}

}  // namespace hearth::controller

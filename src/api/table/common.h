#pragma once

#include <string>
#include <vector>

#include "api/table/struct_table.h"

// Shapes that many kinds share.
namespace hearth::api {

// A condition as KEP-1623 has it.
struct Condition {
  std::string type;
  std::string status;
  std::string reason;
  std::string message;
  std::string last_transition_time;
  int64_t observed_generation = 0;
  static const StructTable& Fields();
};

// status.conditions: keyed by type.
Node ConditionList();

// The root of a kind: apiVersion, kind and metadata, then spec and status.
Node Root(std::string doc, Node spec, Node status, bool spec_required,
          std::vector<schema::Rule> rules = {});

}  // namespace hearth::api

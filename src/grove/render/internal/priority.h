#pragma once

#include "grove/model/facts.h"
#include "json/value.h"

namespace hearth::grove::internal {

// Pods have the priority of their set unless their template names one.
inline void SetPriority(const SetFacts& set, json::Value& pod_spec) {
  const json::Value* const own = pod_spec.Find("priorityClassName");
  if ((own == nullptr || own->StringOr("").empty()) && !set.parts().priority_class_name.empty()) {
    pod_spec.Set("priorityClassName", set.parts().priority_class_name);
  }
}

}  // namespace hearth::grove::internal

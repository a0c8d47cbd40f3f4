#include "grove/render/internal/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "grove/model/labels.h"
#include "grove/model/names.h"

namespace hearth::grove::internal {
namespace {

using json::Value;

Value Variable(std::string_view name, std::string_view value) {
  return Value::Object({{"name", name}, {"value", value}});
}

Value FromLabel(std::string_view name, std::string_view label) {
  return Value::Object(
      {{"name", name},
       {"valueFrom",
        Value::Object(
            {{"fieldRef",
              Value::Object({{"fieldPath", fmt::format("metadata.labels['{}']", label)}})}})}});
}

std::string NameOf(const Value& variable) {
  const Value* const name = variable.Find("name");
  return name == nullptr ? "" : name->StringOr("");
}

void PrependTo(Value& container, const std::vector<Value>& variables) {
  Value::Items all = variables;
  if (Value* const own = container.Find("env"); own != nullptr && own->IsArray()) {
    for (Value& variable : own->items()) {
      const std::string name = NameOf(variable);
      const bool replaced = std::any_of(variables.begin(), variables.end(),
                                        [&](const Value& ours) { return NameOf(ours) == name; });
      if (!replaced) {
        all.push_back(std::move(variable));
      }
    }
  }
  container.Set("env", Value::FromItems(std::move(all)));
}

}  // namespace

std::vector<Value> GroupVariables(int32_t template_pods) {
  return {FromLabel("GROVE_PCSG_NAME", kGroupLabel),
          Variable("GROVE_PCSG_TEMPLATE_NUM_PODS", std::to_string(template_pods)),
          FromLabel("GROVE_PCSG_INDEX", kGroupReplicaLabel)};
}

std::vector<Value> PodVariables(const SetFacts& set, const CliqueFacts& clique, int32_t i) {
  return {Variable("GROVE_PCS_NAME", set.id.name), Variable("GROVE_PCS_INDEX", std::to_string(i)),
          Variable("GROVE_PCLQ_NAME", clique.id.name),
          Variable("GROVE_HEADLESS_SERVICE", HeadlessAddress(set.id.name, i, clique.id.name_space)),
          FromLabel("GROVE_PCLQ_POD_INDEX", kPodIndexLabel)};
}

void PrependVariables(const std::vector<Value>& variables, Value& pod_spec) {
  for (const std::string_view list : {"containers", "initContainers"}) {
    if (Value* const containers = pod_spec.Find(list);
        containers != nullptr && containers->IsArray()) {
      for (Value& container : containers->items()) {
        if (container.IsObject()) {
          PrependTo(container, variables);
        }
      }
    }
  }
}

}  // namespace hearth::grove::internal

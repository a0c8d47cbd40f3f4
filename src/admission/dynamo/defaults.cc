#include "admission/dynamo/defaults.h"

#include "admission/dynamo/internal/graph_rules.h"
#include "admission/dynamo/internal/pathway.h"
#include "admission/rules/reading.h"
#include "api/dynamo/constants.h"

namespace hearth::admission::dynamo {
namespace {

using api::dynamo::kOriginVersion;
using json::Value;

bool Lacks(const Value& object, std::string_view member) {
  const Value* value = object.Find(member);
  return value == nullptr || value->IsNull();
}

// The object at the place, made when it is missing; null when something else stands there.
Value* MakeObject(Value& parent, std::string_view member) {
  if (!parent.IsObject()) {
    return nullptr;
  }
  Value& value = parent[member];
  if (value.IsNull()) {
    value = Value::Object();
  }
  return value.IsObject() ? &value : nullptr;
}

void SetAnnotation(Value& object, std::string_view key, const Value& value) {
  Value* metadata = MakeObject(object, "metadata");
  Value* annotations = metadata == nullptr ? nullptr : MakeObject(*metadata, "annotations");
  if (annotations != nullptr && Lacks(*annotations, key)) {
    annotations->Set(key, value);
  }
}

void SetOriginVersion(Value& graph, const Request& request) {
  if (request.operation == Operation::kCreate) {
    if (!request.setup.operator_version.empty()) {
      SetAnnotation(graph, kOriginVersion, Value(request.setup.operator_version));
    }
  } else if (request.old != nullptr) {
    if (const Value* stored = Annotation(*request.old, kOriginVersion); stored != nullptr) {
      SetAnnotation(graph, kOriginVersion, *stored);
    }
  }
}

bool IsOne(const Value* value) { return Integer(value) == 1; }

void SetMinAvailable(Value& component, bool grove, const ComponentsByName& stored) {
  if (grove) {
    if (Lacks(component, "minAvailable")) {
      component.Set("minAvailable", 1);
    }
    return;
  }
  const auto old = stored.find(Text(component.Find("name")));
  if (old != stored.end() && IsOne(component.Find("minAvailable")) &&
      IsOne(old->second->Find("minAvailable"))) {
    component.Erase("minAvailable");
  }
}

}  // namespace

void SetGraphDefaults(Value& object, const Request& request) {
  if (!object.IsObject()) {
    return;
  }
  SetOriginVersion(object, request);
  const bool grove = PathwayOf(object, request.setup).grove;
  const auto stored = request.old == nullptr ? ComponentsByName() : ByName(*request.old);
  Value* spec = object.Find("spec");
  Value* components = spec == nullptr ? nullptr : spec->Find("components");
  if (components == nullptr || !components->IsArray()) {
    return;
  }
  for (Value& component : components->items()) {
    if (component.IsObject()) {
      if (Lacks(component, "replicas")) {
        component.Set("replicas", 1);
      }
      SetMinAvailable(component, grove, stored);
    }
  }
}

void SetComponentDeploymentDefaults(Value& object, const Request& request) {
  const std::string name(Text(object.FindPath("metadata.name")));
  if (request.operation != Operation::kCreate || !object.IsObject() || name.empty()) {
    return;
  }
  Value* spec = MakeObject(object, "spec");
  if (spec != nullptr && (Lacks(*spec, "name") || *spec->Find("name") == Value(""))) {
    spec->Set("name", name);
  }
}

}  // namespace hearth::admission::dynamo

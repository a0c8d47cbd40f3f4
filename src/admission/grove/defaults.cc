#include "admission/grove/defaults.h"

#include "admission/rules/reading.h"

namespace hearth::admission::grove {
namespace {

using json::Value;

constexpr const char* kTerminationDelay = "4h0m0s";
constexpr int kTerminationGracePeriodSeconds = 30;

void Default(Value& object, std::string_view name, Value value) {
  if (!Has(object, name)) {
    object.Set(name, std::move(value));
  }
}

// As above, and an empty string counts as absent.
void DefaultText(Value& object, std::string_view name, std::string_view value) {
  if (!Has(object, name) || (Member(object, name).IsString() && Text(object, name).empty())) {
    object.Set(name, value);
  }
}

Value* FindObject(Value* object, std::string_view name) {
  Value* found = object == nullptr ? nullptr : object->Find(name);
  return found != nullptr && found->IsObject() ? found : nullptr;
}

Value::Items* FindList(Value& object, std::string_view name) {
  Value* found = object.Find(name);
  return found != nullptr && found->IsArray() ? &found->items() : nullptr;
}

// The smallest number an autoscaler may choose is what the template starts with.
void DefaultMinReplicas(Value& object, std::string_view scaling) {
  Value* config = FindObject(&object, scaling);
  if (config != nullptr && Integer(object, "replicas").has_value()) {
    Default(*config, "minReplicas", Member(object, "replicas"));
  }
}

void DefaultPodSpec(Value& spec) {
  if (Value* pod = FindObject(&spec, "podSpec")) {
    DefaultText(*pod, "restartPolicy", "Always");
    Default(*pod, "terminationGracePeriodSeconds", kTerminationGracePeriodSeconds);
  }
}

// The replicas come first: the other two are made from what they end up as, so that a clique of 0
// pods does not become one that no rule accepts.
void DefaultClique(Value& clique) {
  Value* spec = FindObject(&clique, "spec");
  if (spec == nullptr) {
    return;
  }
  if (!Has(*spec, "replicas") || Integer(*spec, "replicas") == 0) {
    spec->Set("replicas", 1);
  }
  if (Integer(*spec, "replicas").has_value()) {
    Default(*spec, "minAvailable", Member(*spec, "replicas"));
  }
  DefaultMinReplicas(*spec, "autoScalingConfig");
  DefaultPodSpec(*spec);
}

}  // namespace

void SetDefaults(Value& set, const Request& /*request*/) {
  if (Value* metadata = FindObject(&set, "metadata")) {
    DefaultText(*metadata, "namespace", "default");
  }
  Value* set_template = FindObject(FindObject(&set, "spec"), "template");
  if (set_template == nullptr) {
    return;
  }
  if (Value::Items* cliques = FindList(*set_template, "cliques")) {
    for (Value& clique : *cliques) {
      DefaultClique(clique);
    }
  }
  if (Value::Items* groups = FindList(*set_template, "podCliqueScalingGroups")) {
    for (Value& group : *groups) {
      DefaultMinReplicas(group, "scaleConfig");
    }
  }
  Default(*set_template, "terminationDelay", kTerminationDelay);
  Default(*set_template, "headlessServiceConfig",
          Value::Object({{"publishNotReadyAddresses", true}}));
}

}  // namespace hearth::admission::grove

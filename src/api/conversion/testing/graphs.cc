#include "api/conversion/testing/graphs.h"

#include "api/conversion/convert.h"
#include "base/check.h"
#include "json/yaml.h"

namespace hearth::api::conversion::testing {
namespace {

using json::Value;

std::string Annotation(const Value& object, const std::string& part) {
  const bool graph = object.Find("kind")->string() == "DynamoGraphDeployment";
  const Value* annotations = object.FindPath("metadata.annotations");
  const Value* text =
      annotations == nullptr
          ? nullptr
          : annotations->Find((graph ? "nvidia.com/dgd-" : "nvidia.com/dcd-") + part);
  return text == nullptr ? std::string() : text->string();
}

}  // namespace

Value Yaml(std::string_view text) {
  auto value = json::ParseYamlDocument(text);
  CHECK(value.ok()) << value.status().ToString() << "\n" << text;
  return *std::move(value);
}

Value Object(std::string_view kind, std::string_view version, std::string_view spec) {
  return Value::Object({{"apiVersion", "nvidia.com/" + std::string(version)},
                        {"kind", kind},
                        {"metadata", Value::Object({{"name", "llama"}})},
                        {"spec", Yaml(spec)}});
}

Value AlphaGraph(std::string_view service) {
  Value graph = Object("DynamoGraphDeployment", "v1alpha1", "services: {}");
  graph["spec"]["services"].Set("worker", Yaml(service));
  return graph;
}

Value BetaGraph(std::string_view component) {
  Value graph = Object("DynamoGraphDeployment", "v1beta1", "components: []");
  Value named = Value::Object({{"name", "worker"}});
  const Value members = Yaml(component);
  for (const auto& [name, member] : members.members()) {
    named.Set(name, member);
  }
  graph["spec"]["components"].Append(std::move(named));
  return graph;
}

Value Converted(const Value& object, std::string_view version) {
  auto converted = Convert(object, version);
  CHECK(converted.ok()) << converted.status().ToString();
  return *std::move(converted);
}

const Value* Worker(const Value& graph) {
  if (const Value* services = graph.FindPath("spec.services"); services != nullptr) {
    return services->Find("worker");
  }
  const Value* components = graph.FindPath("spec.components");
  for (size_t i = 0; components != nullptr && i < components->items().size(); ++i) {
    if (components->items()[i].Find("name")->string() == "worker") {
      return &components->items()[i];
    }
  }
  return nullptr;
}

Value* Worker(Value& graph) { return const_cast<Value*>(Worker(std::as_const(graph))); }

std::string SavedSpec(const Value& object) { return Annotation(object, "spec"); }
std::string SavedStatus(const Value& object) { return Annotation(object, "status"); }

}  // namespace hearth::api::conversion::testing

#include "dynamo/render/testing/everything.h"

#include <utility>

#include "base/check.h"
#include "dynamo/model/names.h"
#include "dynamo/render/children.h"
#include "dynamo/render/clique_set.h"
#include "dynamo/render/component_pod.h"
#include "json/yaml.h"
#include "pods/lists.h"

namespace hearth::dynamo {
namespace {

using json::Value;

// What an operator in a cluster would know.
Surroundings SomeSurroundings() {
  return {.nats_address = "nats://nats.dynamo:4222", .etcd_address = "http://etcd.dynamo:2379"};
}

constexpr std::string_view kWorkerHash = "0a1b2c3d";

Value ErrorOf(const Status& status) { return Value::Object({{"error", status.ToString()}}); }

void AddCommon(const GraphFacts& graph, Value& objects) {
  for (Value& object : RenderDiscoveryAccount(graph)) {
    objects.Append(std::move(object));
  }
  for (const auto& component : graph.spec.components) {
    const auto whole = WithGraphDefaults(graph, component);
    objects.Append(RenderService(graph, whole, SomeSurroundings()));
    const auto claim = RenderClaimTemplate(graph, whole);
    if (!claim.ok()) {
      objects.Append(ErrorOf(claim.status()));
    } else if (*claim) {
      objects.Append(**claim);
    }
  }
}

std::string ClaimOf(const GraphFacts& graph, const api::dynamo::ComponentSpec& component) {
  const auto claim = RenderClaimTemplate(graph, component);
  return claim.ok() && *claim ? std::string(pods::Text(*(*claim)->Find("metadata"), "name"))
                              : std::string();
}

}  // namespace

GraphFacts ReadGraph(std::string_view yaml) {
  const auto object = json::ParseYamlDocument(yaml);
  CHECK(object.ok()) << object.status().ToString();
  const json::Blob blob = object->ToBlob();
  auto spec = api::DecodeAs<api::dynamo::GraphDeploymentSpec>(blob["spec"]);
  CHECK(spec.ok()) << spec.status().ToString();
  GraphFacts graph{.name = object->FindPath("metadata.name")->string(),
                   .name_space = object->FindPath("metadata.namespace")->StringOr("default"),
                   .uid = "uid-of-the-graph",
                   .spec = *std::move(spec)};
  if (const Value* const annotations = object->FindPath("metadata.annotations");
      annotations != nullptr) {
    for (const auto& [key, value] : annotations->members()) {
      graph.annotations[key] = value.StringOr("");
    }
  }
  return graph;
}

Value RenderThroughGrove(const GraphFacts& graph) {
  Value objects = Value::Array();
  AddCommon(graph, objects);
  GraphRequest request{.graph = graph, .surroundings = SomeSurroundings()};
  for (const auto& component : graph.spec.components) {
    ComponentState state;
    state.claim_template = ClaimOf(graph, WithGraphDefaults(graph, component));
    if (IsWorker(component)) {
      state.worker_hash = kWorkerHash;
    }
    request.components[component.name] = std::move(state);
  }
  const auto set = RenderCliqueSet(request);
  objects.Append(set.ok() ? *set : ErrorOf(set.status()));
  return objects;
}

Value RenderByComponent(const GraphFacts& graph) {
  Value objects = Value::Array();
  AddCommon(graph, objects);
  for (const auto& component : graph.spec.components) {
    const auto whole = WithGraphDefaults(graph, component);
    const std::string hash = IsWorker(whole) ? std::string(kWorkerHash) : std::string();
    const PodRequest request{.graph = graph,
                             .component = whole,
                             .surroundings = SomeSurroundings(),
                             .worker_hash = hash,
                             .claim_template = ClaimOf(graph, whole)};
    auto pod = RenderComponentPod(request);
    objects.Append(pod.ok()
                       ? RenderDeployment(graph, whole,
                                          ComponentDeploymentName(graph.name, whole.name, hash),
                                          whole.replicas.value_or(1), *std::move(pod))
                       : ErrorOf(pod.status()));
  }
  return objects;
}

}  // namespace hearth::dynamo

#include "dynamo/model/component_hash.h"

#include <utility>

#include "base/sha256.h"
#include "json/value.h"

namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;
using json::Value;

constexpr size_t kDigits = 8;

std::string Digest(const Value& content) {
  return Sha256Hex(content.WriteCanonical()).substr(0, kDigits);
}

// The component with what the graph says for all, without numbers of replicas.
dyn::ComponentSpec Essence(const GraphFacts& graph, const dyn::ComponentSpec& component) {
  dyn::ComponentSpec essence = WithGraphDefaults(graph, component);
  essence.replicas.reset();
  essence.min_available.reset();
  essence.scaling_adapter.reset();
  return essence;
}

Value EngineSaid(const GraphFacts& graph) {
  return graph.spec.backend_framework ? Value(EngineName(*graph.spec.backend_framework)) : Value();
}

}  // namespace

std::string WorkersHash(const GraphFacts& graph) {
  Value workers = Value::Object();
  for (const dyn::ComponentSpec& component : graph.spec.components) {
    if (!IsWorker(component)) {
      continue;
    }
    dyn::ComponentSpec essence = Essence(graph, component);
    if (essence.experimental) {
      essence.experimental->checkpoint.reset();
    }
    workers.Set(component.name, api::Encoded(essence));
  }
  if (workers.members().empty()) {
    return "";
  }
  return Digest(Value::Object({{"engine", EngineSaid(graph)}, {"workers", std::move(workers)}}));
}

std::string CaptureHash(const GraphFacts& graph, const dyn::ComponentSpec& component) {
  dyn::ComponentSpec essence = Essence(graph, component);
  Value capture;
  if (const dyn::CheckpointConfig* const config = CheckpointOf(essence); config != nullptr) {
    capture = Value::Object({{"target", config->target_container_name}});
    if (config->job) {
      capture.Set("job", api::Encoded(*config->job));
    }
  }
  if (essence.experimental) {
    essence.experimental->checkpoint.reset();
    essence.experimental->failover.reset();  // engines are cloned from what is captured once
    if (auto& memory = essence.experimental->gpu_memory_service; memory && memory->checkpoint) {
      memory->checkpoint->loader.reset();
    }
  }
  return Digest(Value::Object({{"engine", EngineSaid(graph)},
                               {"component", api::Encoded(essence)},
                               {"capture", std::move(capture)}}));
}

}  // namespace hearth::dynamo

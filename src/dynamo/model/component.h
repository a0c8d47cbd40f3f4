#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/dynamo/component.h"
#include "api/dynamo/graph_deployment.h"
#include "base/result.h"

namespace hearth::dynamo {

// A DynamoGraphDeployment, or what a DynamoComponentDeployment that stands alone has of one.
struct GraphFacts {
  std::string name;
  std::string name_space;
  std::string uid;
  std::map<std::string, std::string> annotations;  // of the object
  api::dynamo::GraphDeploymentSpec spec;

  std::string_view Annotation(std::string_view key) const;  // empty: none
};

// What is asked of a component again and again.
bool IsWorker(const api::dynamo::ComponentSpec& component);  // worker, prefill or decode
std::string_view TypeName(const api::dynamo::ComponentSpec& component);  // empty: none
const api::dynamo::GpuMemoryService* MemoryOf(const api::dynamo::ComponentSpec& component);
const api::dynamo::Failover* FailoverOf(const api::dynamo::ComponentSpec& component);
// Null when it is not enabled.
const api::dynamo::CheckpointConfig* CheckpointOf(const api::dynamo::ComponentSpec& component);
bool HasIntraPodMemory(const api::dynamo::ComponentSpec& component);
bool HasInterPodMemory(const api::dynamo::ComponentSpec& component);
bool HasIntraPodFailover(const api::dynamo::ComponentSpec& component);
bool HasInterPodFailover(const api::dynamo::ComponentSpec& component);
int32_t NodesOf(const api::dynamo::ComponentSpec& component);
// Engine pods of a rank beside which others stand by.
int32_t EnginesPerRank(const api::dynamo::ComponentSpec& component);

// The component with what the graph says for all of them: env under its own, annotations and labels
// that its pod template does not have.
api::dynamo::ComponentSpec WithGraphDefaults(const GraphFacts& graph,
                                             const api::dynamo::ComponentSpec& component);

// The engine that the main container starts: what its command says, else what the graph says;
// nothing for components that are no workers. kInvalid: they disagree, or the command starts
// several.
Result<std::optional<api::dynamo::BackendFramework>> EngineOf(
    const api::dynamo::ComponentSpec& component,
    const std::optional<api::dynamo::BackendFramework>& said);
std::string_view EngineName(api::dynamo::BackendFramework engine);

}  // namespace hearth::dynamo

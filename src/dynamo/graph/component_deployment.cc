#include "dynamo/graph/component_deployment.h"

#include <utility>

#include "api/dynamo/component_deployment.h"
#include "dynamo/model/labels.h"
#include "dynamo/model/names.h"
#include "kube/model/object.h"
#include "pods/lists.h"

namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;
using json::Value;

constexpr std::string_view kGraphKind = "DynamoGraphDeployment";

// Found already: nobody looks for it a second time.
dyn::CheckpointConfig Named(const dyn::CheckpointConfig& config, const ComponentStart& start) {
  dyn::CheckpointConfig named;
  named.enabled = true;
  named.startup_policy = config.startup_policy;
  named.checkpoint_ref = start.checkpoint;
  named.target_container_name = config.target_container_name;
  return named;
}

}  // namespace

Value RenderComponentDeployment(const ComponentDeploymentRequest& request) {
  dyn::ComponentDeploymentSpec spec;
  static_cast<dyn::ComponentSpec&>(spec) = WithGraphDefaults(request.graph, request.component);
  spec.backend_framework = request.graph.spec.backend_framework;
  spec.replicas = request.replicas;
  if (const auto* const config = CheckpointOf(request.component); config != nullptr) {
    if (request.start.checkpoint.empty() || request.start.fell_back) {
      spec.experimental->checkpoint.reset();  // checkpoints are off, or this one is of no use
    } else {
      spec.experimental->checkpoint = Named(*config, request.start);
    }
  }
  if (!request.restart_id.empty()) {
    pods::SetAnnotation(spec.pod_template, kRestartAnnotation, request.restart_id);
  }
  const std::string name =
      ComponentDeploymentName(request.graph.name, request.component.name, request.worker_hash);
  Value object = Value::Object(
      {{"apiVersion", "nvidia.com/v1beta1"},
       {"kind", "DynamoComponentDeployment"},
       {"metadata", Value::Object({{"name", name}, {"namespace", request.graph.name_space}})}});
  pods::SetLabel(object, kGraphLabel, request.graph.name);
  pods::SetLabel(object, kComponentLabel, request.component.name);
  pods::SetLabel(object, kNamespaceLabel,
                 DynamoNamespace(request.graph.name_space, request.graph.name,
                                 request.component.global_dynamo_namespace));
  if (!request.worker_hash.empty()) {
    pods::SetLabel(object, kWorkerHashLabel, request.worker_hash);
  }
  object.Set("spec", api::Encoded(spec));
  return object;
}

GraphFacts GraphOfDeployment(const DeploymentIdentity& identity, json::View object) {
  const kube::Meta meta(object);
  GraphFacts graph{.name = identity.name, .name_space = identity.name_space, .uid = identity.uid};
  if (const auto controller = meta.controller(); controller && controller->kind == kGraphKind) {
    graph.name = controller->name;
    graph.uid = controller->uid;
  }
  for (const auto& [key, value] : meta.annotations().members()) {
    graph.annotations[std::string(key)] = value.StringOr("");
  }
  return graph;
}

}  // namespace hearth::dynamo

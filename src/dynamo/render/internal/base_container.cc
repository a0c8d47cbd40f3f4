#include "dynamo/render/internal/base_container.h"

#include <string>

#include "api/dynamo/constants.h"
#include "dynamo/model/labels.h"
#include "dynamo/model/names.h"
#include "dynamo/render/internal/ports.h"
#include "dynamo/render/internal/probes.h"
#include "pods/environment.h"
#include "pods/lists.h"

namespace hearth::dynamo::internal {
namespace {

namespace dyn = api::dynamo;
using json::Value;
using pods::FieldVariable;
using pods::Variable;

std::string NamespaceOf(const PodRequest& request) {
  return DynamoNamespace(request.graph.name_space, request.graph.name,
                         request.component.global_dynamo_namespace);
}

// What a pod says of itself wins over the operator's configuration.
std::string_view DiscoveryOf(const PodRequest& request) {
  const std::string_view said =
      pods::Annotation(request.component.pod_template, kDiscoveryBackendAnnotation);
  return said.empty() ? std::string_view(request.surroundings.discovery_backend) : said;
}

Value CommonContainer(const PodRequest& request, std::string_view type) {
  Value::Items env = {
      Variable("DYN_NAMESPACE", NamespaceOf(request)),
      Variable("DYN_COMPONENT", type),
      Variable("DYN_PARENT_DGD_K8S_NAME", request.graph.name),
      Variable("DYN_PARENT_DGD_K8S_NAMESPACE", request.graph.name_space),
      FieldVariable("POD_NAME", "metadata.name"),
      FieldVariable("POD_NAMESPACE", "metadata.namespace"),
      FieldVariable("POD_UID", "metadata.uid"),
  };
  if (DiscoveryOf(request) != kEtcdDiscovery) {
    env.push_back(Variable("DYN_DISCOVERY_BACKEND", kKubernetesDiscovery));
  }
  if (pods::Annotation(request.component.pod_template, dyn::kDiscoveryMode) ==
      kContainerDiscoveryMode) {
    env.push_back(Variable("CONTAINER_NAME", dyn::kMainContainer));
    env.push_back(Variable("DYN_KUBE_DISCOVERY_MODE", kContainerDiscoveryMode));
  }
  return Value::Object({{"name", dyn::kMainContainer},
                        {"command", Value::Array({"/bin/sh", "-c"})},
                        {"env", Value::FromItems(std::move(env))}});
}

void MakeWorker(const PodRequest& request, Value& container) {
  container.Set("ports", Value::Array({Port("system", kSystemPort), Port("nixl", kNixlPort)}));
  container.Set("livenessProbe",
                HttpProbe("/live", "system", {.period = 5, .timeout = 4, .failures = 1}));
  container.Set("readinessProbe",
                HttpProbe("/health", "system", {.period = 10, .timeout = 4, .failures = 3}));
  // Two hours: weights come from far away.
  container.Set("startupProbe",
                HttpProbe("/live", "system", {.period = 10, .timeout = 5, .failures = 720}));
  const std::string system_port = std::to_string(kSystemPort);
  const std::string nixl_port = std::to_string(kNixlPort);
  pods::MergeVariables(
      container,
      {Variable("DYN_SYSTEM_ENABLED", "true"),
       Variable("DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS", R"(["generate"])"),
       Variable("DYN_SYSTEM_PORT", system_port), Variable("DYN_HEALTH_CHECK_ENABLED", "false"),
       Variable("NIXL_TELEMETRY_ENABLE", "n"), Variable("NIXL_TELEMETRY_EXPORTER", "prometheus"),
       Variable("NIXL_TELEMETRY_PROMETHEUS_PORT", nixl_port),
       Variable("DYN_FORWARDPASS_METRIC_PORT", std::to_string(kForwardPassPort))});
  if (!request.worker_hash.empty()) {
    pods::SetVariable(container, Variable("DYN_NAMESPACE_WORKER_SUFFIX", request.worker_hash));
  }
}

void MakeFrontend(const PodRequest& request, Value& container) {
  const std::string port = std::to_string(kHttpPort);
  container.Set("command", Value::Array({"python3"}));
  container.Set("args", Value::Array({"-m", "dynamo.frontend"}));
  container.Set("ports", Value::Array({Port("http", kHttpPort)}));
  container.Set(
      "livenessProbe",
      HttpProbe("/live", "http", {.delay = 15, .period = 10, .timeout = 1, .failures = 3}));
  container.Set(
      "readinessProbe",
      HttpProbe("/health", "http", {.delay = 10, .period = 10, .timeout = 3, .failures = 3}));
  pods::MergeVariables(container, {Variable("DYNAMO_PORT", port), Variable("DYN_HTTP_PORT", port),
                                   Variable("DYN_NAMESPACE_PREFIX", NamespaceOf(request))});
}

}  // namespace

Value BaseContainer(const PodRequest& request) {
  Value container = CommonContainer(request, TypeName(request.component));
  if (IsWorker(request.component)) {
    MakeWorker(request, container);
  } else if (request.component.type == dyn::ComponentType::kFrontend) {
    MakeFrontend(request, container);
  }
  return container;
}

Value FrontendContainer(const PodRequest& request) {
  Value container = CommonContainer(request, "frontend");
  MakeFrontend(request, container);
  return container;
}

void AddSurroundings(const Surroundings& surroundings, Value& container) {
  const std::pair<std::string_view, const std::string&> known[] = {
      {"NATS_SERVER", surroundings.nats_address},
      {"ETCD_ENDPOINTS", surroundings.etcd_address},
      {"MODEL_EXPRESS_URL", surroundings.model_express_url},
      {"PROMETHEUS_ENDPOINT", surroundings.prometheus_endpoint}};
  for (const auto& [name, value] : known) {
    if (!value.empty()) {
      pods::AddVariables(container, {Variable(name, value)});
    }
  }
}

}  // namespace hearth::dynamo::internal

#include "dynamo/render/children.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "api/dynamo/constants.h"
#include "dynamo/model/labels.h"
#include "dynamo/model/names.h"
#include "dynamo/render/gpu_claim.h"
#include "dynamo/render/internal/ports.h"
#include "pods/gpus.h"
#include "pods/lists.h"

namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;
using json::Value;

constexpr std::string_view kClaimRequest = "gpus";
constexpr std::string_view kStrategyAnnotation = "nvidia.com/deployment-strategy";
constexpr std::string_view kMaxSurgeAnnotation = "nvidia.com/deployment-rolling-update-max-surge";
constexpr std::string_view kMaxUnavailableAnnotation =
    "nvidia.com/deployment-rolling-update-max-unavailable";
constexpr std::string_view kQuarter = "25%";

Value NewObject(std::string_view version, std::string_view kind, const GraphFacts& graph,
                std::string_view name) {
  return Value::Object(
      {{"apiVersion", version},
       {"kind", kind},
       {"metadata", Value::Object({{"name", name}, {"namespace", graph.name_space}})}});
}

void LabelAccess(Value& object, std::string_view account) {
  pods::SetLabel(object, "app.kubernetes.io/managed-by", "dynamo-operator");
  pods::SetLabel(object, "app.kubernetes.io/component", "rbac");
  pods::SetLabel(object, "app.kubernetes.io/name", account);
}

Value Words(std::initializer_list<std::string_view> words) {
  Value list = Value::Array();
  for (const std::string_view word : words) {
    list.Append(word);
  }
  return list;
}

Value Rule(std::string_view group, std::initializer_list<std::string_view> resources,
           std::initializer_list<std::string_view> verbs) {
  return Value::Object(
      {{"apiGroups", Words({group})}, {"resources", Words(resources)}, {"verbs", Words(verbs)}});
}

// "2" is two pods, "25%" a share.
Value IntOrPercent(std::string_view text) {
  const bool number =
      !text.empty() && text.size() < 9 && text.find_first_not_of("0123456789") == text.npos;
  return number ? Value(std::stoi(std::string(text))) : Value(text);
}

Value Strategy(const Value& pod) {
  if (pods::Annotation(pod, kStrategyAnnotation) == "Recreate") {
    return Value::Object({{"type", "Recreate"}});
  }
  const auto share = [&](std::string_view key) {
    const std::string_view said = pods::Annotation(pod, key);
    return IntOrPercent(said.empty() ? kQuarter : said);
  };
  return Value::Object(
      {{"type", "RollingUpdate"},
       {"rollingUpdate", Value::Object({{"maxSurge", share(kMaxSurgeAnnotation)},
                                        {"maxUnavailable", share(kMaxUnavailableAnnotation)}})}});
}

}  // namespace

Value RenderService(const GraphFacts& graph, const dyn::ComponentSpec& component,
                    const Surroundings& surroundings) {
  const bool frontend = component.type == dyn::ComponentType::kFrontend;
  const std::string_view port_name = frontend ? "http" : "system";
  const int port = frontend ? internal::kHttpPort : internal::kSystemPort;
  // With two engines in a pod, the first one's port stands for the pod.
  const bool engines = HasIntraPodFailover(component);
  const Value target = engines ? Value("system-0") : Value(port_name);
  const std::string dynamo_namespace =
      DynamoNamespace(graph.name_space, graph.name, component.global_dynamo_namespace);

  Value service = NewObject("v1", "Service", graph, ServiceName(graph.name, component.name));
  pods::SetLabel(service, kGraphLabel, graph.name);
  pods::SetLabel(service, kComponentLabel, component.name);
  if (surroundings.discovery_backend == kKubernetesDiscovery) {
    pods::SetLabel(service, kDiscoveryBackendLabel, kKubernetesDiscovery);
    pods::SetLabel(service, kDiscoveryEnabledLabel, "true");
  }
  Value selector = Value::Object();
  if (const std::string_view type = TypeName(component); !type.empty()) {
    selector.Set(kTypeLabel, type);
  }
  selector.Set(kNamespaceLabel, dynamo_namespace);
  selector.Set(kComponentLabel, component.name);
  Value ports = Value::Array({Value::Object(
      {{"name", port_name}, {"port", port}, {"protocol", "TCP"}, {"targetPort", target}})});
  if (engines) {
    ports.Append(Value::Object({{"name", "system-1"},
                                {"port", internal::kSystemPort + 1},
                                {"protocol", "TCP"},
                                {"targetPort", "system-1"}}));
  }
  service.Set("spec", Value::Object({{"selector", selector}, {"ports", ports}}));
  return service;
}

std::vector<Value> RenderDiscoveryAccount(const GraphFacts& graph) {
  const std::string name = DiscoveryAccountName(graph.name);
  Value account = NewObject("v1", "ServiceAccount", graph, name);
  Value role = NewObject("rbac.authorization.k8s.io/v1", "Role", graph, name + "-role");
  role.Set("rules",
           Value::Array({Rule("", {"endpoints", "pods"}, {"get", "list", "watch"}),
                         Rule("discovery.k8s.io", {"endpointslices"}, {"get", "list", "watch"}),
                         Rule("nvidia.com", {"dynamoworkermetadatas"},
                              {"create", "get", "list", "watch", "update", "patch", "delete"})}));
  Value binding =
      NewObject("rbac.authorization.k8s.io/v1", "RoleBinding", graph, name + "-binding");
  binding.Set("roleRef", Value::Object({{"apiGroup", "rbac.authorization.k8s.io"},
                                        {"kind", "Role"},
                                        {"name", name + "-role"}}));
  binding.Set("subjects",
              Value::Array({Value::Object(
                  {{"kind", "ServiceAccount"}, {"name", name}, {"namespace", graph.name_space}})}));
  std::vector<Value> objects = {std::move(account), std::move(role), std::move(binding)};
  for (Value& object : objects) {
    LabelAccess(object, name);
  }
  return objects;
}

Result<std::optional<Value>> RenderClaimTemplate(const GraphFacts& graph,
                                                 const dyn::ComponentSpec& component) {
  if (!HasIntraPodMemory(component)) {
    return std::optional<Value>();
  }
  const Value* const spec = component.pod_template.Find("spec");
  const Value* const main =
      spec == nullptr ? nullptr : pods::FindNamed(*spec, "containers", dyn::kMainContainer);
  int64_t gpus = 0;
  if (main != nullptr) {
    ASSIGN_OR_RETURN(
        gpus, pods::GpuCount(*main).WithContext(fmt::format("component \"{}\"", component.name)));
  }
  if (gpus <= 0) {
    return std::optional<Value>();
  }
  Value content = ClaimTemplateSpec(kClaimRequest, MemoryOf(component)->device_class_name, gpus);
  Value object =
      NewObject("resource.k8s.io/v1", "ResourceClaimTemplate", graph,
                ClaimTemplateName(graph.name, component.name, ClaimContentHash(content)));
  pods::SetLabel(object, kGraphLabel, graph.name);
  pods::SetLabel(object, kComponentLabel, component.name);
  object.Set("spec", std::move(content));
  return std::optional(std::move(object));
}

Value RenderDeployment(const GraphFacts& graph, const dyn::ComponentSpec& component,
                       std::string_view name, int32_t replicas, Value pod) {
  pods::SetLabel(pod, kSelectorLabel, name);
  Value deployment = NewObject("apps/v1", "Deployment", graph, name);
  pods::SetLabel(deployment, kGraphLabel, graph.name);
  pods::SetLabel(deployment, kComponentLabel, component.name);
  pods::SetLabel(deployment, kSelectorLabel, name);
  Value strategy = Strategy(pod);
  deployment.Set(
      "spec",
      Value::Object(
          {{"replicas", replicas},
           {"selector",
            Value::Object({{"matchLabels", Value::Object({{kSelectorLabel.data(), name}})}})},
           {"strategy", std::move(strategy)},
           {"template", std::move(pod)}}));
  return deployment;
}

}  // namespace hearth::dynamo

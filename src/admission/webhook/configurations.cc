#include "admission/webhook/configurations.h"

#include <fmt/format.h>

#include <utility>

#include "admission/pod_restore/contract.h"
#include "admission/protection/protection.h"
#include "admission/webhook/endpoints.h"
#include "snapshot/protocol/names.h"

namespace hearth::admission::webhook {
namespace {

using json::Value;

constexpr int kTimeoutSeconds = 10;
constexpr const char* kMutating = "MutatingWebhookConfiguration";
constexpr const char* kValidating = "ValidatingWebhookConfiguration";

// One webhook: what the API server asks about, and how.
struct Row {
  const char* name;
  std::string_view path;
  const char* group;
  const char* version;
  const char* resource;
  std::vector<const char*> operations;
  const char* failure_policy;
  // Equivalent: also asked for other versions of the resource, converted to this one.
  const char* match_policy;
  const char* scope = "Namespaced";
};

struct Configuration {
  const char* kind;
  const char* name;
  std::vector<Row> rows;
};

const std::vector<const char*>& Writes() {
  static const std::vector<const char*> kWrites = {"CREATE", "UPDATE"};
  return kWrites;
}

std::vector<Configuration> Configurations() {
  const auto& writes = Writes();
  return {
      {kMutating,
       "hearth-mutating",
       {{"mdynamographdeployment.kb.io", kDefaultGraphPath, "nvidia.com", "v1beta1",
         "dynamographdeployments", writes, "Fail", "Equivalent"},
        {"mdynamocomponentdeploymentv1beta1.kb.io", kDefaultComponentPath, "nvidia.com", "v1beta1",
         "dynamocomponentdeployments", writes, "Fail", "Exact"},
        {"mpodcheckpointrestore.kb.io",
         kRestorePodPath,
         "",
         "v1",
         "pods",
         {"CREATE"},
         "Ignore",
         "Equivalent"}}},
      {kValidating,
       "hearth-validating",
       {{"vdynamocomponentdeployment.kb.io", kValidateComponentPath, "nvidia.com", "v1alpha1",
         "dynamocomponentdeployments", writes, "Fail", "Equivalent"},
        {"vdynamographdeployment.kb.io", kValidateGraphPath, "nvidia.com", "v1beta1",
         "dynamographdeployments", writes, "Fail", "Equivalent"},
        {"vdynamocheckpoint.kb.io", kValidateCheckpointPath, "nvidia.com", "v1alpha1",
         "dynamocheckpoints", writes, "Fail", "Equivalent"}}},
      {kMutating,
       "podcliqueset-defaulting-webhook",
       {{"pcs.defaulting.webhooks.grove.io", kDefaultCliqueSetPath, "grove.io", "v1alpha1",
         "podcliquesets", writes, "Fail", "Exact"}}},
      {kValidating,
       "podcliqueset-validating-webhook",
       {{"pcs.validating.webhooks.grove.io", kValidateCliqueSetPath, "grove.io", "v1alpha1",
         "podcliquesets", writes, "Fail", "Exact"}}},
      {kValidating,
       "clustertopology-validating-webhook",
       {{"clustertopology.validating.webhooks.grove.io", kValidateTopologyPath, "grove.io",
         "v1alpha1", "clustertopologybindings", writes, "Fail", "Exact", "Cluster"}}},
  };
}

// What the authorizer asks about. Claims are ours to add: upstream leaves them to anybody.
struct Protected {
  const char* group;
  std::vector<const char*> versions;
  std::vector<const char*> resources;
  std::vector<const char*> operations;
};

const std::vector<Protected>& ProtectedResources() {
  static const std::vector<Protected> kProtected = {
      {"", {"v1"}, {"secrets", "serviceaccounts", "services"}, {"UPDATE", "DELETE"}},
      {"rbac.authorization.k8s.io", {"v1"}, {"roles", "rolebindings"}, {"UPDATE", "DELETE"}},
      {"autoscaling", {"v1", "v2"}, {"horizontalpodautoscalers"}, {"UPDATE", "DELETE"}},
      {"resource.k8s.io", {"*"}, {"resourceclaims"}, {"UPDATE", "DELETE"}},
      {"", {"v1"}, {"pods"}, {"UPDATE"}},
      {"grove.io",
       {"v1alpha1"},
       {"podcliques", "podcliquescalinggroups"},
       {"CREATE", "UPDATE", "DELETE"}},
      {"scheduler.grove.io", {"v1alpha1"}, {"podgangs"}, {"CREATE", "UPDATE", "DELETE"}},
  };
  return kProtected;
}

Value Texts(const std::vector<const char*>& texts) {
  Value list = Value::Array();
  for (const char* text : texts) {
    list.Append(text);
  }
  return list;
}

Value ClientConfig(std::string_view path, const ConfigurationOptions& options) {
  if (!options.url.empty()) {
    return Value::Object({{"url", options.url + std::string(path)}});
  }
  return Value::Object({{"service", Value::Object({{"namespace", options.name_space},
                                                   {"name", options.service},
                                                   {"path", path},
                                                   {"port", 443}})}});
}

Value Rule(const Row& row) {
  return Value::Object({{"apiGroups", Value::Array({row.group})},
                        {"apiVersions", Value::Array({row.version})},
                        {"resources", Value::Array({row.resource})},
                        {"operations", Texts(row.operations)},
                        {"scope", row.scope}});
}

Value Expression(std::string_view key, const char* operation) {
  return Value::Object({{"key", key}, {"operator", operation}});
}

// Pods that cannot be restored never leave the API server, whatever else runs in the cluster.
void NarrowToCandidates(Value& webhook) {
  Value expressions = Value::Array();
  for (const std::string_view label : pod_restore::kOperatorLabels) {
    expressions.Append(Expression(label, "Exists"));
  }
  for (const std::string_view label : {snapshot::kCheckpointIdLabel, snapshot::kSourceLabel}) {
    expressions.Append(Expression(label, "DoesNotExist"));
  }
  webhook.Set("objectSelector", Value::Object({{"matchExpressions", std::move(expressions)}}));
  webhook.Set("matchConditions",
              Value::Array({Value::Object(
                  {{"name", "is-restore-candidate"},
                   {"expression", fmt::format("has(object.metadata.annotations) && '{0}' in "
                                              "object.metadata.annotations && "
                                              "object.metadata.annotations['{0}'] == 'true'",
                                              pod_restore::kCandidateAnnotation)}})}));
}

void NarrowToNamespace(Value& webhook, const std::string& name_space) {
  Value expression = Expression("kubernetes.io/metadata.name", "In");
  expression.Set("values", Value::Array({name_space}));
  webhook.Set("namespaceSelector",
              Value::Object({{"matchExpressions", Value::Array({std::move(expression)})}}));
}

Value Webhook(const Row& row, const ConfigurationOptions& options) {
  Value webhook = Value::Object({{"name", row.name},
                                 {"clientConfig", ClientConfig(row.path, options)},
                                 {"rules", Value::Array({Rule(row)})},
                                 {"failurePolicy", row.failure_policy},
                                 {"matchPolicy", row.match_policy},
                                 {"sideEffects", "None"},
                                 {"timeoutSeconds", kTimeoutSeconds},
                                 {"admissionReviewVersions", Value::Array({"v1"})}});
  if (row.path == kRestorePodPath) {
    NarrowToCandidates(webhook);
  }
  if (!options.restricted_to.empty()) {
    NarrowToNamespace(webhook, options.restricted_to);
  }
  return webhook;
}

Value ConfigurationOf(const char* kind, const char* name, Value webhooks,
                      const ConfigurationOptions& options) {
  Value labels = Value::Object({{kOperatorNamespaceLabel.data(), options.name_space}});
  return Value::Object(
      {{"apiVersion", "admissionregistration.k8s.io/v1"},
       {"kind", kind},
       {"metadata", Value::Object({{"name", name}, {"labels", std::move(labels)}})},
       {"webhooks", std::move(webhooks)}});
}

Value Render(const Configuration& configuration, const ConfigurationOptions& options) {
  Value webhooks = Value::Array();
  for (const Row& row : configuration.rows) {
    webhooks.Append(Webhook(row, options));
  }
  return ConfigurationOf(configuration.kind, configuration.name, std::move(webhooks), options);
}

Value Authorizer(const ConfigurationOptions& options) {
  Value rules = Value::Array();
  for (const Protected& row : ProtectedResources()) {
    rules.Append(Value::Object({{"apiGroups", Value::Array({row.group})},
                                {"apiVersions", Texts(row.versions)},
                                {"resources", Texts(row.resources)},
                                {"operations", Texts(row.operations)},
                                {"scope", "Namespaced"}}));
  }
  Value labels = Value::Object({{protection::kManagedByLabel.data(), protection::kManagedBy}});
  Value webhook =
      Value::Object({{"name", "authorizer.webhooks.grove.io"},
                     {"clientConfig", ClientConfig(kProtectPath, options)},
                     {"rules", std::move(rules)},
                     {"objectSelector", Value::Object({{"matchLabels", std::move(labels)}})},
                     {"failurePolicy", "Fail"},
                     {"matchPolicy", "Equivalent"},
                     {"sideEffects", "None"},
                     {"timeoutSeconds", kTimeoutSeconds},
                     {"admissionReviewVersions", Value::Array({"v1"})}});
  if (!options.restricted_to.empty()) {
    NarrowToNamespace(webhook, options.restricted_to);
  }
  return webhook;
}

}  // namespace

std::vector<Value> RenderConfigurations(const ConfigurationOptions& options) {
  std::vector<Value> rendered;
  for (const Configuration& configuration : Configurations()) {
    rendered.push_back(Render(configuration, options));
  }
  return rendered;
}

std::vector<Value> RenderOptionalConfigurations(const ConfigurationOptions& options) {
  return {ConfigurationOf(kValidating, "authorizer-webhook", Value::Array({Authorizer(options)}),
                          options)};
}

}  // namespace hearth::admission::webhook

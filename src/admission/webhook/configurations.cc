#include "admission/webhook/configurations.h"

#include <fmt/format.h>

#include <utility>

#include "admission/pod_restore/contract.h"
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

Value ClientConfig(const Row& row, const ConfigurationOptions& options) {
  if (!options.url.empty()) {
    return Value::Object({{"url", options.url + std::string(row.path)}});
  }
  return Value::Object({{"service", Value::Object({{"namespace", options.name_space},
                                                   {"name", options.service},
                                                   {"path", row.path},
                                                   {"port", 443}})}});
}

Value Rule(const Row& row) {
  Value operations = Value::Array();
  for (const char* operation : row.operations) {
    operations.Append(operation);
  }
  return Value::Object({{"apiGroups", Value::Array({row.group})},
                        {"apiVersions", Value::Array({row.version})},
                        {"resources", Value::Array({row.resource})},
                        {"operations", std::move(operations)},
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
                                 {"clientConfig", ClientConfig(row, options)},
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

Value Render(const Configuration& configuration, const ConfigurationOptions& options) {
  Value webhooks = Value::Array();
  for (const Row& row : configuration.rows) {
    webhooks.Append(Webhook(row, options));
  }
  Value labels = Value::Object({{kOperatorNamespaceLabel.data(), options.name_space}});
  return Value::Object(
      {{"apiVersion", "admissionregistration.k8s.io/v1"},
       {"kind", configuration.kind},
       {"metadata", Value::Object({{"name", configuration.name}, {"labels", std::move(labels)}})},
       {"webhooks", std::move(webhooks)}});
}

}  // namespace

std::vector<Value> RenderConfigurations(const ConfigurationOptions& options) {
  std::vector<Value> rendered;
  for (const Configuration& configuration : Configurations()) {
    rendered.push_back(Render(configuration, options));
  }
  return rendered;
}

}  // namespace hearth::admission::webhook

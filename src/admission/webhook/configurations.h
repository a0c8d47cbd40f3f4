#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace hearth::admission::webhook {

// Carried by every configuration whose CA bundle this operator keeps.
inline constexpr std::string_view kOperatorNamespaceLabel = "nvidia.com/dynamo-operator-namespace";

// Where the API server finds the webhooks.
struct ConfigurationOptions {
  std::string name_space = "hearth-system";  // of the operator and its Service
  std::string service = "hearth-webhook";
  std::string url;  // instead of the Service: "https://127.0.0.1:9443"
  // Only objects of this namespace; empty: of all.
  std::string restricted_to;
};

// The webhook configurations of the product, each object whole but for the CA bundle, which the
// operator puts in. Pure.
//
// Nothing the operator itself must write before it can serve is covered by a webhook that may
// refuse it: not Secrets, leases, events, configurations, definitions, nor pods, whose webhook is
// ignored when it does not answer. Deletions and status never ask.
std::vector<json::Value> RenderConfigurations(const ConfigurationOptions& options);

// Those that are there only when somebody wants them: the protection of what was made for
// PodCliqueSets, Grove's authorizer. It asks about deletions, too, and about kinds that are not
// ours, each only when the object is labelled as the operator's work.
std::vector<json::Value> RenderOptionalConfigurations(const ConfigurationOptions& options);

}  // namespace hearth::admission::webhook

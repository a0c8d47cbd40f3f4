#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/wait_limit.h"
#include "command_line/command.h"
#include "json/value.h"
#include "kube/client/client.h"
#include "kube/client/discovery.h"

namespace hearth::operator_app {

struct CrdOptions {
  // The Service that converts between versions.
  std::string service_namespace = "hearth-system";
  std::string service_name = "hearth-webhook";
  std::string version;  // of the operator, stamped on each definition; empty: not stamped
};

// The definitions of all kinds of the product, as they are applied.
std::vector<json::Value> RenderDefinitions(const CrdOptions& options);

enum class Applied { kCreated, kUpdated, kUnchanged };
std::string_view AppliedName(Applied applied);

// Makes a definition true by server-side apply, forced; what of it was there, its resource version
// tells. kInvalid: `definition` is none.
Result<Applied> ApplyDefinition(kube::Client& client, const json::Value& definition,
                                const WaitLimit& limit);
// One after the other, telling each; the first failure ends it.
Status ApplyDefinitions(kube::Client& client, const std::vector<json::Value>& definitions,
                        const WaitLimit& limit,
                        const std::function<void(const std::string& name, Applied applied)>& tell);

// Names of those that the server does not serve in every version they ask for.
std::vector<std::string> NotServed(const std::vector<json::Value>& definitions,
                                   const std::vector<kube::Discovery::Entry>& served);
// Returns when the server serves all of them, which takes it some seconds: an operator that starts
// before would take them for absent. kDeadlineExceeded names what is missing.
Status AwaitServed(kube::Discovery& discovery, Clock& clock,
                   const std::vector<json::Value>& definitions, const WaitLimit& limit);

inline constexpr std::string_view kCrdFieldManager = "hearth-crd-apply";
inline constexpr std::string_view kVersionAnnotation = "dynamo.nvidia.com/operator-version";

// hearth-operator crd-apply
std::unique_ptr<command_line::Command> MakeCrdApply();

}  // namespace hearth::operator_app

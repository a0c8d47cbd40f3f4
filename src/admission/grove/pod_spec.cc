#include <fmt/format.h>

#include <algorithm>

#include "admission/grove/internal/part.h"
#include "admission/rules/reading.h"

namespace hearth::admission::grove {
namespace {

using schema::FieldPath;

constexpr Rule kPlacement{
    "pod-placement",
    "Pods of a gang are placed together by the scheduler. A fixed node or spread constraints would "
    "work against it. Remove the field; use topologyConstraint, node selectors or affinity."};
constexpr Rule kEnvName{
    "env-name",
    "The API server would refuse the pods. Environment variables are named with letters, digits, "
    "'_', '-' and '.', and begin with no digit."};

bool IsEnvNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' || c == '.';
}

bool IsEnvName(std::string_view name) {
  return !name.empty() && IsEnvNameStart(name.front()) && name != "." && !name.starts_with("..") &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return IsEnvNameStart(c) || (c >= '0' && c <= '9'); });
}

// That a name stands only once, the schema says.
void CheckEnv(const json::Value& container, const FieldPath& path, Findings& findings) {
  const json::Value::Items& env = Items(container, "env");
  const FieldPath list = path.Child("env");
  for (size_t i = 0; i < env.size(); ++i) {
    const json::Value& name = Member(env[i], "name");
    if (name.IsString() && !IsEnvName(name.string())) {
      const FieldPath item = list.Item(i);
      findings.Add(kEnvName, schema::Invalid(item.Child("name"), name,
                                             "a valid environment variable name must consist of "
                                             "alphabetic characters, digits, '_', '-', or '.', and "
                                             "must not start with a digit or with '..'"));
    }
  }
}

void CheckContainers(const json::Value& pod, std::string_view list, const FieldPath& path,
                     Findings& findings) {
  const json::Value::Items& containers = Items(pod, list);
  const FieldPath list_path = path.Child(list);
  for (size_t i = 0; i < containers.size(); ++i) {
    CheckEnv(containers[i], list_path.Item(i), findings);
  }
}

void CheckPlacement(const json::Value& pod, const FieldPath& path, Findings& findings) {
  if (!Items(pod, "topologySpreadConstraints").empty()) {
    findings.Add(kPlacement,
                 schema::Invalid(path.Child("topologySpreadConstraints"),
                                 Member(pod, "topologySpreadConstraints"), "must not be set"));
  }
  if (!Text(pod, "nodeName").empty()) {
    findings.Add(kPlacement, schema::Invalid(path.Child("nodeName"), Member(pod, "nodeName"),
                                             "must not be set"));
  }
}

// Always is the default; whoever chose something else should know what it means for a gang.
void WarnAboutRestartPolicy(const json::Value& pod, const FieldPath& path, Findings& findings) {
  const std::string_view policy = Text(pod, "restartPolicy");
  if (!policy.empty() && policy != "Always") {
    findings.Warn(path.Child("restartPolicy"),
                  fmt::format("{} is kept; a pod that ends is then not restarted in place and "
                              "counts against minAvailable",
                              policy.substr(0, 32)));
  }
}

void Check(const SetOutline& set, const Request& request, Findings& findings) {
  for (size_t i = 0; i < set.cliques.size(); ++i) {
    const json::Value& pod = Member(*set.cliques[i].spec, "podSpec");
    const FieldPath item = kCliquesPath.Item(i);
    const FieldPath spec = item.Child("spec");
    const FieldPath path = spec.Child("podSpec");
    if (request.operation == Operation::kCreate) {
      CheckPlacement(pod, path, findings);
    }
    CheckContainers(pod, "containers", path, findings);
    CheckContainers(pod, "initContainers", path, findings);
    WarnAboutRestartPolicy(pod, path, findings);
  }
}

}  // namespace

Part PodSpecPart() { return {Check, {&kPlacement, &kEnvName}}; }

}  // namespace hearth::admission::grove

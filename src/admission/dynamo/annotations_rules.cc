#include <algorithm>

#include "admission/dynamo/internal/graph_rules.h"
#include "admission/dynamo/internal/semver.h"
#include "admission/rules/reading.h"
#include "api/dynamo/constants.h"
#include "base/strings.h"

namespace hearth::admission::dynamo {
namespace {

using api::dynamo::kDiscoveryMode;
using api::dynamo::kExecutorBackend;
using api::dynamo::kGroveUpdateStrategy;
using api::dynamo::kOriginVersion;
using json::Value;
using schema::FieldError;
using schema::FieldPath;

constexpr Rule kVersionIsSemver{
    "origin-version-is-semver",
    "The version of the operator that made a graph decides how it is rendered, so it must be one: "
    "1.2.3. Leave the annotation out; the operator sets it."};
constexpr Rule kFixedVersion{
    "origin-version-is-fixed",
    "Another origin version would render a running graph differently. Leave the annotation as it "
    "is."};
constexpr Rule kKnownExecutor{
    "executor-backend-is-known",
    "vLLM spreads over nodes by multiprocessing or by Ray. Another word would be taken for "
    "neither; write mp or ray."};
constexpr Rule kKnownStrategy{
    "grove-update-strategy-is-known",
    "Grove knows two ways to update pods. Write RollingRecreate or OnDelete."};
constexpr Rule kKnownDiscovery{"discovery-mode-is-known",
                               "Workers are found by pod or by container. Write pod or container."};
constexpr Rule kFailoverDiscovery{
    "intra-pod-failover-discovery",
    "Both engines of intra-pod failover run in one pod; found by pod, they would be taken for one. "
    "Set the annotation nvidia.com/dynamo-kube-discovery-mode to container."};

// `make` gives the error for a place and a value.
template <typename Make>
void Add(const Rule& rule, std::string_view key, const Value& value, Findings& findings,
         Make make) {
  const FieldPath metadata = FieldPath::Base("metadata");
  const FieldPath annotations = metadata.Child("annotations");
  findings.Add(rule, make(annotations.Key(key), value));
}

void AddInvalid(const Rule& rule, std::string_view key, const Value& value, const char* detail,
                Findings& findings) {
  Add(rule, key, value, findings,
      [&](const FieldPath& path, const Value& bad) { return schema::Invalid(path, bad, detail); });
}

void CheckOneOf(const Rule& rule, const Value& graph, std::string_view key,
                const std::vector<std::string_view>& words, Findings& findings) {
  const Value* value = Annotation(graph, key);
  if (value != nullptr && std::find(words.begin(), words.end(), Text(value)) == words.end()) {
    Add(rule, key, *value, findings,
        [&](const FieldPath& path, const Value& bad) { return NotSupported(path, bad, words); });
  }
}

bool HasIntraPodFailover(const Value& graph) {
  const auto& components = Items(graph.FindPath("spec.components"));
  return std::any_of(components.begin(), components.end(), [](const Value& component) {
    return ComponentFacts(component).IntraPodFailover();
  });
}

}  // namespace

void CheckAnnotations(const Value& graph, Findings& findings) {
  const Value* version = Annotation(graph, kOriginVersion);
  if (version != nullptr && !IsSemver(Text(version))) {
    AddInvalid(kVersionIsSemver, kOriginVersion, *version, "must be valid semver", findings);
  }
  const Value* executor = Annotation(graph, kExecutorBackend);
  if (executor != nullptr && !EqualIgnoreCase(Text(executor), "mp") &&
      !EqualIgnoreCase(Text(executor), "ray")) {
    AddInvalid(kKnownExecutor, kExecutorBackend, *executor, "must be \"mp\" or \"ray\"", findings);
  }
  CheckOneOf(kKnownStrategy, graph, kGroveUpdateStrategy, {"RollingRecreate", "OnDelete"},
             findings);
  CheckOneOf(kKnownDiscovery, graph, kDiscoveryMode, {"pod", "container"}, findings);
  const std::string_view discovery = Text(Annotation(graph, kDiscoveryMode));
  if (discovery != "container" && HasIntraPodFailover(graph)) {
    AddInvalid(kFailoverDiscovery, kDiscoveryMode, Value(discovery),
               "must be \"container\" when intra-pod failover is configured", findings);
  }
}

void CheckAnnotationsUpdate(const Value& graph, const Value& old, Findings& findings) {
  const Value* now = Annotation(graph, kOriginVersion);
  const Value* before = Annotation(old, kOriginVersion);
  const bool same = now == nullptr || before == nullptr ? now == before : *now == *before;
  if (!same) {
    AddInvalid(kFixedVersion, kOriginVersion, now == nullptr ? Value("") : *now,
               "is immutable: it is set when the graph is made; leave it as it is", findings);
  }
}

RuleList AnnotationRuleList() {
  return {&kVersionIsSemver, &kFixedVersion,   &kKnownExecutor,
          &kKnownStrategy,   &kKnownDiscovery, &kFailoverDiscovery};
}

}  // namespace hearth::admission::dynamo

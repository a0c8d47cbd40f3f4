#include "admission/grove/cluster_topology.h"

#include <string_view>

#include "admission/grove/internal/schedulers.h"
#include "admission/rules/reading.h"
#include "base/seeded_hash.h"

namespace hearth::admission::grove {
namespace {

using schema::FieldPath;

constexpr Rule kLevels{
    "topology-levels-unique",
    "Workloads name a level by its domain, and nodes tell levels apart by the key. Give each level "
    "a domain and a key of its own."};
constexpr Rule kScheduler{
    "topology-binding-scheduler",
    "A binding names the topology object of one scheduler that the operator uses and that knows "
    "topologies. Name such a scheduler, each once."};

void CheckUnique(const json::Value& level, std::string_view member,
                 SeededSet<std::string_view>& seen, const FieldPath& path, Findings& findings) {
  const json::Value& value = Member(level, member);
  if (value.IsString() && !seen.insert(value.string()).second) {
    findings.Add(kLevels, schema::Duplicate(path.Child(member), value));
  }
}

void CheckScheduler(const json::Value& name, const Setup& setup, const FieldPath& path,
                    Findings& findings) {
  if (!IsEnabled(setup, name.string())) {
    findings.Add(kScheduler, schema::Invalid(path, name,
                                             "not enabled in the operator's configuration; enabled "
                                             "are " +
                                                 EnabledText(setup)));
  } else if (!KnowsTopology(name.string())) {
    findings.Add(kScheduler, schema::Invalid(path, name, "this scheduler has no topologies"));
  }
}

void CheckBindings(const json::Value& spec, const Setup& setup, Findings& findings) {
  const FieldPath path = FieldPath::Base("spec.schedulerTopologyBindings");
  const json::Value::Items& bindings = Items(spec, "schedulerTopologyBindings");
  SeededSet<std::string_view> seen;
  for (size_t i = 0; i < bindings.size(); ++i) {
    const json::Value& name = Member(bindings[i], "schedulerName");
    if (!name.IsString()) {
      continue;
    }
    const FieldPath item = path.Item(i);
    if (!seen.insert(name.string()).second) {
      findings.Add(kScheduler, schema::Duplicate(item.Child("schedulerName"), name));
    } else {
      CheckScheduler(name, setup, item.Child("schedulerName"), findings);
    }
  }
}

}  // namespace

void CheckClusterTopology(const json::Value& binding, const Request& request, Findings& findings) {
  const json::Value& spec = Member(binding, "spec");
  const FieldPath path = FieldPath::Base("spec.levels");
  const json::Value::Items& levels = Items(spec, "levels");
  SeededSet<std::string_view> domains;
  SeededSet<std::string_view> keys;
  for (size_t i = 0; i < levels.size(); ++i) {
    CheckUnique(levels[i], "domain", domains, path.Item(i), findings);
    CheckUnique(levels[i], "key", keys, path.Item(i), findings);
  }
  CheckBindings(spec, request.setup, findings);
}

std::vector<const Rule*> ClusterTopologyRules() { return {&kLevels, &kScheduler}; }

}  // namespace hearth::admission::grove

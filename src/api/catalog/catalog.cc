#include "api/catalog/catalog.h"

#include <map>

#include "api/dynamo/definitions.h"
#include "api/grove/cluster_topology_binding.h"
#include "api/grove/definitions.h"
#include "api/grove/pod_clique.h"
#include "api/grove/pod_clique_scaling_group.h"
#include "api/grove/pod_clique_set.h"
#include "api/grove/pod_gang.h"
#include "api/snapshot/definitions.h"
#include "base/check.h"
#include "base/guarded.h"

namespace hearth::api {
namespace {

using schema::ResourceDefinition;
using schema::ResourceVersion;

struct Entry {
  KindName name;
  ResourceDefinition (*make)();
};

ResourceDefinition MakeGraph() { return dynamo::GraphDeploymentDefinition(); }
ResourceDefinition MakeComponent() { return dynamo::ComponentDeploymentDefinition(); }

const std::vector<Entry>& Entries() {
  static const std::vector<Entry> kEntries = {
      {{"nvidia.com", "DynamoGraphDeployment", {"v1alpha1", "v1beta1"}}, MakeGraph},
      {{"nvidia.com", "DynamoComponentDeployment", {"v1alpha1", "v1beta1"}}, MakeComponent},
      {{"nvidia.com", "DynamoCheckpoint", {"v1alpha1"}}, dynamo::CheckpointDefinition},
      {{"nvidia.com", "DynamoWorkerMetadata", {"v1alpha1"}}, dynamo::WorkerMetadataDefinition},
      {{"grove.io", "PodCliqueSet", {"v1alpha1"}}, grove::PodCliqueSetDefinition},
      {{"grove.io", "PodCliqueScalingGroup", {"v1alpha1"}}, grove::PodCliqueScalingGroupDefinition},
      {{"grove.io", "PodClique", {"v1alpha1"}}, grove::PodCliqueDefinition},
      {{"grove.io", "ClusterTopologyBinding", {"v1alpha1"}},
       grove::ClusterTopologyBindingDefinition},
      {{"scheduler.grove.io", "PodGang", {"v1alpha1"}}, grove::PodGangDefinition},
      {{"nvidia.com", "PodSnapshot", {"v1alpha1"}}, snapshot::PodSnapshotDefinition},
      {{"nvidia.com", "PodSnapshotContent", {"v1alpha1"}}, snapshot::PodSnapshotContentDefinition},
  };
  return kEntries;
}

std::vector<ResourceDefinition> Collect() {
  std::vector<ResourceDefinition> all;
  for (const auto& definitions :
       {dynamo::Definitions(), grove::Definitions(), snapshot::Definitions()}) {
    all.insert(all.end(), definitions.begin(), definitions.end());
  }
  return all;
}

std::unique_ptr<CheckedKind> Ready(const ResourceDefinition& definition,
                                   const ResourceVersion& version) {
  auto rules = schema::RuleSet::Compile(version.schema);
  CHECK(rules.ok()) << definition.Name() << " " << version.name << ": " << rules.status();
  return std::make_unique<CheckedKind>(CheckedKind{
      definition, version, schema::Validator::MakeTrusted(version.schema), std::move(*rules)});
}

// What was made so far.
class Workshop {
 public:
  const CheckedKind* Get(const Entry& entry, std::string_view version) {
    std::unique_ptr<CheckedKind>& ready = kinds_[{&entry, version}];
    if (ready == nullptr) {
      const ResourceDefinition& definition = Definition(entry);
      ready = Ready(definition, Version(definition, version));
    }
    return ready.get();
  }

 private:
  const ResourceDefinition& Definition(const Entry& entry) {
    std::unique_ptr<ResourceDefinition>& made = definitions_[&entry];
    if (made == nullptr) {
      made = std::make_unique<ResourceDefinition>(entry.make());
    }
    return *made;
  }

  static const ResourceVersion& Version(const ResourceDefinition& definition,
                                        std::string_view name) {
    for (const ResourceVersion& version : definition.versions) {
      if (version.name == name) {
        return version;
      }
    }
    CHECK(false) << definition.Name() << " has no version " << name;
    return definition.versions.front();
  }

  std::map<const Entry*, std::unique_ptr<ResourceDefinition>> definitions_;
  std::map<std::pair<const Entry*, std::string_view>, std::unique_ptr<CheckedKind>> kinds_;
};

}  // namespace

const std::vector<ResourceDefinition>& AllDefinitions() {
  static const std::vector<ResourceDefinition> kAll = Collect();
  return kAll;
}

const std::vector<KindName>& AllKinds() {
  static const std::vector<KindName> kNames = [] {
    std::vector<KindName> names;
    for (const Entry& entry : Entries()) {
      names.push_back(entry.name);
    }
    return names;
  }();
  return kNames;
}

const CheckedKind* FindKind(std::string_view api_version, std::string_view kind) {
  // Never taken down: that would be the longest part of a short program's end.
  static Guarded<Workshop>& workshop = *new Guarded<Workshop>;
  const size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) {
    return nullptr;
  }
  for (const Entry& entry : Entries()) {
    if (entry.name.kind != kind || entry.name.group != api_version.substr(0, slash)) {
      continue;
    }
    for (const std::string_view version : entry.name.versions) {
      if (version == api_version.substr(slash + 1)) {
        return workshop.Lock()->Get(entry, version);
      }
    }
  }
  return nullptr;
}

}  // namespace hearth::api

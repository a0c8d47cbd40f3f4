#include "manifests.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "json/yaml.h"

namespace hearth::bench {
namespace {

using json::Value;

constexpr const char* kSet = R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata:
  labels:
    app: scale-test
spec:
  updateStrategy:
    type: RollingRecreate
  template:
    cliqueStartupType: CliqueStartupTypeAnyOrder
    terminationDelay: 4h0m0s
    headlessServiceConfig:
      publishNotReadyAddresses: true
    cliques:
    - name: expert-worker
      spec:
        roleName: expert
        replicas: 2
        minAvailable: 2
        podSpec:
          schedulerName: default-scheduler
          restartPolicy: Always
          terminationGracePeriodSeconds: 30
          affinity:
            nodeAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
                nodeSelectorTerms:
                - matchExpressions:
                  - {key: type, operator: In, values: [bench]}
          tolerations:
          - {key: bench, operator: Equal, value: agent, effect: NoSchedule}
          containers:
          - name: expert-worker
            image: registry.example/engine:1
            resources:
              requests:
                memory: 1Mi
)";

constexpr const char* kSharing = R"(
resourceClaimTemplates:
- name: fabric
  templateSpec:
    spec:
      devices:
        requests:
        - name: fabric
          exactly: {deviceClassName: fabric.example, allocationMode: ExactCount, count: 1}
- name: device
  templateSpec:
    spec:
      devices:
        requests:
        - name: device
          exactly: {deviceClassName: device.example, allocationMode: ExactCount, count: 1}
resourceSharing:
- {name: fabric, scope: AllReplicas}
- {name: device, scope: PerReplica}
)";

Value Parsed(const char* text) { return json::ParseYamlDocument(text).value(); }

void KeepOnly(Value& metadata, std::initializer_list<std::string_view> wanted) {
  std::erase_if(metadata.members(), [&](const Value::Member& member) {
    return std::find(wanted.begin(), wanted.end(), member.first) == wanted.end();
  });
}

}  // namespace

const kube::ResourceType& PodCliqueSets() {
  static const kube::ResourceType kType{"grove.io", "v1alpha1", "podcliquesets", "PodCliqueSet",
                                        true};
  return kType;
}

const kube::ResourceType& PodCliques() {
  static const kube::ResourceType kType{"grove.io", "v1alpha1", "podcliques", "PodClique", true};
  return kType;
}

const kube::ResourceType& PodGangs() {
  static const kube::ResourceType kType{"scheduler.grove.io", "v1alpha1", "podgangs", "PodGang",
                                        true};
  return kType;
}

const kube::ResourceType& ResourceClaims() {
  static const kube::ResourceType kType{"resource.k8s.io", "v1", "resourceclaims", "ResourceClaim",
                                        true};
  return kType;
}

Value MakeSet(const kube::ObjectKey& key, int replicas) {
  Value set = Parsed(kSet);
  set["metadata"].Set("name", key.name);
  set["metadata"].Set("namespace", key.name_space);
  set["spec"].Set("replicas", replicas);
  return set;
}

Value MakeSharingSet(const kube::ObjectKey& key, int replicas) {
  Value set = MakeSet(key, replicas);
  Value sharing = Parsed(kSharing);
  for (Value::Member& member : sharing.members()) {
    set.MakePath("spec.template").Set(member.first, std::move(member.second));
  }
  return set;
}

Value AsRaw(Value object, const std::string& name_space, const Value& owner) {
  Value& metadata = object["metadata"];
  KeepOnly(metadata, {"name", "labels", "annotations"});
  metadata.Set("namespace", name_space);
  metadata["labels"].Set(kManagedBy, "bench");
  metadata.Set("ownerReferences", Value::Array({owner}));
  object.Erase("status");
  return object;
}

Value AsCopy(Value pod, const kube::ObjectKey& key, const Value& owner) {
  Value copy = AsRaw(std::move(pod), key.name_space, owner);
  copy["metadata"].Set("name", key.name);
  copy["metadata"]["labels"].Set(kManagedBy, kManager);
  copy["spec"].Erase("nodeName");
  return copy;
}

}  // namespace hearth::bench

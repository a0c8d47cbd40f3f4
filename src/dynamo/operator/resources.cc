#include "dynamo/operator/resources.h"

#include <functional>

#include "dynamo/model/labels.h"
#include "snapshot/protocol/names.h"

namespace hearth::dynamo {

const kube::ResourceType& Checkpoints() {
  static const kube::ResourceType kType{"nvidia.com", "v1alpha1", "dynamocheckpoints",
                                        "DynamoCheckpoint", true};
  return kType;
}

const kube::ResourceType& PodSnapshots() {
  static const kube::ResourceType kType{"nvidia.com", "v1alpha1", "podsnapshots", "PodSnapshot",
                                        true};
  return kType;
}

const kube::ResourceType& Jobs() {
  static const kube::ResourceType kType{"batch", "v1", "jobs", "Job", true};
  return kType;
}

const kube::ResourceType& DaemonSets() {
  static const kube::ResourceType kType{"apps", "v1", "daemonsets", "DaemonSet", true};
  return kType;
}

const kube::ResourceType& VolumeClaims() {
  static const kube::ResourceType kType{"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim",
                                        true};
  return kType;
}

const kube::ResourceType& ClaimTemplates() {
  static const kube::ResourceType kType{"resource.k8s.io", "v1", "resourceclaimtemplates",
                                        "ResourceClaimTemplate", true};
  return kType;
}

const kube::ResourceType& Claims() {
  static const kube::ResourceType kType{"resource.k8s.io", "v1", "resourceclaims", "ResourceClaim",
                                        true};
  return kType;
}

const kube::ResourceType& DeviceClasses() {
  static const kube::ResourceType kType{"resource.k8s.io", "v1", "deviceclasses", "DeviceClass",
                                        false};
  return kType;
}

const kube::ResourceType& Graphs() {
  static const kube::ResourceType kType{"nvidia.com", "v1beta1", "dynamographdeployments",
                                        "DynamoGraphDeployment", true};
  return kType;
}

const kube::ResourceType& ComponentDeployments() {
  static const kube::ResourceType kType{"nvidia.com", "v1beta1", "dynamocomponentdeployments",
                                        "DynamoComponentDeployment", true};
  return kType;
}

const kube::ResourceType& CliqueSets() {
  static const kube::ResourceType kType{"grove.io", "v1alpha1", "podcliquesets", "PodCliqueSet",
                                        true};
  return kType;
}

const kube::ResourceType& Cliques() {
  static const kube::ResourceType kType{"grove.io", "v1alpha1", "podcliques", "PodClique", true};
  return kType;
}

const kube::ResourceType& ScalingGroups() {
  static const kube::ResourceType kType{"grove.io", "v1alpha1", "podcliquescalinggroups",
                                        "PodCliqueScalingGroup", true};
  return kType;
}

const kube::ResourceType& Roles() {
  static const kube::ResourceType kType{"rbac.authorization.k8s.io", "v1", "roles", "Role", true};
  return kType;
}

const kube::ResourceType& RoleBindings() {
  static const kube::ResourceType kType{"rbac.authorization.k8s.io", "v1", "rolebindings",
                                        "RoleBinding", true};
  return kType;
}

namespace {

void EmitReference(json::View component, std::string_view name_space,
                   const std::function<void(std::string_view value)>& emit) {
  const std::string name = component["experimental"]["checkpoint"]["checkpointRef"].StringOr("");
  if (!name.empty()) {
    emit(kube::ObjectKey{std::string(name_space), name}.ToString());
  }
}

}  // namespace

controller::Index GraphsByCheckpoint() {
  return {kByCheckpoint, [](const controller::CachedObject& graph,
                            const std::function<void(std::string_view value)>& emit) {
            for (const json::View component : graph.view()["spec"]["components"].items()) {
              EmitReference(component, graph.name_space(), emit);
            }
          }};
}

controller::Index ComponentsByCheckpoint() {
  return {kByCheckpoint, [](const controller::CachedObject& component,
                            const std::function<void(std::string_view value)>& emit) {
            EmitReference(component.view()["spec"], component.name_space(), emit);
          }};
}

controller::Index ByGraph() {
  return {kByGraph, [](const controller::CachedObject& object,
                       const std::function<void(std::string_view value)>& emit) {
            const std::string name = object.view()["metadata"]["labels"][kGraphLabel].StringOr("");
            if (!name.empty()) {
              emit(kube::ObjectKey{std::string(object.name_space()), name}.ToString());
            }
          }};
}

controller::Index CheckpointsById() {
  return {kById, [](const controller::CachedObject& checkpoint,
                    const std::function<void(std::string_view value)>& emit) {
            const std::string id =
                checkpoint.view()["metadata"]["labels"][snapshot::kCheckpointIdLabel].StringOr("");
            if (!id.empty()) {
              emit(kube::ObjectKey{std::string(checkpoint.name_space()), id}.ToString());
            }
          }};
}

}  // namespace hearth::dynamo

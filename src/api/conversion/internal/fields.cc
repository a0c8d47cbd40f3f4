#include "api/conversion/internal/fields.h"

#include "api/conversion/internal/member_index.h"

namespace hearth::api::conversion::internal {
namespace {

constexpr FieldRow kGraphSpec[] = {
    {"annotations", "annotations"},
    {"labels", "labels"},
    {"priorityClassName", "priorityClassName"},
    {"pvcs", "", How::kSaved},
    {"services", "components", How::kMapped},
    {"envs", "env"},
    {"backendFramework", "backendFramework"},
    {"restart", "restart"},
    {"topologyConstraint", "topologyConstraint", How::kMapped},
    {"experimental", "experimental"},
};

constexpr FieldRow kGraphStatus[] = {
    {"observedGeneration", "observedGeneration"},
    {"state", "state"},
    {"conditions", "conditions"},
    {"services", "components", How::kMapped},
    {"restart", "restart"},
    {"checkpoints", "checkpoints"},
    {"rollingUpdate", "rollingUpdate", How::kMapped},
    {"startup", "startup"},
};

constexpr FieldRow kComponent[] = {
    {"backendFramework", "backendFramework"},  // stand-alone components only
    {"serviceName", "name", How::kMapped},
    {"componentType", "type", How::kMapped},
    {"subComponentType", "type", How::kMapped},
    {"globalDynamoNamespace", "globalDynamoNamespace"},
    {"replicas", "replicas"},
    {"minAvailable", "minAvailable"},
    {"multinode", "multinode"},
    {"modelRef", "modelRef"},
    {"eppConfig", "eppConfig"},
    {"topologyConstraint", "topologyConstraint"},
    {"sharedMemory", "sharedMemorySize", How::kMapped},
    {"scalingAdapter", "scalingAdapter", How::kMapped},
    {"gpuMemoryService", "experimental", How::kMapped},
    {"failover", "experimental", How::kMapped},
    {"checkpoint", "experimental", How::kMapped},
    {"volumeMounts", "compilationCache", How::kMapped},
    {"frontendSidecar", "frontendSidecar", How::kMapped},
    {"extraPodMetadata", "podTemplate", How::kPod},
    {"extraPodSpec", "podTemplate", How::kPod},
    {"envs", "podTemplate", How::kPod},
    {"envFromSecret", "podTemplate", How::kPod},
    {"livenessProbe", "podTemplate", How::kPod},
    {"readinessProbe", "podTemplate", How::kPod},
    {"resources", "podTemplate", How::kPod},
    {"annotations", "", How::kSaved},
    {"labels", "", How::kSaved},
    {"dynamoNamespace", "", How::kSaved},
    {"autoscaling", "", How::kSaved},
    {"ingress", "", How::kSaved},
};

constexpr FieldRow kComponentDeploymentStatus[] = {
    {"observedGeneration", "observedGeneration"},
    {"conditions", "conditions"},
    {"podSelector", "", How::kSaved},
    {"service", "component", How::kMapped},
};

constexpr FieldRow kReplicaStatus[] = {
    {"componentKind", "componentKind"},
    {"componentName", "componentNames", How::kMapped},
    {"componentNames", "componentNames", How::kMapped},
    {"runtimeNamespace", "runtimeNamespace"},
    {"replicas", "replicas"},
    {"updatedReplicas", "updatedReplicas"},
    {"readyReplicas", "readyReplicas"},
    {"availableReplicas", "availableReplicas"},
    {"scheduledReplicas", "scheduledReplicas"},
};

}  // namespace

std::span<const FieldRow> GraphSpecFields() { return kGraphSpec; }
std::span<const FieldRow> GraphStatusFields() { return kGraphStatus; }
std::span<const FieldRow> ComponentFields() { return kComponent; }
std::span<const FieldRow> ComponentDeploymentStatusFields() { return kComponentDeploymentStatus; }
std::span<const FieldRow> ReplicaStatusFields() { return kReplicaStatus; }

void CopyToBeta(std::span<const FieldRow> rows, const Tree& from, ObjectBuilder& to) {
  for (const FieldRow& row : rows) {
    if (row.how == How::kCopied) {
      to.SetIfAny(row.v1beta1, to.arena().Find(from, row.v1alpha1));
    }
  }
}

void CopyToAlpha(std::span<const FieldRow> rows, const Tree& from, ObjectBuilder& to) {
  for (const FieldRow& row : rows) {
    if (row.how == How::kCopied) {
      to.SetIfAny(row.v1alpha1, to.arena().Find(from, row.v1beta1));
    }
  }
}

Tree Renamed(const Tree& object, std::string_view from, std::string_view to, Arena& arena) {
  if (!object.IsObject()) {
    return object;
  }
  ObjectBuilder renamed(arena, object.size());
  for (size_t i = 0; i < object.size(); ++i) {
    if (object.name(i) != to) {
      renamed.Add(object.name(i) == from ? to : object.name(i), object.at(i));
    }
  }
  return renamed.Build();
}

bool Given(const Tree& value) { return value.Exists() && value.kind() != json::Kind::kNull; }

Tree MergedMembers(const Tree& object, const Tree& over, Arena& arena) {
  if (!object.IsObject() || !over.IsObject()) {
    return Given(over) ? over : object;
  }
  const MemberIndex in_object(object, arena);
  const MemberIndex in_over(over, arena);
  ObjectBuilder merged(arena, object.size() + over.size());
  for (size_t i = 0; i < object.size(); ++i) {
    const Tree winner = in_over.Find(object.name(i), i);
    merged.Add(object.name(i), winner.Exists() ? winner : object.at(i));
  }
  for (size_t i = 0; i < over.size(); ++i) {
    if (!in_object.Find(over.name(i), i).Exists()) {
      merged.Add(over.name(i), over.at(i));
    }
  }
  return merged.Build();
}

}  // namespace hearth::api::conversion::internal

#pragma once

#include <string>

#include "controller/object_store.h"
#include "json/projection.h"
#include "kube/model/names.h"

// What the controllers of Dynamo read of the cluster. The caches keep these fields and nothing
// else.
namespace hearth::dynamo {

const kube::ResourceType& Checkpoints();
const kube::ResourceType& PodSnapshots();
const kube::ResourceType& Jobs();
const kube::ResourceType& DaemonSets();
const kube::ResourceType& VolumeClaims();
const kube::ResourceType& ClaimTemplates();
const kube::ResourceType& Claims();
const kube::ResourceType& DeviceClasses();
const kube::ResourceType& Graphs();
const kube::ResourceType& ComponentDeployments();
const kube::ResourceType& CliqueSets();
const kube::ResourceType& Cliques();
const kube::ResourceType& ScalingGroups();
const kube::ResourceType& Roles();
const kube::ResourceType& RoleBindings();

using CheckpointFields = json::Projection<
    json::Field<"spec", json::View>, json::Field<"metadata.labels", json::View>,
    json::Field<"metadata.annotations", json::View>, json::Field<"metadata.finalizers", json::View>,
    json::Field<"metadata.ownerReferences", json::View>,
    json::Field<"metadata.creationTimestamp", json::View>, json::Field<"status", json::View>>;

using JobFields = json::Projection<json::Field<"metadata.ownerReferences", json::View>,
                                   json::Field<"metadata.labels", json::View>,
                                   json::Field<"status.conditions", json::View>>;

using OwnedSnapshotFields =
    json::Projection<json::Field<"metadata.ownerReferences", json::View>,
                     json::Field<"metadata.labels", json::View>,
                     json::Field<"metadata.annotations", json::View>,
                     json::Field<"status.boundSnapshotContentName", std::string>,
                     json::Field<"status.conditions", json::View>>;

// Of pods that are captured only.
using SourcePodFields = json::Projection<json::Field<"metadata.ownerReferences", json::View>,
                                         json::Field<"metadata.labels", json::View>,
                                         json::Field<"spec.nodeName", std::string>>;

// ---- Of graphs.
using GraphFields = json::Projection<json::Field<"spec", json::View>,
                                     json::Field<"metadata.annotations", json::View>,
                                     json::Field<"metadata.finalizers", json::View>,
                                     json::Field<"status", json::View, json::Wake::kNo>>;

// As its own controller looks at it.
using ComponentFields =
    json::Projection<json::Field<"spec", json::View>, json::Field<"metadata.labels", json::View>,
                     json::Field<"metadata.annotations", json::View>,
                     json::Field<"metadata.ownerReferences", json::View>,
                     json::Field<"metadata.finalizers", json::View>,
                     json::Field<"status", json::View, json::Wake::kNo>>;
// As its graph does.
using ChildComponentFields =
    json::Projection<json::Field<"spec", json::View>, json::Field<"metadata.labels", json::View>,
                     json::Field<"metadata.annotations", json::View>,
                     json::Field<"metadata.ownerReferences", json::View>,
                     json::Field<"metadata.creationTimestamp", json::View, json::Wake::kNo>,
                     json::Field<"status", json::View>>;

using CliqueSetFields =
    json::Projection<json::Field<"spec", json::View>, json::Field<"metadata.labels", json::View>,
                     json::Field<"metadata.annotations", json::View>,
                     json::Field<"metadata.ownerReferences", json::View>>;
// Cliques and scaling groups of such a set.
using ScaledFields = json::Projection<
    json::Field<"metadata.labels", json::View>, json::Field<"spec.replicas", json::View>,
    json::Field<"status.replicas", json::View>, json::Field<"status.updatedReplicas", json::View>,
    json::Field<"status.readyReplicas", json::View>,
    json::Field<"status.availableReplicas", json::View>,
    json::Field<"status.scheduledReplicas", json::View>,
    json::Field<"status.observedGeneration", json::View>>;

using DeploymentFields =
    json::Projection<json::Field<"spec", json::View>, json::Field<"metadata.labels", json::View>,
                     json::Field<"metadata.annotations", json::View>,
                     json::Field<"metadata.ownerReferences", json::View>,
                     json::Field<"status", json::View>>;

// Small objects that are made once and compared.
using ServiceFields = json::Projection<
    json::Field<"metadata.labels", json::View>, json::Field<"metadata.ownerReferences", json::View>,
    json::Field<"spec.selector", json::View>, json::Field<"spec.ports", json::View>>;
using AccountFields = json::Projection<json::Field<"metadata.labels", json::View>,
                                       json::Field<"metadata.ownerReferences", json::View>>;
using RoleFields = json::Projection<json::Field<"metadata.labels", json::View>,
                                    json::Field<"metadata.ownerReferences", json::View>,
                                    json::Field<"rules", json::View>>;
using RoleBindingFields =
    json::Projection<json::Field<"metadata.labels", json::View>,
                     json::Field<"metadata.ownerReferences", json::View>,
                     json::Field<"roleRef", json::View>, json::Field<"subjects", json::View>>;
using ClaimTemplateFields = json::Projection<json::Field<"metadata.labels", json::View>,
                                             json::Field<"metadata.ownerReferences", json::View>,
                                             json::Field<"spec", json::View>>;
// Of Secrets with credentials for registries only.
using RegistrySecretFields = json::Projection<json::Field<"data", json::View>>;
using DeviceClassFields = json::Projection<json::Field<"metadata.name", json::View>>;

// ---- Ways to look things up.
inline constexpr const char* kById = "id";        // checkpoints, by "namespace/id" as labelled
inline constexpr const char* kByOwner = "owner";  // by uid

// Graphs and component deployments, by "namespace/name" of the checkpoints that they name.
inline constexpr const char* kByCheckpoint = "checkpoint";
// Component deployments, checkpoints and claim templates: "namespace/name" of their graph, as
// labelled.
inline constexpr const char* kByGraph = "graph";

controller::Index CheckpointsById();
controller::Index GraphsByCheckpoint();
controller::Index ComponentsByCheckpoint();
controller::Index ByGraph();

}  // namespace hearth::dynamo

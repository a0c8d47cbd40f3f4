#pragma once

#include "controller/object_store.h"
#include "grove/model/types.h"
#include "json/projection.h"
#include "kube/model/names.h"

// What the controllers of sets read of the cluster. The caches keep these fields and nothing else.
namespace hearth::grove {

const kube::ResourceType& Roles();
const kube::ResourceType& RoleBindings();
const kube::ResourceType& HorizontalPodAutoscalers();

// What the set's own controller reads, and which changes wake it: its own status does not.
using SetFields =
    json::Projection<json::Field<"spec", json::View>, json::Field<"metadata.labels", json::View>,
                     json::Field<"metadata.annotations", json::View>,
                     json::Field<"metadata.finalizers", json::View>,
                     json::Field<"metadata.creationTimestamp", json::View, json::Wake::kNo>,
                     json::Field<"status", json::View, json::Wake::kNo>>;
// The same set as groups and cliques look at it: what it has decided about updates wakes them, but
// for whose turn it is (SetTurnFields). The annotation that asks for another look asks for one at
// the set.
using SetDecisionFields = json::Projection<
    json::Field<"spec.template", json::View>, json::Field<"spec.updateStrategy", json::View>,
    json::Field<"metadata.annotations", json::View>,
    json::Field<"metadata.annotations['grove.io/reconcile-trigger']", json::View, json::Wake::kNo>,
    json::Field<"status.currentGenerationHash", json::View>,
    json::Field<"status.updateProgress.updateStartedAt", json::View>>;
// Which of its replicas is being updated, which concerns the parts of those.
using SetTurnFields =
    json::Projection<json::Field<"status.updateProgress.currentlyUpdating", json::View>>;

// As its gangs look at it.
using SetGangFields = json::Projection<
    json::Field<"spec", json::View>, json::Field<"metadata.labels", json::View>,
    json::Field<"metadata.annotations", json::View>,
    json::Field<"metadata.annotations['grove.io/reconcile-trigger']", json::View, json::Wake::kNo>>;

// A scaling group or a clique, whole but for what is nobody's business.
using PartFields =
    json::Projection<json::Field<"spec", json::View>, json::Field<"metadata.labels", json::View>,
                     json::Field<"metadata.annotations", json::View>,
                     json::Field<"metadata.finalizers", json::View>,
                     json::Field<"metadata.ownerReferences", json::View>,
                     json::Field<"metadata.creationTimestamp", json::View, json::Wake::kNo>,
                     json::Field<"status", json::View, json::Wake::kNo>>;
using GroupFields = PartFields;
using CliqueFields = PartFields;
// As gangs look at one.
using PartSizeFields = json::Projection<json::Field<"metadata.labels", json::View>,
                                        json::Field<"spec.replicas", json::View>>;
// That something is there and whose it is, for those who wait for it.
using PresenceFields = json::Projection<json::Field<"metadata.labels", json::View>>;
// As its set looks at a group.
using GroupProgressFields =
    json::Projection<json::Field<"spec.replicas", json::View>, json::Field<"status", json::View>>;
// As its set and its group look at a clique.
using CliqueProgressFields =
    json::Projection<json::Field<"spec.replicas", json::View>,
                     json::Field<"metadata.labels", json::View>, json::Field<"status", json::View>>;

// As those look at it that wait for it to be scheduled.
using CliqueScheduledFields = json::Projection<
    json::Field<"metadata.labels", json::View>, json::Field<"spec.minAvailable", json::View>,
    json::Field<"spec.replicas", json::View>, json::Field<"status.scheduledReplicas", json::View>>;

// Of every pod, so as little as can be.
using PodFields = json::Projection<
    json::Field<"metadata.labels", json::View>, json::Field<"metadata.ownerReferences", json::View>,
    json::Field<"metadata.creationTimestamp", json::View, json::Wake::kNo>,
    json::Field<"spec.hostname", json::View>, json::Field<"spec.nodeName", json::View>,
    json::Field<"spec.schedulingGates", json::View>,
    json::Field<"spec.resourceClaims[].resourceClaimName", json::View>,
    json::Field<"status.phase", json::View>, json::Field<"status.conditions[].type", json::View>,
    json::Field<"status.conditions[].status", json::View>,
    json::Field<"status.conditions[].reason", json::View>,
    json::Field<"status.containerStatuses[].started", json::View>,
    json::Field<"status.containerStatuses[].ready", json::View>,
    json::Field<"status.containerStatuses[].lastState.terminated.exitCode", json::View>>;

using GangFields =
    json::Projection<json::Field<"spec", json::View>, json::Field<"metadata.labels", json::View>,
                     json::Field<"metadata.annotations", json::View>,
                     json::Field<"metadata.ownerReferences", json::View>,
                     json::Field<"metadata.creationTimestamp", json::View, json::Wake::kNo>,
                     json::Field<"status", json::View>>;

using ClaimFields =
    json::Projection<json::Field<"metadata.labels", json::View>,
                     json::Field<"metadata.annotations", json::View>,
                     json::Field<"metadata.ownerReferences", json::View>,
                     json::Field<"status.allocation.devices.results[].device", json::View>,
                     json::Field<"status.reservedFor[].uid", json::View>>;
// That it is there, and which version.
using ClaimTemplateFields = json::Projection<json::Field<"metadata.name", json::View>>;

// Small objects that are made once and compared.
using ServiceFields = json::Projection<
    json::Field<"metadata.labels", json::View>, json::Field<"metadata.ownerReferences", json::View>,
    json::Field<"spec.selector", json::View>, json::Field<"spec.clusterIP", json::View>,
    json::Field<"spec.publishNotReadyAddresses", json::View>>;
using AccountFields = json::Projection<json::Field<"metadata.labels", json::View>,
                                       json::Field<"metadata.ownerReferences", json::View>,
                                       json::Field<"automountServiceAccountToken", json::View>>;
using RoleFields = json::Projection<json::Field<"metadata.labels", json::View>,
                                    json::Field<"metadata.ownerReferences", json::View>,
                                    json::Field<"rules", json::View>>;
using RoleBindingFields =
    json::Projection<json::Field<"metadata.labels", json::View>,
                     json::Field<"metadata.ownerReferences", json::View>,
                     json::Field<"roleRef", json::View>, json::Field<"subjects", json::View>>;
// Never what is in it.
using SecretFields = json::Projection<
    json::Field<"metadata.labels", json::View>, json::Field<"metadata.annotations", json::View>,
    json::Field<"metadata.ownerReferences", json::View>, json::Field<"type", json::View>>;
using AutoscalerFields = json::Projection<json::Field<"metadata.labels", json::View>,
                                          json::Field<"metadata.ownerReferences", json::View>,
                                          json::Field<"spec", json::View>>;
using TopologyFields = json::Projection<json::Field<"spec.levels", json::View>>;

// ---- Ways to look things up. Values are "namespace/name", uids excepted.
inline constexpr const char* kBySet = "set";          // of everything: the set it is part of
inline constexpr const char* kByOwner = "owner";      // of pods, cliques, claims: uid of the owner
inline constexpr const char* kByClique = "clique";    // of pods: the PodClique of that name
inline constexpr const char* kByGang = "gang";        // of pods and cliques
inline constexpr const char* kByBaseGang = "base";    // of cliques: the gang they wait for
inline constexpr const char* kByPlace = "place";      // of cliques: see below
inline constexpr const char* kByReplica = "replica";  // of gangs, groups: replica of the set, ditto
inline constexpr const char* kByClaim = "claim";      // of pods: claims that they name
inline constexpr const char* kBySharedTemplate = "template";  // of sets: external claim templates
inline constexpr const char* kByTopology = "topology";  // of sets: name of the binding that counts

// By "<name space>/<value of the label>".
controller::Index ByLabelInNamespace(std::string name, std::string_view label);
controller::Index PodsByClaim();
controller::Index SetsByTemplate();
controller::Index SetsByTopology();
std::string InNamespace(std::string_view name_space, std::string_view name);

// Values of kByPlace and kByReplica: a replica of a set, a scaling group, a replica of that.
std::string SetReplicaPlace(std::string_view name_space, std::string_view set, std::string_view i);
std::string GroupPlace(std::string_view name_space, std::string_view group);
std::string GroupReplicaPlace(std::string_view name_space, std::string_view group,
                              std::string_view j);
controller::Index CliquesByPlace();
controller::Index GangsByReplica();
controller::Index GroupsByReplica();

}  // namespace hearth::grove

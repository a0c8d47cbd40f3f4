#pragma once

#include <string_view>

// Labels, annotations, finalizers and values that Grove's objects, their readers and their users
// agree on.
namespace hearth::grove {

inline constexpr std::string_view kNameLabel = "app.kubernetes.io/name";
inline constexpr std::string_view kManagedByLabel = "app.kubernetes.io/managed-by";
inline constexpr std::string_view kManagedBy = "grove-operator";               // its value
inline constexpr std::string_view kPartOfLabel = "app.kubernetes.io/part-of";  // the set's name
inline constexpr std::string_view kComponentLabel = "app.kubernetes.io/component";
inline constexpr std::string_view kCliqueLabel = "grove.io/podclique";
inline constexpr std::string_view kGangLabel = "grove.io/podgang";
inline constexpr std::string_view kBaseGangLabel = "grove.io/base-podgang";
inline constexpr std::string_view kSetReplicaLabel = "grove.io/podcliqueset-replica-index";
inline constexpr std::string_view kGroupLabel = "grove.io/podcliquescalinggroup";
inline constexpr std::string_view kGroupReplicaLabel =
    "grove.io/podcliquescalinggroup-replica-index";
inline constexpr std::string_view kPodIndexLabel = "grove.io/podclique-pod-index";
inline constexpr std::string_view kTemplateHashLabel = "grove.io/pod-template-hash";
inline constexpr std::string_view kSchedulerLabel = "grove.io/scheduler-name";

// Values of kComponentLabel.
namespace component {
inline constexpr std::string_view kService = "pcs-headless-service";
inline constexpr std::string_view kRole = "pod-role";
inline constexpr std::string_view kRoleBinding = "pod-role-binding";
inline constexpr std::string_view kServiceAccount = "pod-service-account";
inline constexpr std::string_view kTokenSecret = "pod-sa-token-secret";
inline constexpr std::string_view kGroup = "pcs-podcliquescalinggroup";
inline constexpr std::string_view kAutoscaler = "pcs-hpa";
inline constexpr std::string_view kGang = "podgang";
inline constexpr std::string_view kSetClique = "pcs-podclique";
inline constexpr std::string_view kGroupClique = "pcsg-podclique";
inline constexpr std::string_view kClaim = "resource-claim";
}  // namespace component

inline constexpr std::string_view kSetFinalizer = "grove.io/podcliqueset.grove.io";
inline constexpr std::string_view kCliqueFinalizer = "grove.io/podclique.grove.io";
inline constexpr std::string_view kGroupFinalizer = "grove.io/podcliquescalinggroup.grove.io";
// Kubernetes' own: what the object owns shall stay, and loses it as its owner before it goes.
inline constexpr std::string_view kOrphanFinalizer = "orphan";

// A pod with it waits for its gang, and for its claims.
inline constexpr std::string_view kGate = "grove.io/podgang-pending-creation";

inline constexpr std::string_view kReconcileTrigger = "grove.io/reconcile-trigger";
inline constexpr std::string_view kTopologyNameAnnotation = "grove.io/topology-name";
// What another operator called the template that we call by our hash: "ours=theirs", one for each
// clique, parted by commas. Ours.
inline constexpr std::string_view kHashAliasAnnotation = "hearth.dev/hash-aliases";
// From which template a claim was made. Ours.
inline constexpr std::string_view kClaimTemplateAnnotation = "hearth.dev/claim-template";

}  // namespace hearth::grove

#include "api/grove/pod_clique_set_template.h"

#include "api/grove/internal/definition.h"
#include "api/grove/limits.h"

namespace hearth::api::grove {
namespace {

template <typename T>
Node SharingList() {
  return ListOf(Codec<T>::Describe()).Atomic().MaxItems(kMaxSharedClaims);
}

// The items of an atomic list have no old selves, so that the rule must stand above the list and
// find them by name. That no group comes or goes is for the webhook to say.
schema::Rule GroupSharingIsImmutable() {
  return {.rule =
              "!has(self.podCliqueScalingGroups) || !has(oldSelf.podCliqueScalingGroups) || "
              "self.podCliqueScalingGroups.all(now, "
              "oldSelf.podCliqueScalingGroups.all(before, now.name != before.name || "
              "(has(now.resourceSharing) ? now.resourceSharing : []) == "
              "(has(before.resourceSharing) ? before.resourceSharing : [])))",
          .message = "podCliqueScalingGroups[].resourceSharing: field is immutable",
          .field_path = ".podCliqueScalingGroups"};
}

}  // namespace

const StructTable& CliqueTemplate::Fields() {
  static const StructTable table(
      "One role of the set.",
      {Field("name", &CliqueTemplate::name, String().MaxLength(kMaxNameLength),
             "Name of the clique. Unique in the set; cannot be changed. Together with the names of "
             "the set and, if any, the scaling group at most 45 characters.")
           .Required(),
       Field("labels", &CliqueTemplate::labels, "Labels of the PodCliques and their pods."),
       Field("annotations", &CliqueTemplate::annotations,
             "Annotations of the PodCliques and their pods."),
       Field("topologyConstraint", &CliqueTemplate::topology_constraint,
             "Where in the cluster the pods of the clique must or should be. Not wider than that "
             "of the scaling group or the set. Cannot be changed."),
       Field("resourceSharing", &CliqueTemplate::resource_sharing, SharingList<ResourceSharing>(),
             "ResourceClaims that pods of this clique share. AllReplicas: one for all pods of a "
             "PodClique. PerReplica: one for each of its pods. Cannot be changed."),
       Field("spec", &CliqueTemplate::spec, "The pods of the clique.").Required()},
      {internal::Immutable("resourceSharing")});
  return table;
}

const StructTable& ScalingGroupTemplate::Fields() {
  using Group = ScalingGroupTemplate;
  static const StructTable table(
      "Cliques that are scaled as one.",
      {Field("name", &Group::name, String().MaxLength(kMaxNameLength),
             "Name of the group. Unique in the set; cannot be changed.")
           .Required(),
       Field("cliqueNames", &Group::clique_names, ListOf(String()).Atomic(),
             "Names of the cliques in the group. A clique is in at most one group. Cannot be "
             "changed.")
           .Required(),
       Field("annotations", &Group::annotations, "Annotations of the PodCliqueScalingGroups."),
       Field("replicas", &Group::replicas,
             "How many copies of its cliques a PodCliqueScalingGroup is created with; after that "
             "each is scaled on its own.")
           .Default(1),
       Field("minAvailable", &Group::min_available,
             "How many copies are scheduled together with the set's replica, and below how many "
             "that replica is restarted after terminationDelay. Not above replicas. Cannot be "
             "changed.")
           .Default(1),
       Field("scaleConfig", &Group::scale_config,
             "Scales the group by metrics. Its cliques then have no autoScalingConfig."),
       Field("resourceSharing", &Group::resource_sharing, SharingList<GroupResourceSharing>(),
             "ResourceClaims shared within the group. AllReplicas: one for all copies. "
             "PerReplica: one for each copy. Cannot be changed."),
       Field("topologyConstraint", &Group::topology_constraint,
             "Where in the cluster each copy must or should be. Not wider than that of the set. "
             "Cannot be changed.")});
  return table;
}

const StructTable& HeadlessService::Fields() {
  static const StructTable table(
      "Settings of the headless Service.",
      {Field("publishNotReadyAddresses", &HeadlessService::publish_not_ready_addresses,
             "Whether pods have a DNS name before they are ready.")
           .Required()
           .Default(true)});
  return table;
}

const StructTable& PodCliqueSetTemplate::Fields() {
  using Template = PodCliqueSetTemplate;
  static const StructTable table(
      "What each replica of the set consists of.",
      {Field("cliques", &Template::cliques,
             ListOf(Codec<CliqueTemplate>::Describe()).MapBy({"name"}).MaxItems(kMaxCliques),
             "The roles: at least one. None can be added, removed or renamed later.")
           .Required(),
       Field("cliqueStartupType", &Template::startup_type,
             "In what order cliques start. CliqueStartupTypeAnyOrder: all at once. "
             "CliqueStartupTypeInOrder: each after the one before it in the list. "
             "CliqueStartupTypeExplicit: as startsAfter says. Cannot be changed.")
           .Default("CliqueStartupTypeAnyOrder"),
       Field("priorityClassName", &Template::priority_class_name,
             "Name of the PriorityClass of the PodGangs."),
       Field("headlessServiceConfig", &Template::headless_service,
             "Settings of the headless Service that each replica of the set has."),
       Field("terminationDelay", &Template::termination_delay,
             "How long fewer than minAvailable pods may work before the whole replica is "
             "restarted: a duration such as 30m. When absent, 4h."),
       Field("topologyConstraint", &Template::topology_constraint,
             "Where in the cluster each replica of the set must or should be. Cannot be changed."),
       Field("resourceClaimTemplates", &Template::resource_claim_templates,
             ListOf(Codec<ResourceClaimTemplate>::Describe()).Atomic().MaxItems(kMaxClaimTemplates),
             "Templates that resourceSharing at any level can refer to by name. Cannot be "
             "changed."),
       Field("resourceSharing", &Template::resource_sharing, SharingList<SetResourceSharing>(),
             "ResourceClaims shared within the set. AllReplicas: one for the whole set. "
             "PerReplica: one for each replica of the set. Cannot be changed."),
       Field("podCliqueScalingGroups", &Template::scaling_groups,
             ListOf(Codec<ScalingGroupTemplate>::Describe()).Atomic().MaxItems(kMaxScalingGroups),
             "Groups of cliques that are scaled as one. None can be added, removed or renamed "
             "later.")},
      {internal::Immutable("resourceClaimTemplates"), internal::Immutable("resourceSharing"),
       GroupSharingIsImmutable()});
  return table;
}

}  // namespace hearth::api::grove

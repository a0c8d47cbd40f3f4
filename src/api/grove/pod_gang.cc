#include "api/grove/pod_gang.h"

#include "api/grove/constants.h"
#include "api/grove/internal/definition.h"

namespace hearth::api::grove {

const StructTable& PodGangSpec::ObjectReference::Fields() {
  static const StructTable table(
      "Names one object.",
      {Field("namespace", &ObjectReference::name_space, "Namespace of the object.").Required(),
       Field("name", &ObjectReference::name, "Name of the object.").Required()});
  return table;
}

const StructTable& PodGangSpec::Topology::Pack::Fields() {
  static const StructTable table(
      "Keeps pods together on nodes with the same value of a label.",
      {Field("required", &Pack::required,
             "Key of the node label whose value must be the same for all; otherwise nothing is "
             "scheduled."),
       Field("preferred", &Pack::preferred,
             "Key of the node label whose value should be the same for all, if possible.")});
  return table;
}

const StructTable& PodGangSpec::Topology::Fields() {
  static const StructTable table(
      "Where in the cluster pods must or should be.",
      {Field("packConstraint", &Topology::pack_constraint,
             "Keeps pods together on nodes with the same value of a label.")});
  return table;
}

const StructTable& PodGangSpec::PodGroup::Fields() {
  static const StructTable table(
      "The pods of one PodClique.",
      {Field("name", &PodGroup::name, "Name of the group: that of its PodClique.").Required(),
       Field("podReferences", &PodGroup::pod_references,
             ListOf(Codec<ObjectReference>::Describe()).Atomic(), "The pods, sorted by name.")
           .Required(),
       Field("minReplicas", &PodGroup::min_replicas,
             "How many of the pods are scheduled together or not at all. More are scheduled as "
             "there is room.")
           .Required(),
       Field("topologyConstraint", &PodGroup::topology_constraint,
             "Where in the cluster the pods of this group must or should be.")});
  return table;
}

const StructTable& PodGangSpec::TopologyGroup::Fields() {
  static const StructTable table(
      "Pod groups that have a topology constraint in common.",
      {Field("name", &TopologyGroup::name, "Name of this combination of groups.").Required(),
       Field("podGroupNames", &TopologyGroup::pod_group_names, ListOf(String()).Atomic(),
             "Names of the pod groups.")
           .Required(),
       Field("topologyConstraint", &TopologyGroup::topology_constraint,
             "Where in the cluster their pods must or should be.")});
  return table;
}

const StructTable& PodGangSpec::Fields() {
  static const StructTable table(
      "Pods that are scheduled together.",
      {Field("podgroups", &PodGangSpec::pod_groups, ListOf(Codec<PodGroup>::Describe()).Atomic(),
             "The groups of pods, one for each PodClique.")
           .Required(),
       Field("topologyConstraint", &PodGangSpec::topology_constraint,
             "Where in the cluster all pods of the gang must or should be."),
       Field("topologyConstraintGroupConfigs", &PodGangSpec::topology_groups,
             ListOf(Codec<TopologyGroup>::Describe()).Atomic(),
             "Topology constraints of some of the groups together."),
       Field("priorityClassName", &PodGangSpec::priority_class_name,
             "Name of the PriorityClass of the gang."),
       Field("reuseReservationRef", &PodGangSpec::reuse_reservation,
             "An earlier PodGang whose place the scheduler may use again. A suggestion; not set "
             "by the operator.")});
  return table;
}

const StructTable& PodGangStatus::Fields() {
  static const StructTable table(
      "How far the gang is.",
      {Field("phase", &PodGangStatus::phase,
             "Pending: not scheduled yet. Schedulers write Starting and Running.")
           .Required(),
       Field("conditions", &PodGangStatus::conditions, ConditionList(),
             "Initialized: all pods are created and named here. Schedulers write Scheduled, Ready, "
             "Unhealthy and DisruptionTarget."),
       Field("placementScore", &PodGangStatus::placement_score, Number().Format("double"),
             "How good the scheduler finds the placement: 1.0 is the best.")});
  return table;
}

schema::ResourceDefinition PodGangDefinition() {
  using namespace internal;  // NOLINT(google-build-using-namespace): columns
  auto definition =
      Define(kSchedulerGroup, "PodGang", "podgangs", "pg",
             Root("Pods that a scheduler places together or not at all. Made from a PodCliqueSet.",
                  Codec<PodGangSpec>::Describe(), Codec<PodGangStatus>::Describe(), true));
  definition.versions.front().columns = {
      Text("Phase", ".status.phase", "How far the gang is."),
      Text("Initialized", ConditionPath(kInitialized, "status"),
           "Whether all pods are created and named."),
      Text("Scheduled", ConditionPath(kScheduled, "status"),
           "Whether the scheduler has placed the gang."),
      Wide(Text("Priority-Class", ".spec.priorityClassName", "PriorityClass of the gang.")), Age()};
  definition.versions.front().selectable_fields = {".status.phase"};
  return definition;
}

}  // namespace hearth::api::grove

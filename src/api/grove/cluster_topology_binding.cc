#include "api/grove/cluster_topology_binding.h"

#include "api/grove/constants.h"
#include "api/grove/internal/definition.h"
#include "api/grove/topology_constraint.h"

namespace hearth::api::grove {

const StructTable& ClusterTopologyBindingSpec::Level::Fields() {
  static const StructTable table(
      "One level of the topology.",
      {Field("domain", &Level::domain, TopologyDomain(),
             "Name of the level, as workloads use it: region, zone, datacenter, block, rack, host, "
             "numa or another.")
           .Required(),
       Field("key", &Level::key,
             String().MinLength(1).MaxLength(63).Pattern(
                 "^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?/)?"
                 "[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$"),
             "Key of the node label that tells the domains of this level apart: "
             "topology.kubernetes.io/zone.")
           .Required()});
  return table;
}

const StructTable& ClusterTopologyBindingSpec::Binding::Fields() {
  static const StructTable table(
      "A scheduler's topology object that is made by someone else.",
      {Field("schedulerName", &Binding::scheduler_name, "Name of the scheduler: kai-scheduler.")
           .Required(),
       Field("topologyReference", &Binding::topology_reference,
             "Name of the scheduler's topology object.")
           .Required()});
  return table;
}

const StructTable& ClusterTopologyBindingSpec::Fields() {
  using Spec = ClusterTopologyBindingSpec;
  static const StructTable table(
      "The levels, and the schedulers' objects that must agree with them.",
      {Field("levels", &Spec::levels, ListOf(Codec<Level>::Describe()).Atomic().MinItems(1),
             "The levels, from broad to narrow.")
           .Required(),
       Field("schedulerTopologyBindings", &Spec::scheduler_topology_bindings,
             ListOf(Codec<Binding>::Describe()).Atomic(),
             "Topology objects of schedulers that are made by someone else: they are compared with "
             "the levels and never written. For schedulers that are not named here the object is "
             "made from the levels.")});
  return table;
}

const StructTable& ClusterTopologyBindingStatus::Topology::Fields() {
  static const StructTable table(
      "Whether a scheduler's topology object agrees with the levels.",
      {Field("schedulerName", &Topology::scheduler_name, "Name of the scheduler.").Required(),
       Field("topologyReference", &Topology::topology_reference,
             "Name of the scheduler's topology object.")
           .Required(),
       Field("inSync", &Topology::in_sync, "Whether its levels are the same.").Required(),
       Field("schedulerBackendTopologyObservedGeneration", &Topology::observed_generation,
             "Generation of the scheduler's object when it was compared. Absent when there is no "
             "such object."),
       Field("message", &Topology::message, "Why they are not the same.")});
  return table;
}

const StructTable& ClusterTopologyBindingStatus::Fields() {
  using BindingStatus = ClusterTopologyBindingStatus;
  static const StructTable table(
      "Whether the schedulers agree with the levels.",
      {Field("observedGeneration", &BindingStatus::observed_generation,
             "The generation this status speaks of."),
       Field("conditions", &BindingStatus::conditions, ConditionList(),
             "SchedulerTopologyDrift: some scheduler's topology differs from the levels."),
       Field("schedulerTopologyStatuses", &BindingStatus::scheduler_topologies,
             ListOf(Codec<Topology>::Describe()).Atomic(), "One entry for each scheduler.")});
  return table;
}

schema::ResourceDefinition ClusterTopologyBindingDefinition() {
  using namespace internal;  // NOLINT(google-build-using-namespace): columns
  auto definition = Define(
      kGroup, "ClusterTopologyBinding", "clustertopologybindings", "ct",
      Root("The levels of the cluster's topology that workloads can be packed into, by the labels "
           "of the nodes.",
           Codec<ClusterTopologyBindingSpec>::Describe(),
           Codec<ClusterTopologyBindingStatus>::Describe(), true));
  definition.namespaced = false;
  definition.versions.front().columns = {
      Text("Domains", ".spec.levels[*].domain", "The levels, from broad to narrow."),
      Text("Sync", ConditionPath(kSchedulerTopologyDrift, "reason"),
           "Whether the schedulers agree with the levels."),
      Age()};
  return definition;
}

}  // namespace hearth::api::grove

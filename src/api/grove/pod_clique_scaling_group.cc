#include "api/grove/pod_clique_scaling_group.h"

#include "api/grove/constants.h"
#include "api/grove/internal/definition.h"

namespace hearth::api::grove {

const StructTable& PodCliqueScalingGroupSpec::Fields() {
  using Spec = PodCliqueScalingGroupSpec;
  static const StructTable table(
      "How many copies of which cliques.",
      {Field("replicas", &Spec::replicas,
             "How many copies of the cliques. This is what an autoscaler changes.")
           .Required()
           .Default(1),
       Field("minAvailable", &Spec::min_available,
             "How many copies are scheduled together with the set's replica, and below how many "
             "that replica is restarted after terminationDelay.")
           .Default(1),
       Field("cliqueNames", &Spec::clique_names, ListOf(String()).Atomic(),
             "Names, in the set, of the cliques that each copy consists of.")
           .Required()});
  return table;
}

const StructTable& SelectedReplicas::Fields() {
  static const StructTable table(
      "Ready replicas that are replaced one after the other.",
      {Field("current", &SelectedReplicas::current, "Index of the replica that is being replaced.")
           .Required(),
       Field("completed", &SelectedReplicas::completed, ListOf(Integer32()).Atomic(),
             "Indices of the replicas that were replaced before.")});
  return table;
}

const StructTable& PodCliqueScalingGroupUpdateProgress::Fields() {
  using Progress = PodCliqueScalingGroupUpdateProgress;
  static const StructTable table(
      "How far the latest update is.",
      {Field("updateStartedAt", &Progress::update_started_at, Timestamp(), "When it began.")
           .Required(),
       Field("updateEndedAt", &Progress::update_ended_at, Timestamp(),
             "When nothing was left to do. With OnDelete the time it began."),
       Field("podCliqueSetGenerationHash", &Progress::set_generation_hash,
             "Hash of the set's template that is being rolled out.")
           .Required(),
       Field("updatedPodCliquesCount", &Progress::updated_cliques,
             "PodCliques that have the new template.")
           .Default(0)
           .AlwaysWritten(),
       Field("totalPodCliquesCount", &Progress::total_cliques, "PodCliques there should be.")
           .Default(0)
           .AlwaysWritten(),
       Field("readyReplicaIndicesSelectedToUpdate", &Progress::ready_replicas_selected,
             "Ready replicas that are replaced one after the other. Absent with OnDelete.")});
  return table;
}

const StructTable& PodCliqueScalingGroupStatus::Fields() {
  using GroupStatus = PodCliqueScalingGroupStatus;
  static const StructTable table(
      "How the replicas of the group are.",
      {Field("replicas", &GroupStatus::replicas, "Replicas there should be, as last seen."),
       Field("scheduledReplicas", &GroupStatus::scheduled_replicas,
             "Replicas whose cliques each have minAvailable pods with a node.")
           .Required()
           .Default(0),
       Field("availableReplicas", &GroupStatus::available_replicas,
             "Replicas whose cliques each have minAvailable ready pods.")
           .Required()
           .Default(0),
       Field("updatedReplicas", &GroupStatus::updated_replicas,
             "Available replicas made from the current template.")
           .Required()
           .Default(0),
       Field("selector", &GroupStatus::selector,
             "Label selector of the group's pods, for autoscalers."),
       Field("observedGeneration", &GroupStatus::observed_generation,
             "The generation this status speaks of."),
       Field("lastErrors", &GroupStatus::last_errors, LastErrorList(),
             "Errors of the latest pass."),
       Field("conditions", &GroupStatus::conditions, ConditionList(),
             "MinAvailableBreached: fewer than minAvailable replicas work. "
             "GangTerminationInProgress: the set's replica is being restarted for it. "
             "ResourceClaimsReady: the shared claims can be used."),
       Field("currentPodCliqueSetGenerationHash", &GroupStatus::current_set_generation_hash,
             "Hash of the set's template that all replicas are made from."),
       Field("updateProgress", &GroupStatus::update_progress, "How far the latest update is."),
       Field("resourceClaims", &GroupStatus::resource_claims,
             "How many shared ResourceClaims of this group there should be and are.")});
  return table;
}

schema::ResourceDefinition PodCliqueScalingGroupDefinition() {
  using namespace internal;  // NOLINT(google-build-using-namespace): columns
  auto definition =
      Define(kGroup, "PodCliqueScalingGroup", "podcliquescalinggroups", "pcsg",
             Root("Cliques that are scaled as one. Made from a PodCliqueSet; only the number of "
                  "replicas is for users to change.",
                  Codec<PodCliqueScalingGroupSpec>::Describe(),
                  Codec<PodCliqueScalingGroupStatus>::Describe(), true));
  schema::ResourceVersion& version = definition.versions.front();
  version.scale = {.spec_path = ".spec.replicas",
                   .status_path = ".status.replicas",
                   .selector_path = ".status.selector"};
  version.columns = {
      Count("MinAvail", ".spec.minAvailable", "Replicas needed at least."),
      Count("Replicas", ".spec.replicas", "Replicas wanted."),
      Count("Available", ".status.availableReplicas", "Replicas that work."),
      Count("Scheduled", ".status.scheduledReplicas", "Replicas whose pods have nodes."),
      Count("Updated", ".status.updatedReplicas", "Replicas made from the current template."),
      Count("PCLQs-Updated", ".status.updateProgress.updatedPodCliquesCount",
            "PodCliques that have the new template."),
      Count("PCLQs-Total", ".status.updateProgress.totalPodCliquesCount",
            "PodCliques there should be."),
      MinBreached(),
      Claims(),
      ClaimsReason(),
      Age()};
  return definition;
}

}  // namespace hearth::api::grove

#include "api/grove/pod_clique.h"

#include "api/grove/constants.h"
#include "api/grove/internal/definition.h"

namespace hearth::api::grove {

const StructTable& PodCliqueSpec::Fields() {
  static const StructTable table(
      "Pods of one role.",
      {Field("roleName", &PodCliqueSpec::role_name,
             "The role these pods play. Unique in the set; cannot be changed.")
           .Required(),
       Field("podSpec", &PodCliqueSpec::pod_spec, Kube("core.v1.PodSpec"),
             "The pods' spec, as in a Pod. schedulerName cannot be changed; nodeName and "
             "topologySpreadConstraints must be absent on creation.")
           .Required(),
       Field("replicas", &PodCliqueSpec::replicas,
             "How many pods. In a PodCliqueSet this is the number a PodClique is created with; "
             "after that each PodClique is scaled on its own.")
           .Required(),
       Field("minAvailable", &PodCliqueSpec::min_available,
             "How many pods are scheduled together or not at all, and below how many the whole "
             "replica of the set is restarted after terminationDelay. When absent, replicas. "
             "Cannot be changed."),
       Field("startsAfter", &PodCliqueSpec::starts_after, ListOf(String()).Atomic(),
             "Cliques of which minAvailable pods must be ready before pods of this one start. "
             "Read with CliqueStartupTypeExplicit. Cannot be changed."),
       Field("autoScalingConfig", &PodCliqueSpec::auto_scaling,
             "Scales the pods by metrics. Not for cliques in a scaling group.")});
  return table;
}

const StructTable& PodCliqueUpdateProgress::SelectedPods::Fields() {
  static const StructTable table(
      "Ready pods that are replaced one after the other.",
      {Field("current", &SelectedPods::current, "Name of the pod that is being replaced.")
           .Required(),
       Field("completed", &SelectedPods::completed, ListOf(String()).Atomic(),
             "Names of the pods that were replaced before.")});
  return table;
}

const StructTable& PodCliqueUpdateProgress::Fields() {
  using Progress = PodCliqueUpdateProgress;
  static const StructTable table(
      "How far the latest update is.",
      {Field("updateStartedAt", &Progress::update_started_at, Timestamp(), "When it began."),
       Field("updateEndedAt", &Progress::update_ended_at, Timestamp(),
             "When nothing was left to do. With OnDelete the time it began: the pods are then "
             "replaced as the user deletes them."),
       Field("podCliqueSetGenerationHash", &Progress::set_generation_hash,
             "Hash of the set's template that is being rolled out.")
           .Required(),
       Field("podTemplateHash", &Progress::pod_template_hash,
             "Hash of the clique's template that is being rolled out.")
           .Required(),
       Field("readyPodsSelectedToUpdate", &Progress::ready_pods_selected,
             "Ready pods that are replaced one after the other. Absent with OnDelete.")});
  return table;
}

const StructTable& PodCliqueStatus::Fields() {
  static const StructTable table(
      "How the pods of the clique are.",
      {Field("observedGeneration", &PodCliqueStatus::observed_generation,
             "The generation this status speaks of."),
       Field("lastErrors", &PodCliqueStatus::last_errors, LastErrorList(),
             "Errors of the latest pass."),
       Field("replicas", &PodCliqueStatus::replicas, "Pods that are not being deleted."),
       Field("readyReplicas", &PodCliqueStatus::ready_replicas, "Pods that are ready.")
           .Required()
           .Default(0),
       Field("updatedReplicas", &PodCliqueStatus::updated_replicas,
             "Pods made from the current template.")
           .Required()
           .Default(0),
       Field("scheduleGatedReplicas", &PodCliqueStatus::schedule_gated_replicas,
             "Pods that a scheduling gate still holds back.")
           .Required()
           .Default(0),
       Field("scheduledReplicas", &PodCliqueStatus::scheduled_replicas, "Pods that have a node.")
           .Required()
           .Default(0),
       Field("hpaPodSelector", &PodCliqueStatus::selector,
             "Label selector of the pods, for autoscalers. Absent in scaling groups, which are "
             "scaled as a whole."),
       Field("conditions", &PodCliqueStatus::conditions, ConditionList(),
             "PodCliqueScheduled: minAvailable pods have a node. MinAvailableBreached: fewer than "
             "minAvailable work. ResourceClaimsReady: the shared claims can be used."),
       Field("currentPodCliqueSetGenerationHash", &PodCliqueStatus::current_set_generation_hash,
             "Hash of the set's template that all pods are made from."),
       Field("currentPodTemplateHash", &PodCliqueStatus::current_pod_template_hash,
             "Hash of the clique's template that all pods are made from."),
       Field("updateProgress", &PodCliqueStatus::update_progress, "How far the latest update is."),
       Field("resourceClaims", &PodCliqueStatus::resource_claims,
             "How many shared ResourceClaims of this clique there should be and are.")});
  return table;
}

schema::ResourceDefinition PodCliqueDefinition() {
  using namespace internal;  // NOLINT(google-build-using-namespace): columns
  auto definition =
      Define(kGroup, "PodClique", "podcliques", "pclq",
             Root("Pods of one role that are scheduled together. Made from a PodCliqueSet; only "
                  "the number of replicas is for users to change.",
                  Codec<PodCliqueSpec>::Describe(), Codec<PodCliqueStatus>::Describe(), true));
  schema::ResourceVersion& version = definition.versions.front();
  version.scale = {.spec_path = ".spec.replicas",
                   .status_path = ".status.replicas",
                   .selector_path = ".status.hpaPodSelector"};
  version.columns = {
      Count("MinAvail", ".spec.minAvailable", "Pods needed at least."),
      Count("Replicas", ".spec.replicas", "Pods wanted."),
      Count("Ready", ".status.readyReplicas", "Pods that are ready."),
      Count("Scheduled", ".status.scheduledReplicas", "Pods that have a node."),
      Count("Updated", ".status.updatedReplicas", "Pods made from the current template."),
      Wide(Count("Gated", ".status.scheduleGatedReplicas", "Pods that a gate holds back.")),
      MinBreached(),
      Claims(),
      ClaimsReason(),
      Age()};
  version.selectable_fields = {".spec.roleName"};
  return definition;
}

}  // namespace hearth::api::grove

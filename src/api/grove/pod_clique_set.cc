#include "api/grove/pod_clique_set.h"

#include "api/grove/constants.h"
#include "api/grove/internal/definition.h"

namespace hearth::api::grove {
namespace {

// On creation only: objects from before the deprecation can still be changed.
schema::Rule NoPackDomain(const std::string& condition, std::string path) {
  return {
      .rule = "oldSelf.hasValue() || " + condition,
      .message = "packDomain is deprecated and cannot be used on new workloads; use pack.required",
      .reason = "FieldValueForbidden",
      .field_path = std::move(path),
      .optional_old_self = true};
}

schema::Rule NoPackDomainWithin(const std::string& list) {
  const std::string path = ".spec.template." + list;
  return NoPackDomain("!has(self" + path + ") || self" + path +
                          ".all(x, !has(x.topologyConstraint) || "
                          "!has(x.topologyConstraint.packDomain))",
                      path);
}

std::vector<schema::Rule> RootRules() {
  return {NoPackDomain("!has(self.spec.template.topologyConstraint) || "
                       "!has(self.spec.template.topologyConstraint.packDomain)",
                       ".spec.template.topologyConstraint.packDomain"),
          NoPackDomainWithin("cliques"), NoPackDomainWithin("podCliqueScalingGroups")};
}

}  // namespace

const StructTable& UpdateStrategy::Fields() {
  static const StructTable table(
      "How pods are replaced when the template changes.",
      {Field("type", &UpdateStrategy::type,
             "RollingRecreate: pods, or replicas of a scaling group, are deleted and made anew one "
             "after the other. OnDelete: pods are made from the new template when the user "
             "deletes the old ones.")
           .Default("RollingRecreate")});
  return table;
}

const StructTable& PodCliqueSetSpec::Fields() {
  static const StructTable table(
      "What is wanted.",
      {Field("replicas", &PodCliqueSetSpec::replicas,
             "How many copies of the whole template. When absent, none.")
           .Default(0),
       Field("updateStrategy", &PodCliqueSetSpec::update_strategy,
             "How pods are replaced when the template changes. When absent, RollingRecreate."),
       Field("template", &PodCliqueSetSpec::set_template,
             "What each replica of the set consists of.")
           .Required()});
  return table;
}

const StructTable& PodCliqueSetUpdateProgress::Replica::Fields() {
  static const StructTable table(
      "How far one replica of the set is.",
      {Field("replicaIndex", &Replica::replica_index, "Index of the replica.").Required(),
       Field("updateStartedAt", &Replica::update_started_at, Timestamp(), "When its update began."),
       Field("updateEndedAt", &Replica::update_ended_at, Timestamp(), "When its update ended.")});
  return table;
}

const StructTable& PodCliqueSetUpdateProgress::Fields() {
  using Progress = PodCliqueSetUpdateProgress;
  static const StructTable table(
      "How far the latest update is.",
      {Field("updateStartedAt", &Progress::update_started_at, Timestamp(), "When it began."),
       Field("updateEndedAt", &Progress::update_ended_at, Timestamp(),
             "When nothing was left to do. With OnDelete the time it began: the pods are then "
             "replaced as the user deletes them."),
       Field("updatedPodCliquesCount", &Progress::updated_cliques,
             "PodCliques outside of scaling groups that have the new template.")
           .Default(0)
           .AlwaysWritten(),
       Field("totalPodCliquesCount", &Progress::total_cliques,
             "PodCliques outside of scaling groups there should be.")
           .Default(0)
           .AlwaysWritten(),
       Field("updatedPodCliqueScalingGroupsCount", &Progress::updated_scaling_groups,
             "Scaling groups that have the new template.")
           .Default(0)
           .AlwaysWritten(),
       Field("totalPodCliqueScalingGroupsCount", &Progress::total_scaling_groups,
             "Scaling groups there should be.")
           .Default(0)
           .AlwaysWritten(),
       Field("currentlyUpdating", &Progress::currently_updating,
             ListOf(Codec<Replica>::Describe()).Atomic(),
             "Replicas of the set that are being updated. Absent with OnDelete.")});
  return table;
}

const StructTable& PodCliqueSetStatus::Gang::Fields() {
  static const StructTable table(
      "How one PodGang of the set is.",
      {Field("name", &Gang::name, "Name of the PodGang.").Required(),
       Field("phase", &Gang::phase,
             String().Enum({"Pending", "Starting", "Running", "Failed", "Succeeded"}),
             "How far the PodGang is.")
           .Required(),
       Field("conditions", &Gang::conditions, ConditionList(), "Conditions of the PodGang.")});
  return table;
}

const StructTable& PodCliqueSetStatus::Fields() {
  using SetStatus = PodCliqueSetStatus;
  static const StructTable table(
      "How the replicas of the set are.",
      {Field("observedGeneration", &SetStatus::observed_generation,
             "The generation this status speaks of."),
       Field("conditions", &SetStatus::conditions, ConditionList(),
             "TopologyLevelsUnavailable: a domain that is asked for is not a level of the "
             "cluster's topology. ResourceClaimsReady: the shared claims can be used."),
       Field("lastErrors", &SetStatus::last_errors, LastErrorList(), "Errors of the latest pass."),
       Field("replicas", &SetStatus::replicas, "Replicas there should be, as last seen."),
       Field("updatedReplicas", &SetStatus::updated_replicas,
             "Available replicas made from the current template.")
           .Required()
           .Default(0),
       Field("availableReplicas", &SetStatus::available_replicas,
             "Replicas whose cliques and scaling groups all have minAvailable.")
           .Required()
           .Default(0),
       Field("hpaPodSelector", &SetStatus::selector,
             "Label selector of the set's pods, for autoscalers."),
       Field("podGangStatuses", &SetStatus::gangs, ListOf(Codec<Gang>::Describe()).Atomic(),
             "Kept for compatibility and not written; look at the PodGangs."),
       Field("currentGenerationHash", &SetStatus::current_generation_hash,
             "Hash of the template that is rolled out."),
       Field("updateProgress", &SetStatus::update_progress, "How far the latest update is."),
       Field("resourceClaims", &SetStatus::resource_claims,
             "How many shared ResourceClaims of the set itself there should be and are.")});
  return table;
}

schema::ResourceDefinition PodCliqueSetDefinition() {
  using namespace internal;  // NOLINT(google-build-using-namespace): columns
  auto definition = Define(
      kGroup, "PodCliqueSet", "podcliquesets", "pcs",
      Root("The roles of a workload, scheduled and scaled together, and how many copies of all of "
           "them there are.",
           Codec<PodCliqueSetSpec>::Describe(), Codec<PodCliqueSetStatus>::Describe(), true,
           RootRules()));
  schema::ResourceVersion& version = definition.versions.front();
  version.scale = {.spec_path = ".spec.replicas",
                   .status_path = ".status.replicas",
                   .selector_path = ".status.hpaPodSelector"};
  version.columns = {
      Count("Replicas", ".spec.replicas", "Replicas wanted."),
      Count("Available", ".status.availableReplicas", "Replicas that work."),
      Count("Updated", ".status.updatedReplicas", "Replicas made from the current template."),
      Count("PCLQs-Updated", ".status.updateProgress.updatedPodCliquesCount",
            "PodCliques that have the new template."),
      Count("PCLQs-Total", ".status.updateProgress.totalPodCliquesCount",
            "PodCliques there should be."),
      Count("PCSGs-Updated", ".status.updateProgress.updatedPodCliqueScalingGroupsCount",
            "Scaling groups that have the new template."),
      Count("PCSGs-Total", ".status.updateProgress.totalPodCliqueScalingGroupsCount",
            "Scaling groups there should be."),
      Claims(),
      ClaimsReason(),
      Age()};
  return definition;
}

}  // namespace hearth::api::grove

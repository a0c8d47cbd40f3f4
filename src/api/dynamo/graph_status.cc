#include "api/dynamo/graph_status.h"

namespace hearth::api::dynamo {

const StructTable& RestartStatus::Fields() {
  static const StructTable table(
      "How far a restart is.",
      {Field("observedID", &RestartStatus::observed_id, "The id that is being worked on."),
       // Without an enum, as older clients know it.
       Field("phase", &RestartStatus::phase, String(),
             "Pending, Restarting, Completed, Failed, or Superseded by a later id."),
       Field("inProgress", &RestartStatus::in_progress, "Components that are being restarted.")});
  return table;
}

const StructTable& RollingUpdateStatus::Fields() {
  static const StructTable table(
      "How far a rolling update is.",
      {Field("phase", &RollingUpdateStatus::phase, "How far it is; empty when there is none."),
       Field("startTime", &RollingUpdateStatus::start_time, Timestamp(), "When it began."),
       Field("endTime", &RollingUpdateStatus::end_time, Timestamp(), "When it ended, well or not."),
       Field("updatedComponents", &RollingUpdateStatus::updated_components,
             "Components that are done.")});
  return table;
}

const StructTable& StartupStatus::Fields() {
  static const StructTable table(
      "How the workers that run now came up.",
      {Field("restored", &StartupStatus::restored, Integer32().Min(0),
             "Pods that were restored from a checkpoint.")
           .Required(),
       Field("cold", &StartupStatus::cold, Integer32().Min(0), "Pods that started cold.")
           .Required()});
  return table;
}

const StructTable& GraphDeploymentStatus::Fields() {
  static const StructTable table(
      "How the graph is.",
      {Field("observedGeneration", &GraphDeploymentStatus::observed_generation,
             "The generation of the spec that was last worked through without an error."),
       Field("state", &GraphDeploymentStatus::state, "The graph in one word.")
           .Default("initializing")
           .Required(),
       Field("conditions", &GraphDeploymentStatus::conditions, ConditionList(),
             "Ready: every component is. Others tell of topology, checkpoints and fields without "
             "effect."),
       Field("components", &GraphDeploymentStatus::components,
             "How many instances each component has, by its name."),
       Field("restart", &GraphDeploymentStatus::restart, "How far a restart is."),
       Field("checkpoints", &GraphDeploymentStatus::checkpoints,
             "The checkpoint each component uses, by its name."),
       Field("rollingUpdate", &GraphDeploymentStatus::rolling_update,
             "How far a rolling update is. Without Grove only, which does its own."),
       Field("startup", &GraphDeploymentStatus::startup,
             "How many of the running workers were restored, and how many started cold.")});
  return table;
}

}  // namespace hearth::api::dynamo

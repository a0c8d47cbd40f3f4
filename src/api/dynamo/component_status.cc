#include "api/dynamo/component_status.h"

namespace hearth::api::dynamo {

const StructTable& ComponentReplicaStatus::Fields() {
  static const StructTable table(
      "How many instances of a component there are.",
      {Field("componentKind", &ComponentReplicaStatus::component_kind,
             "Kind of the objects that run the component.")
           .Required(),
       Field("componentNames", &ComponentReplicaStatus::component_names,
             "Their names; during an update the old and the new one."),
       Field("runtimeNamespace", &ComponentReplicaStatus::runtime_namespace,
             "The Dynamo namespace the instances register in."),
       Field("replicas", &ComponentReplicaStatus::replicas, Integer32().Min(0),
             "Instances that have not ended.")
           .Required(),
       Field("updatedReplicas", &ComponentReplicaStatus::updated_replicas, Integer32().Min(0),
             "Instances of the current revision.")
           .Required(),
       Field("readyReplicas", &ComponentReplicaStatus::ready_replicas, Integer32().Min(0),
             "Instances that are ready. Absent when the kind does not tell."),
       Field("availableReplicas", &ComponentReplicaStatus::available_replicas, Integer32().Min(0),
             "Instances that are available. Absent when the kind does not tell."),
       Field("scheduledReplicas", &ComponentReplicaStatus::scheduled_replicas, Integer32().Min(0),
             "Instances whose pods have nodes. Absent when the kind does not tell.")});
  return table;
}

const StructTable& ComponentCheckpointStatus::Fields() {
  static const StructTable table(
      "The checkpoint a component uses.",
      {Field("checkpointName", &ComponentCheckpointStatus::checkpoint_name,
             "Name of the DynamoCheckpoint."),
       Field("checkpointID", &ComponentCheckpointStatus::checkpoint_id,
             "Id of what is stored for it."),
       Field("identityHash", &ComponentCheckpointStatus::identity_hash,
             "Deprecated: the same as checkpointID."),
       Field("ready", &ComponentCheckpointStatus::ready,
             "Whether pods that start now are restored from it.")});
  return table;
}

namespace v1alpha1 {

Node ServiceReplicaStatusNode() {
  schema::Schema status = *ComponentReplicaStatus::Fields().schema();
  status.properties.insert(
      status.properties.begin() + 1,
      {"componentName", String().Doc("Deprecated: the newest of componentNames.").Share()});
  return Node(std::move(status));
}

}  // namespace v1alpha1
}  // namespace hearth::api::dynamo

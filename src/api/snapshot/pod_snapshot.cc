#include "api/snapshot/pod_snapshot.h"

namespace hearth::api::snapshot {

const StructTable& PodReference::Fields() {
  static const StructTable table(
      "Names one pod and the container in it.",
      {Field("name", &PodReference::name, String().MinLength(1), "Name of the pod.").Required(),
       Field("uid", &PodReference::uid,
             "Uid of the pod. When set, a later pod of the same name is not taken for it."),
       Field("containers", &PodReference::containers,
             ListOf(DnsLabel()).MinItems(1).MaxItems(1).Atomic(),
             "The container to capture: exactly one. When absent, the pod's annotation "
             "nvidia.com/snapshot-target-containers names it.")});
  return table;
}

const StructTable& PodSnapshotSpec::Source::Fields() {
  static const StructTable table(
      "Where the snapshot comes from.",
      {Field("podRef", &Source::pod, "The running pod to capture, in the namespace of this object.")
           .Required()});
  return table;
}

const StructTable& PodSnapshotSpec::Fields() {
  static const StructTable table(
      "What to capture. Cannot be changed after creation.",
      {Field("source", &PodSnapshotSpec::source, "Where the snapshot comes from.").Required()});
  return table;
}

const StructTable& PodSnapshotStatus::Fields() {
  static const StructTable table(
      "How far the capture is.",
      {Field("boundSnapshotContentName", &PodSnapshotStatus::bound_content_name,
             "Name of the PodSnapshotContent that holds the snapshot."),
       Field("conditions", &PodSnapshotStatus::conditions, ConditionList(),
             "Ready: captured, verified and durable. Failed: given up, with the reason.")});
  return table;
}

const StructTable& PodSnapshotContentSpec::SnapshotReference::Fields() {
  static const StructTable table(
      "Names the PodSnapshot this belongs to.",
      {Field("namespace", &SnapshotReference::name_space, "Namespace of the PodSnapshot.")
           .Required(),
       Field("name", &SnapshotReference::name, "Name of the PodSnapshot.").Required(),
       Field("uid", &SnapshotReference::uid, "Uid of the PodSnapshot.")});
  return table;
}

const StructTable& PodSnapshotContentSpec::Source::Fields() {
  static const StructTable table(
      "Where the snapshot comes from.",
      {Field("podRef", &Source::pod, "The running pod to capture.").Required(),
       Field("nodeName", &Source::node_name, String().MinLength(1),
             "The node it runs on; the agent there does the work.")
           .Required()});
  return table;
}

const StructTable& PodSnapshotContentSpec::Fields() {
  static const StructTable table(
      "What to capture and where. Cannot be changed after creation.",
      {Field("snapshotRef", &PodSnapshotContentSpec::snapshot, "The PodSnapshot this belongs to.")
           .Required(),
       Field("source", &PodSnapshotContentSpec::source, "Where the snapshot comes from.")
           .Required()});
  return table;
}

const StructTable& PodSnapshotContentStatus::Artifact::Fields() {
  static const StructTable table(
      "What was stored.",
      {Field("checkpointID", &Artifact::checkpoint_id, "Checkpoint id it is stored under."),
       Field("version", &Artifact::version, "Version below that id."),
       Field("sizeBytes", &Artifact::size_bytes, "What it takes on disk."),
       Field("digest", &Artifact::digest, "Digest over all of it."),
       Field("coldStartMilliseconds", &Artifact::cold_start_milliseconds,
             "How long the captured container took from its start until it was ready for its "
             "snapshot: what each restore is spared.")});
  return table;
}

const StructTable& PodSnapshotContentStatus::Fields() {
  static const StructTable table(
      "Written by the agent of the node.",
      {Field("artifact", &PodSnapshotContentStatus::artifact,
             "What lies in the store. When the content is deleted, this is what is removed."),
       Field("conditions", &PodSnapshotContentStatus::conditions, ConditionList(),
             "Ready: captured, verified and durable. Failed: given up, with the reason.")});
  return table;
}

}  // namespace hearth::api::snapshot

#include "admission/dynamo/internal/snapshot_gate.h"

namespace hearth::admission::dynamo {

const Rule kSnapshotsOn{
    "checkpoints-are-on",
    "Nothing would capture or restore the component while checkpoint.enabled is false in the "
    "operator's configuration. Turn it on there, or the checkpoint off here."};
const Rule kGmsSnapshotsOn{
    "gms-snapshots-are-on",
    "Checkpoints of components with a GPU memory service are behind a gate of the operator. Open "
    "it (Helm value featureGates.gmsSnapshot), or turn one of the two off."};

void CheckSnapshotsOn(const Setup& setup, const schema::FieldPath& path, Findings& findings) {
  if (!setup.checkpoints) {
    findings.Add(kSnapshotsOn,
                 schema::Forbidden(
                     path, "checkpoint functionality is disabled in the operator configuration"));
  }
}

void CheckGmsSnapshotsOn(const Setup& setup, const schema::FieldPath& path, Findings& findings) {
  if (!setup.gms_snapshots) {
    findings.Add(kGmsSnapshotsOn,
                 schema::Forbidden(path,
                                   "GMS + Snapshot is temporarily disabled; disable "
                                   "gpuMemoryService or enable the internal GMS + Snapshot gate"));
  }
}

}  // namespace hearth::admission::dynamo

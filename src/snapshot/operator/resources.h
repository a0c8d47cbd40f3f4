#pragma once

#include <string>

#include "controller/object_store.h"
#include "json/projection.h"
#include "kube/model/names.h"

// What the controllers of snapshots read of the cluster. The caches keep these fields and nothing
// else.
namespace hearth::snapshot {

const kube::ResourceType& PodSnapshots();
const kube::ResourceType& PodSnapshotContents();

using SnapshotFields = json::Projection<
    json::Field<"spec.source.podRef", json::View>, json::Field<"metadata.annotations", json::View>,
    json::Field<"metadata.finalizers", json::View>,
    json::Field<"metadata.creationTimestamp", json::View>, json::Field<"status", json::View>>;

using ContentFields = json::Projection<
    json::Field<"spec", json::View>, json::Field<"metadata.annotations", json::View>,
    json::Field<"metadata.labels", json::View>, json::Field<"metadata.finalizers", json::View>,
    json::Field<"metadata.creationTimestamp", json::View>,
    json::Field<"metadata.deletionTimestamp", json::View>, json::Field<"status", json::View>>;

// Of every pod of the cluster, so as little as can be.
using PodFields = json::Projection<json::Field<"spec.nodeName", std::string>>;

// That a node is there.
using NodeFields = json::Projection<json::Field<"metadata.name", std::string>>;

using LeaseFields = json::Projection<json::Field<"spec.holderIdentity", std::string>,
                                     json::Field<"spec.leaseDurationSeconds", int64_t>,
                                     json::Field<"spec.renewTime", std::string>>;

// The same without what changes all the time: agents that come and go.
using AgentFields = json::Projection<json::Field<"spec.holderIdentity", std::string>>;

// ---- Ways to look things up.
inline constexpr const char* kByPod = "pod";          // snapshots, by "namespace/pod"
inline constexpr const char* kByContent = "content";  // snapshots, by names their content may have
inline constexpr const char* kBySnapshot = "snapshot";  // contents, by "namespace/snapshot"
inline constexpr const char* kByNode = "node";  // contents, by the pod's node, and by kNodeLabel
inline constexpr const char* kLeaving = "leaving";      // contents that are being deleted, by ""
inline constexpr const char* kByArtifact = "artifact";  // contents, by ArtifactKey
inline constexpr const char* kByHolder = "holder";      // leases, by NodeLabelValue of their node

controller::Index SnapshotsByPod();
controller::Index SnapshotsByContent();
controller::Index ContentsBySnapshot();
controller::Index ContentsByNode();
controller::Index ContentsThatLeave();
controller::Index ContentsByArtifact();
controller::Index LeasesByHolder();

// Under what an artifact is stored; empty when it has no id.
std::string ArtifactKey(std::string_view id, std::string_view version);

// The content that the operator makes for a snapshot of this uid.
std::string ContentNameOf(std::string_view snapshot_uid);

}  // namespace hearth::snapshot

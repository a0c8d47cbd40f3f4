#include "snapshot/operator/resources.h"

#include <functional>

#include "snapshot/protocol/names.h"
#include "snapshot/protocol/node_names.h"

namespace hearth::snapshot {
namespace {

using controller::CachedObject;
using Emit = std::function<void(std::string_view value)>;

}  // namespace

const kube::ResourceType& PodSnapshots() {
  static const kube::ResourceType kType{"nvidia.com", "v1alpha1", "podsnapshots", "PodSnapshot",
                                        true};
  return kType;
}

const kube::ResourceType& PodSnapshotContents() {
  static const kube::ResourceType kType{"nvidia.com", "v1alpha1", "podsnapshotcontents",
                                        "PodSnapshotContent", false};
  return kType;
}

std::string ArtifactKey(std::string_view id, std::string_view version) {
  return id.empty() ? "" : std::string(id) + "/" + std::string(version);
}

std::string ContentNameOf(std::string_view snapshot_uid) {
  return std::string(kContentNamePrefix) + std::string(snapshot_uid);
}

controller::Index SnapshotsByPod() {
  return {kByPod, [](const CachedObject& snapshot, const Emit& emit) {
            const std::string pod =
                snapshot.view()["spec"]["source"]["podRef"]["name"].StringOr("");
            emit(kube::ObjectKey{std::string(snapshot.name_space()), pod}.ToString());
          }};
}

controller::Index SnapshotsByContent() {
  return {kByContent, [](const CachedObject& snapshot, const Emit& emit) {
            const std::string own = ContentNameOf(snapshot.uid());
            const std::string bound =
                snapshot.view()["status"]["boundSnapshotContentName"].StringOr("");
            emit(own);
            if (!bound.empty() && bound != own) {
              emit(bound);
            }
          }};
}

controller::Index ContentsBySnapshot() {
  return {
      kBySnapshot, [](const CachedObject& content, const Emit& emit) {
        const json::View reference = content.view()["spec"]["snapshotRef"];
        emit(kube::ObjectKey{reference["namespace"].StringOr(""), reference["name"].StringOr("")}
                 .ToString());
      }};
}

controller::Index ContentsByNode() {
  return {kByNode, [](const CachedObject& content, const Emit& emit) {
            const std::string source = content.view()["spec"]["source"]["nodeName"].StringOr("");
            const std::string label = content.view()["metadata"]["labels"][kNodeLabel].StringOr("");
            emit(source);
            if (!label.empty() && label != source) {
              emit(label);
            }
          }};
}

controller::Index ContentsThatLeave() {
  return {kLeaving, [](const CachedObject& content, const Emit& emit) {
            if (content.deleting()) {
              emit("");
            }
          }};
}

controller::Index ContentsByArtifact() {
  return {kByArtifact, [](const CachedObject& content, const Emit& emit) {
            const json::View artifact = content.view()["status"]["artifact"];
            const std::string key = ArtifactKey(artifact["checkpointID"].StringOr(""),
                                                artifact["version"].StringOr(""));
            if (!key.empty()) {
              emit(key);
            }
          }};
}

controller::Index LeasesByHolder() {
  return {kByHolder, [](const CachedObject& lease, const Emit& emit) {
            const std::string node = lease.view()["spec"]["holderIdentity"].StringOr("");
            if (!node.empty()) {
              emit(NodeLabelValue(node));
            }
          }};
}

}  // namespace hearth::snapshot

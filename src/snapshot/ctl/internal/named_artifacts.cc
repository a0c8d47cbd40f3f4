#include "snapshot/ctl/internal/named_artifacts.h"

#include <vector>

#include "kube/model/names.h"
#include "snapshot/ctl/internal/cluster.h"
#include "snapshot/protocol/names.h"

namespace hearth::snapshot::ctl {
namespace {

constexpr std::string_view kContentKind = "PodSnapshotContent";

// What holds an id: the label, wherever it is written, and fields of statuses (the content's
// artifact, a DynamoCheckpoint's checkpointID and what that was called before).
bool HoldsId(std::string_view member) {
  return member == kCheckpointIdLabel || member == "checkpointID" || member == "identityHash";
}

void AddIds(json::View view, std::set<std::string>& ids) {
  if (view.IsObject()) {
    for (const auto& member : view.members()) {
      if (member.value.IsString() && HoldsId(member.Name())) {
        ids.insert(std::string(member.value.StringOr("")));
      } else {
        AddIds(member.value, ids);
      }
    }
  } else if (view.IsArray()) {
    for (const json::View item : view.items()) {
      AddIds(item, ids);
    }
  }
}

const kube::ResourceType& Contents() {
  static const kube::ResourceType kType{"nvidia.com", "v1alpha1", "podsnapshotcontents",
                                        std::string(kContentKind), false};
  return kType;
}

const std::vector<kube::ResourceType>& OthersThatName() {
  static const std::vector<kube::ResourceType> kKinds = {
      PodSnapshots(),
      {"nvidia.com", "v1alpha1", "dynamocheckpoints", "DynamoCheckpoint", true},
      Jobs(),
      {"batch", "v1", "cronjobs", "CronJob", true},
      {"apps", "v1", "deployments", "Deployment", true},
      {"apps", "v1", "replicasets", "ReplicaSet", true},
      {"apps", "v1", "statefulsets", "StatefulSet", true},
      {"apps", "v1", "daemonsets", "DaemonSet", true},
      {"grove.io", "v1alpha1", "podcliquesets", "PodCliqueSet", true},
      {"grove.io", "v1alpha1", "podcliques", "PodClique", true},
      {"leaderworkerset.x-k8s.io", "v1", "leaderworkersets", "LeaderWorkerSet", true},
  };
  return kKinds;
}

}  // namespace

void AddNamed(std::string_view kind, const kube::Object& object, NamedArtifacts& named) {
  AddIds(object.view(), named.ids);
  if (kind == kContentKind) {
    named.contents.insert(object.meta().uid());
  }
}

Status FindNamed(kube::Client& client, const WaitLimit& limit, NamedArtifacts& named) {
  const auto add_all = [&](const kube::ResourceType& type, const kube::ListOptions& which) {
    return client.ListAll(type, "", limit, which, [&](const kube::Object& object) {
      AddNamed(type.kind, object, named);
      return Status::Ok();
    });
  };
  // A cluster without this kind has made none of the artifacts: it is not the one to ask.
  RETURN_IF_ERROR(
      add_all(Contents(), {}).WithContext("is it the cluster that these artifacts are of?"));
  // Of pods, which are many, only those that have the label.
  RETURN_IF_ERROR(
      add_all(kube::types::Pods(), {.label_selector = std::string(kCheckpointIdLabel)}));
  for (const kube::ResourceType& type : OthersThatName()) {
    const Status listed = add_all(type, {});
    if (!listed.ok() && !listed.Is(Code::kNotFound)) {
      return listed.WithContext("who names artifacts: " + type.kind);
    }
  }
  return Status::Ok();
}

}  // namespace hearth::snapshot::ctl

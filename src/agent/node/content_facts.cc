#include "agent/node/content_facts.h"

#include <tuple>

#include "controller/conditions.h"
#include "kube/model/object.h"
#include "snapshot/protocol/conditions.h"
#include "snapshot/protocol/names.h"

namespace hearth::agent::node {
namespace {

kube::ObjectKey PodOf(json::View content) {
  return {content["spec"]["snapshotRef"]["namespace"].StringOr(""),
          content["spec"]["source"]["podRef"]["name"].StringOr("")};
}

bool Before(const ContentFacts& a, const ContentFacts& b) {
  return std::tie(a.created, a.name) < std::tie(b.created, b.name);
}

}  // namespace

const kube::ResourceType& Contents() {
  static const kube::ResourceType type{"nvidia.com", "v1alpha1", "podsnapshotcontents",
                                       "PodSnapshotContent", false};
  return type;
}

ContentFacts ReadContent(json::View content) {
  const kube::Meta meta(content);
  const json::View source = content["spec"]["source"];
  ContentFacts facts;
  facts.name = meta.name();
  facts.uid = meta.uid();
  facts.resource_version = meta.resource_version();
  facts.generation = meta.generation();
  facts.deleting = meta.deleting();
  facts.created = content["metadata"]["creationTimestamp"].StringOr("");
  facts.artifact_wanted_gone = meta.HasFinalizer(snapshot::kArtifactFinalizer);
  facts.addressed_to = meta.label(snapshot::kNodeLabel).value_or("");
  facts.node = source["nodeName"].StringOr("");
  facts.snapshot = {content["spec"]["snapshotRef"]["namespace"].StringOr(""),
                    content["spec"]["snapshotRef"]["name"].StringOr("")};
  facts.pod_name = source["podRef"]["name"].StringOr("");
  facts.pod_uid = source["podRef"]["uid"].StringOr("");
  for (const json::View container : source["podRef"]["containers"].items()) {
    facts.containers.push_back(container.StringOr(""));
  }
  const json::View conditions = content["status"]["conditions"];
  facts.conditions = json::Value(conditions);
  facts.ready = controller::IsTrue(conditions, snapshot::kReadyCondition);
  facts.failed = controller::IsTrue(conditions, snapshot::kFailedCondition);
  facts.artifact_deleted = controller::IsTrue(conditions, snapshot::kArtifactDeletedCondition);
  facts.artifact_id = content["status"]["artifact"]["checkpointID"].StringOr("");
  facts.artifact_version = content["status"]["artifact"]["version"].StringOr("");
  return facts;
}

ContentFacts ReadContent(const controller::CachedObject& cached) {
  ContentFacts facts = ReadContent(cached.view());
  facts.name = cached.name();
  facts.uid = cached.uid();
  facts.resource_version = std::to_string(cached.resource_version());
  facts.generation = cached.generation();
  facts.deleting = cached.deleting();
  return facts;
}

controller::Index IndexByPod() {
  return {std::string(kByPod), [](const controller::CachedObject& object,
                                  const std::function<void(std::string_view value)>& emit) {
            const kube::ObjectKey pod = PodOf(object.view());
            if (!pod.name_space.empty() && !pod.name.empty()) {
              emit(pod.ToString());
            }
          }};
}

const ContentFacts* ChooseOrder(const std::vector<ContentFacts>& contents) {
  const ContentFacts* chosen = nullptr;
  for (const ContentFacts& content : contents) {
    if (content.terminal() || content.deleting) {
      continue;
    }
    if (chosen == nullptr || Before(content, *chosen)) {
      chosen = &content;
    }
  }
  return chosen;
}

}  // namespace hearth::agent::node

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controller/cached_object.h"
#include "controller/object_store.h"
#include "json/projection.h"
#include "json/value.h"
#include "json/view.h"
#include "kube/model/names.h"

namespace hearth::agent::node {

const kube::ResourceType& Contents();  // PodSnapshotContent

// What the cache keeps of contents.
using ContentFields =
    json::Projection<json::Field<"metadata.creationTimestamp", std::string>,
                     json::Field<"metadata.labels", json::View>,
                     json::Field<"metadata.finalizers", json::View>,
                     json::Field<"spec", json::View>, json::Field<"status", json::View>>;

// An order to capture, and how far it is.
struct ContentFacts {
  std::string name;
  std::string uid;
  std::string resource_version;
  int64_t generation = 0;
  std::string created;  // as the server writes it, which sorts by time
  bool deleting = false;
  bool artifact_wanted_gone = false;  // kArtifactFinalizer
  std::string node;                   // where the pod is
  std::string addressed_to;           // kNodeLabel: whose agent is asked
  kube::ObjectKey snapshot;
  std::string pod_name;
  std::string pod_uid;  // empty: any pod of the name
  std::vector<std::string> containers;
  bool ready = false;
  bool failed = false;
  bool artifact_deleted = false;
  std::string artifact_id;  // of status.artifact
  std::string artifact_version;
  json::Value conditions;  // as they are, to be changed one by one

  bool terminal() const { return ready || failed; }
  kube::ObjectKey pod() const { return {snapshot.name_space, pod_name}; }
};

ContentFacts ReadContent(json::View content);
ContentFacts ReadContent(const controller::CachedObject& cached);

// Contents by "<namespace>/<pod>"; those that do not name a pod are not in it.
inline constexpr std::string_view kByPod = "pod";
controller::Index IndexByPod();

// What to work on for a pod: the oldest that is neither ready, nor failed, nor being deleted; of
// the same age the first by name. Null: nothing.
const ContentFacts* ChooseOrder(const std::vector<ContentFacts>& contents);

}  // namespace hearth::agent::node

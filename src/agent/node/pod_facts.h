#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controller/cached_object.h"
#include "json/projection.h"
#include "json/view.h"
#include "kube/model/names.h"

namespace hearth::agent::node {

// What the caches keep of pods.
using PodFields = json::Projection<
    json::Field<"metadata.labels", json::View>, json::Field<"metadata.annotations", json::View>,
    json::Field<"spec.nodeName", std::string>, json::Field<"spec.containers[].name", std::string>,
    json::Field<"status.phase", std::string>, json::Field<"status.podIP", std::string>,
    json::Field<"status.podIPs", json::View>, json::Field<"status.containerStatuses", json::View>>;

// A container as the kubelet tells of it. What it tells may be seconds old.
struct ContainerFacts {
  std::string name;
  std::string id;  // without scheme; empty when not told yet
  bool running = false;
  bool waiting = false;  // to be started, perhaps again: `id` is that of the last one
  bool ready = false;
  std::optional<int64_t> exit_code;  // when it has ended
};

// All that decisions need of a pod.
struct PodFacts {
  kube::ObjectKey key;
  std::string uid;
  std::string node;
  std::string phase;
  std::vector<std::string> ips;  // none yet, one, or one of each family
  bool deleting = false;
  std::map<std::string, std::string, std::less<>> labels;
  std::map<std::string, std::string, std::less<>> annotations;
  std::vector<std::string> container_names;  // of the spec
  std::vector<ContainerFacts> containers;    // of the status

  std::string_view Label(std::string_view name) const;  // empty when not there
  std::string_view Annotation(std::string_view name) const;
  const ContainerFacts* Container(std::string_view name) const;  // null when not told of
  bool HasContainer(std::string_view name) const;                // in the spec
  bool over() const { return phase == "Succeeded" || phase == "Failed"; }
};

PodFacts ReadPod(json::View pod);  // as the server sends it
PodFacts ReadPod(const controller::CachedObject& cached);

}  // namespace hearth::agent::node

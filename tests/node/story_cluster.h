#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine_talk.h"
#include "example_driver.h"
#include "node_cluster.h"

namespace hearth::node {

// A pod of a component, as the API server has it.
class StoryPod {
 public:
  explicit StoryPod(kube::Object object) : object_(std::move(object)) {}

  std::string name() const { return object_.meta().name(); }
  std::string uid() const { return object_.meta().uid(); }
  std::string address() const { return object_["status"]["podIP"].StringOr(""); }
  bool deleting() const { return object_.meta().deleting(); }
  bool ready() const;
  std::string Label(std::string_view key) const { return object_.meta().label(key).value_or(""); }
  std::string Annotation(std::string_view key) const {
    return object_.meta().annotation(key).value_or("");
  }

  // Of the spec; null when there is none of that name.
  json::View Container(std::string_view name) const;
  // As containerd calls it; empty while it does not run.
  std::string ContainerId(std::string_view name) const;
  int64_t Restarts(std::string_view name) const;
  json::View view() const { return object_.view(); }

 private:
  json::View Status(std::string_view name) const;
  kube::Object object_;
};

// A cluster of one real node that has everything of ours, as it is deployed: operator with
// webhooks, agent with CRIU, a driver of simulated GPUs, the images of the stories, and storage for
// checkpoints, which is a directory of the node. Not thread-safe; start it from the main thread.
class StoryCluster {
 public:
  static constexpr const char* kEngineImage = "hearth.test/engine:1";
  static constexpr const char* kMoversImage = "hearth.test/movers:1";
  static constexpr const char* kDeviceClass = "gpu.nvidia.com";

  // kNotFound names what is not installed here.
  static Result<std::unique_ptr<StoryCluster>> Start();

  NodeCluster& kube() { return *cluster_; }
  // A new namespace, with a volume behind the claim for its checkpoints.
  Result<std::string> NewNamespace(const std::string& prefix);
  // What is in the storage of checkpoints.
  std::string StoragePath(const std::string& name) const { return storage_ + "/" + name; }

  Result<kube::Object> Get(const std::string& kind, const std::string& name_space,
                           const std::string& name);
  // Of the component, without those that are being deleted; by name.
  std::vector<StoryPod> Pods(const std::string& name_space, const std::string& component);

  EngineTalk Talk(const StoryPod& pod, uint16_t port) {
    return EngineTalk(loop_, pod.address(), port);
  }
  // Kills the processes of that name in the container, as the kernel would for want of memory. How
  // many there were.
  static int KillIn(const std::string& container_id, const std::string& process);

  // Everything that may explain a failure, for people.
  std::string Account(const std::string& name_space);

 private:
  StoryCluster() = default;

  std::unique_ptr<NodeCluster> cluster_;
  std::unique_ptr<ExampleDriver> driver_;
  std::string storage_;
  net::EventLoop loop_{"stories"};
};

}  // namespace hearth::node

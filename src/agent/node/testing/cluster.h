#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/node/content_facts.h"
#include "agent/node/pod_facts.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace hearth::agent::node {

// A container of a pod's status, in short.
struct TestContainer {
  std::string name = "main";
  std::string id = "c1";  // empty: not told yet
  bool ready = true;
  std::optional<int> exit_code = {};
};

// What callers, kubelets and operators would write, in few words. Every call must succeed, or the
// test fails.
class Cluster {
 public:
  Cluster(kube::Transport& transport, std::string name_space, std::string node = "node-1");

  // A pod on a node, with the label of a checkpoint. `change` may alter it before it is created.
  using Change = std::function<void(json::Value& pod)>;
  PodFacts CreateSource(const std::string& name, const std::string& checkpoint_id,
                        const Change& change = {});
  PodFacts CreateRestore(const std::string& name, const std::string& checkpoint_id,
                         const std::string& targets = "main", const Change& change = {});
  void Run(const std::string& pod, const std::vector<TestContainer>& containers,
           const std::string& phase = "Running");
  void SetPod(const std::string& pod, const json::Value& merge_patch);
  void DeletePod(const std::string& pod);  // at once
  PodFacts Pod(const std::string& pod);
  bool HasPod(const std::string& pod);

  // An order for a pod, as the operator makes it.
  ContentFacts CreateContent(const std::string& name, const PodFacts& pod,
                             const Change& change = {});
  void DeleteContent(const std::string& name);
  // Nothing when it is gone.
  std::optional<ContentFacts> Content(const std::string& name);
  void SetConditions(const std::string& content, json::Value conditions);

  bool AwaitContent(const std::string& name,
                    const std::function<bool(const ContentFacts&)>& condition);
  // The reason of Failed=True, empty until it is.
  std::string FailedReason(const std::string& content);
  bool AwaitFailed(const std::string& content, const std::string& reason);
  bool AwaitReady(const std::string& content);
  bool AwaitPod(const std::string& pod, const std::function<bool(const PodFacts&)>& condition);
  // "completed" for a target and its container.
  std::string RestoreStatus(const std::string& pod, const std::string& target);
  bool AwaitRestoreStatus(const std::string& pod, const std::string& target,
                          const std::string& status);
  bool AwaitSum(const std::string& pod, const std::string& word);
  // Reasons of the events about a pod.
  std::vector<std::string> Events(const std::string& pod);
  bool AwaitEvent(const std::string& pod, const std::string& reason);
  std::optional<kube::Object> Lease(const std::string& name_space, const std::string& name);
  void PutLease(const std::string& name_space, const std::string& name, const std::string& holder,
                int seconds);

  kube::Client& client() { return client_; }
  const std::string& name_space() const { return name_space_; }
  WaitLimit Limit() const;

 private:
  PodFacts Create(json::Value pod, const Change& change);

  json::Value NewPod(const std::string& name, const std::string& checkpoint_id) const;

  std::string name_space_;
  std::string node_;
  kube::Client client_;
};

// Asks until it holds, for at most half a minute.
bool Until(const std::function<bool()>& condition);

}  // namespace hearth::agent::node

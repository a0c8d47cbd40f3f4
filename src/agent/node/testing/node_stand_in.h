#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/node/node_work.h"

namespace hearth::agent::node {

// What is left of a node when its agent dies: the store, the containers and their files.
// Thread-safe.
class NodeState {
 public:
  using Stored = NodeWork::Stored;

  void Store(const std::string& id, const std::string& version, Stored stored);
  Stored Find(std::string_view id, std::string_view version) const;
  void Erase(std::string_view id, std::string_view version);
  // As the runtime knows it. Empty: it does not run.
  void Start(const PodContainer& which, const std::string& container_id);
  std::string Runs(const PodContainer& which) const;

  void MakeFile(std::string_view container_id, std::string_view name);
  void RemoveFile(std::string_view container_id, std::string_view name);
  bool HasFile(std::string_view container_id, std::string_view name) const;
  Status AwaitFile(std::string_view container_id, std::string_view name, const WaitLimit& limit);
  void Kill(std::string_view container_id);
  bool Killed(std::string_view container_id) const;
  // What is noted on a container; empty: nothing.
  void Note(std::string_view container_id, std::string note);
  std::string NoteOf(std::string_view container_id) const;
  // Somebody died in the middle of a capture.
  void CutOff(std::string_view content_uid, std::string_view container_id);
  bool WasCutOff(std::string_view content_uid, std::string_view container_id) const;

  // What really happened, in order: "capture lark/1 c1", "write c1 snapshot-complete", "kill c1".
  std::vector<std::string> History() const;
  void Happened(std::string what);
  // Waits until the thing is in the history so often; for ever, so only for what must come.
  void Await(const std::string& what, size_t times = 1) const;
  size_t Count(const std::string& what) const;

 private:
  size_t CountLocked(const std::string& what) const;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::map<std::pair<std::string, std::string>, Stored> store_;
  std::map<std::string, std::string> containers_;
  std::set<std::string> files_;
  std::set<std::string> killed_;
  std::map<std::string, std::string> notes_;
  std::set<std::string> cut_off_;  // contents and containers
  std::vector<std::string> history_;
};

// Does to a NodeState what an agent asks for, with outcomes that a test sets. Calls are known by
// the name of their function: "Capture". A capture has a middle, "amid Capture", in which the
// container is touched and nothing is stored. Thread-safe.
class NodeStandIn : public NodeWork {
 public:
  explicit NodeStandIn(NodeState& node) : node_(node) {}

  // The next `times` calls fail so and do nothing; for ever with -1.
  void Fail(const std::string& call, Status failure, int times = -1);
  // Calls wait, within their limit, until they are let go on; those that wait have done nothing
  // yet.
  void Block(const std::string& call);
  void Unblock(const std::string& call);
  int calls(const std::string& call) const;
  void AwaitCalls(const std::string& call, int count) const;
  // Asked before and after each call, as "before Capture" and "after Capture". Once it says no the
  // stand-in is dead: nothing it is asked has an effect.
  void OnStep(std::function<bool(const std::string& step)> may_live);
  void Die();

  CaptureDone capture_result{
      "digest-1", 1000, 400, false, {{"dump", std::chrono::milliseconds(5)}}};
  Status cleanup;                          // of restores
  std::optional<Duration> cold_start;      // of what they bring back
  std::vector<std::string> dropped_peers;  // by restores

  Result<Stored> Look(std::string_view checkpoint_id, std::string_view version) override;
  Result<CaptureDone> Capture(const CaptureTask& task, const WaitLimit& limit) override;
  bool WasCutOff(std::string_view content_uid, std::string_view container_id) override;
  Result<RestoreDone> Restore(const RestoreTask& task, const WaitLimit& limit) override;
  Status NoteRestored(std::string_view container_id, std::string_view checkpoint_id,
                      std::string_view version) override;
  bool IsNotedRestored(std::string_view container_id, std::string_view checkpoint_id,
                       std::string_view version) override;
  Status Remove(std::string_view checkpoint_id, std::string_view version,
                const WaitLimit& limit) override;
  Result<bool> RemoveWeights(std::string_view checkpoint_id, std::string_view version,
                             std::string_view pod_uid, const WaitLimit& limit) override;
  Result<std::string> FindContainer(const PodContainer& which, const WaitLimit& limit) override;
  Status WriteSentinel(std::string_view container_id, std::string_view name) override;
  Status RemoveSentinel(std::string_view container_id, std::string_view name) override;
  Status WaitForSentinel(std::string_view container_id, std::string_view directory,
                         std::string_view name, const WaitLimit& limit) override;
  Status Kill(std::string_view container_id) override;

  std::vector<CaptureTask> captures() const;
  std::vector<RestoreTask> restores() const;

 private:
  struct Plan {
    Status failure;
    int times = 0;
    bool blocked = false;
    int calls = 0;
  };
  // Counts, blocks, fails, dies: ok when the call is to have its effect.
  Status Enter(const std::string& call, const WaitLimit& limit);
  // Dies after the effect.
  Status Leave(const std::string& call);
  Status Step(const std::string& step);

  NodeState& node_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::map<std::string, Plan> plans_;
  std::function<bool(const std::string&)> may_live_;
  bool dead_ = false;
  std::vector<CaptureTask> captures_;
  std::vector<RestoreTask> restores_;
};

}  // namespace hearth::agent::node

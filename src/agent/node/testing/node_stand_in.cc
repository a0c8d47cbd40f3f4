#include "agent/node/testing/node_stand_in.h"

#include <gtest/gtest.h>

#include <chrono>
#include <utility>

#include "base/clock.h"
#include "base/stop_waker.h"

namespace hearth::agent::node {
namespace {

std::string Text(std::string_view a, std::string_view b, std::string_view c = "") {
  std::string text = std::string(a) + " " + std::string(b);
  return c.empty() ? text : text + " " + std::string(c);
}

Status Dead() { return UnavailableError("the agent is dead"); }

}  // namespace

void NodeStandIn::Fail(const std::string& call, Status failure, int times) {
  const std::lock_guard lock(mutex_);
  plans_[call].failure = std::move(failure);
  plans_[call].times = times;
}

void NodeStandIn::Block(const std::string& call) {
  const std::lock_guard lock(mutex_);
  plans_[call].blocked = true;
}

void NodeStandIn::Unblock(const std::string& call) {
  const std::lock_guard lock(mutex_);
  plans_[call].blocked = false;
  changed_.notify_all();
}

int NodeStandIn::calls(const std::string& call) const {
  const std::lock_guard lock(mutex_);
  const auto found = plans_.find(call);
  return found == plans_.end() ? 0 : found->second.calls;
}

void NodeStandIn::AwaitCalls(const std::string& call, int count) const {
  std::unique_lock lock(mutex_);
  EXPECT_TRUE(changed_.wait_for(lock, std::chrono::minutes(3),
                                [&] {
                                  const auto found = plans_.find(call);
                                  return found != plans_.end() && found->second.calls >= count;
                                }))
      << call << " was not asked for";
}

void NodeStandIn::OnStep(std::function<bool(const std::string& step)> may_live) {
  const std::lock_guard lock(mutex_);
  may_live_ = std::move(may_live);
}

void NodeStandIn::Die() {
  const std::lock_guard lock(mutex_);
  dead_ = true;
  changed_.notify_all();
}

Status NodeStandIn::Step(const std::string& step) {
  std::function<bool(const std::string&)> may_live;
  {
    const std::lock_guard lock(mutex_);
    if (dead_) {
      return Dead();
    }
    may_live = may_live_;
  }
  if (may_live && !may_live(step)) {
    Die();
    return Dead();
  }
  return {};
}

Status NodeStandIn::Enter(const std::string& call, const WaitLimit& limit) {
  RETURN_IF_ERROR(Step("before " + call));
  const StopWaker waker(limit.stop, mutex_, changed_);
  std::unique_lock lock(mutex_);
  Plan& plan = plans_[call];
  ++plan.calls;
  changed_.notify_all();
  while (plan.blocked && !dead_) {
    RETURN_IF_ERROR(limit.Check(RealClock(), call));
    RealClock().WaitUntil(lock, changed_, limit.deadline);
  }
  if (dead_) {
    return Dead();
  }
  if (plan.times != 0) {
    plan.times -= plan.times > 0 ? 1 : 0;
    return plan.failure;
  }
  return {};
}

Status NodeStandIn::Leave(const std::string& call) { return Step("after " + call); }

Result<NodeWork::Stored> NodeStandIn::Look(std::string_view checkpoint_id,
                                           std::string_view version) {
  RETURN_IF_ERROR(Enter("Look", WaitLimit::Forever()));
  return node_.Find(checkpoint_id, version);
}

Result<NodeWork::CaptureDone> NodeStandIn::Capture(const CaptureTask& task,
                                                   const WaitLimit& limit) {
  RETURN_IF_ERROR(Enter("Capture", limit));
  {
    const std::lock_guard lock(mutex_);
    captures_.push_back(task);
  }
  if (const Status lives = Step("amid Capture"); !lives.ok()) {
    node_.CutOff(task.content_uid, task.container_id);
    return lives;
  }
  node_.Store(task.checkpoint_id, task.artifact_version,
              {.present = true,
               .content_uid = task.content_uid,
               .pod_namespace = task.pod_namespace,
               .root_digest = capture_result.root_digest,
               .bytes = capture_result.bytes,
               .stored_bytes = capture_result.stored_bytes,
               .cold_start = capture_result.cold_start});
  node_.Happened(
      Text("capture", task.checkpoint_id + "/" + task.artifact_version, task.container_id));
  RETURN_IF_ERROR(Leave("Capture"));
  return capture_result;
}

bool NodeStandIn::WasCutOff(std::string_view content_uid, std::string_view container_id) {
  return node_.WasCutOff(content_uid, container_id);
}

Result<NodeWork::RestoreDone> NodeStandIn::Restore(const RestoreTask& task,
                                                   const WaitLimit& limit) {
  RETURN_IF_ERROR(Enter("Restore", limit));
  {
    const std::lock_guard lock(mutex_);
    restores_.push_back(task);
  }
  node_.Note(task.container_id, "");
  node_.Happened(
      Text("restore", task.checkpoint_id + "/" + task.artifact_version, task.container_id));
  RETURN_IF_ERROR(Leave("Restore"));
  return RestoreDone{.pid = 4711,
                     .root_digest = "digest-1",
                     .dropped_connections = dropped_peers.size(),
                     .dropped_peers = dropped_peers,
                     .phases = {{"criu", std::chrono::milliseconds(7)}},
                     .cleanup = cleanup,
                     .cold_start = cold_start};
}

Status NodeStandIn::NoteRestored(std::string_view container_id, std::string_view checkpoint_id,
                                 std::string_view version) {
  RETURN_IF_ERROR(Enter("NoteRestored", WaitLimit::Forever()));
  node_.Note(container_id, Text(checkpoint_id, version));
  return Leave("NoteRestored");
}

bool NodeStandIn::IsNotedRestored(std::string_view container_id, std::string_view checkpoint_id,
                                  std::string_view version) {
  return node_.NoteOf(container_id) == Text(checkpoint_id, version);
}

Status NodeStandIn::Remove(std::string_view checkpoint_id, std::string_view version,
                           const WaitLimit& limit) {
  RETURN_IF_ERROR(Enter("Remove", limit));
  node_.Erase(checkpoint_id, version);
  node_.Happened(Text("remove", std::string(checkpoint_id) + "/" + std::string(version)));
  return Leave("Remove");
}

Result<bool> NodeStandIn::RemoveWeights(std::string_view checkpoint_id, std::string_view version,
                                        std::string_view pod_uid, const WaitLimit& limit) {
  RETURN_IF_ERROR(Enter("RemoveWeights", limit));
  node_.Happened(
      Text("remove weights", std::string(checkpoint_id) + "/" + std::string(version), pod_uid));
  RETURN_IF_ERROR(Leave("RemoveWeights"));
  return true;
}

Result<std::string> NodeStandIn::FindContainer(const PodContainer& which, const WaitLimit& limit) {
  RETURN_IF_ERROR(Enter("FindContainer", limit));
  const std::string id = node_.Runs(which);
  return id.empty() ? Result<std::string>(NotFoundError("it does not run")) : id;
}

Status NodeStandIn::WriteSentinel(std::string_view container_id, std::string_view name) {
  RETURN_IF_ERROR(Enter("WriteSentinel", WaitLimit::Forever()));
  node_.MakeFile(container_id, name);
  node_.Happened(Text("write", container_id, name));
  return Leave("WriteSentinel");
}

Status NodeStandIn::RemoveSentinel(std::string_view container_id, std::string_view name) {
  RETURN_IF_ERROR(Enter("RemoveSentinel", WaitLimit::Forever()));
  node_.RemoveFile(container_id, name);
  return Leave("RemoveSentinel");
}

Status NodeStandIn::WaitForSentinel(std::string_view container_id, std::string_view directory,
                                    std::string_view name, const WaitLimit& limit) {
  RETURN_IF_ERROR(Enter("WaitForSentinel", limit));
  const std::string place =
      directory.empty() ? std::string(name) : std::string(directory) + "/" + std::string(name);
  return node_.AwaitFile(container_id, place, limit);
}

Status NodeStandIn::Kill(std::string_view container_id) {
  RETURN_IF_ERROR(Enter("Kill", WaitLimit::Forever()));
  node_.Kill(container_id);
  node_.Happened(Text("kill", container_id));
  return Leave("Kill");
}

std::vector<NodeWork::CaptureTask> NodeStandIn::captures() const {
  const std::lock_guard lock(mutex_);
  return captures_;
}

std::vector<NodeWork::RestoreTask> NodeStandIn::restores() const {
  const std::lock_guard lock(mutex_);
  return restores_;
}

}  // namespace hearth::agent::node

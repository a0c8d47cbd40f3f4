#include "dynamo/operator/checkpoint_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "controller/conditions.h"
#include "controller/testing/memory_api.h"
#include "json/parse.h"
#include "kube/client/transport.h"
#include "kube/model/object.h"
#include "pods/lists.h"

namespace hearth::dynamo {
namespace {

using json::Value;
using testing::HasSubstr;

// The controller over an API server in memory; the test plays Job controller, kubelet and agent.
class Rig {
 public:
  explicit Rig(CheckpointOptions options = Configured()) : options_(std::move(options)) {
    transport_ = kube::MakeHandlerTransport(loop_, api_.Handler());
    api_.Put(kube::types::Namespaces(), kube::NewObject(kube::types::Namespaces(), {"", "ns"}));
  }
  ~Rig() { Stop(); }

  static CheckpointOptions Configured() {
    return {
        .storage = {
            .pvc_name = "warm-disk", .base_path = "/checkpoints", .create = true, .size = "1Gi"}};
  }

  void Start() {
    manager_ = controller::Manager::CreateWith({.name = "operator"}, *transport_, Logger::Null());
    reconciler_ = std::make_unique<CheckpointReconciler>(*manager_, options_);
    stop_ = std::stop_source();
    thread_ = std::thread([this] { EXPECT_TRUE(manager_->Run(stop_.get_token()).ok()); });
  }

  void Stop() {
    stop_.request_stop();
    if (thread_.joinable()) {
      thread_.join();
    }
    manager_.reset();
    reconciler_.reset();
  }

  // With an id of its own.
  void PutCheckpoint(const std::string& name, const std::string& id = "abc",
                     const std::string& version = "1") {
    Value object = kube::NewObject(Checkpoints(), {"ns", name});
    if (const auto there = Checkpoint(name)) {
      object = *there;
    }
    pods::SetLabel(object, "nvidia.com/snapshot-checkpoint-id", id);
    pods::SetAnnotation(object, "nvidia.com/snapshot-artifact-version", version);
    object.MakePath("spec.identity") =
        Value::Object({{"model", "m"}, {"backendFramework", "vllm"}});
    object.MakePath("spec.job.podTemplateSpec.spec.containers") =
        Value::Array({Value::Object({{"name", "main"}, {"image", "i"}})});
    api_.Put(Checkpoints(), std::move(object));
  }

  std::optional<Value> Checkpoint(const std::string& name = "warm") const {
    return api_.Find(Checkpoints(), {"ns", name});
  }
  std::string Field(const std::string& path, const std::string& name = "warm") const {
    const auto object = Checkpoint(name);
    const Value* const found = object ? object->FindPath(path) : nullptr;
    return found == nullptr ? "" : found->StringOr("");
  }
  void AwaitPhase(const std::string& phase, const std::string& name = "warm") const {
    Await([&] { return Field("status.phase", name) == phase; });
  }
  std::optional<Value> Job(const std::string& name = "checkpoint-job-abc-1") const {
    return api_.Find(Jobs(), {"ns", name});
  }
  std::optional<Value> Snapshot(const std::string& name = "warm") const {
    return api_.Find(PodSnapshots(), {"ns", name});
  }

  void FinishJob(const std::string& how, const std::string& name = "checkpoint-job-abc-1") {
    Value job = *Job(name);
    job.MakePath("status.conditions") = Value::Array({Value::Object(
        {{"type", how}, {"status", "True"}, {"reason", "R"}, {"message", "told by the test"}})});
    api_.Put(Jobs(), std::move(job));
  }
  void PutSourcePod(const std::string& node, const std::string& job = "checkpoint-job-abc-1") {
    Value pod = kube::NewObject(kube::types::Pods(), {"ns", job + "-pod"});
    if (const auto there = api_.Find(kube::types::Pods(), {"ns", job + "-pod"})) {
      pod = *there;
    }
    pods::SetLabel(pod, "nvidia.com/snapshot-is-checkpoint-source", "true");
    pods::SetLabel(pod, "nvidia.com/snapshot-owner", "warm");
    const kube::OwnerReference owner{.api_version = "batch/v1",
                                     .kind = "Job",
                                     .name = job,
                                     .uid = Job(job)->FindPath("metadata.uid")->string(),
                                     .controller = true};
    pod["metadata"].Set("ownerReferences", Value::Array({owner.ToValue()}));
    pod["spec"] = node.empty() ? Value::Object() : Value::Object({{"nodeName", node}});
    api_.Put(kube::types::Pods(), std::move(pod));
  }
  void SetSnapshot(const std::string& type, const std::string& name = "warm") {
    Value snapshot = *Snapshot(name);
    snapshot.MakePath("status.boundSnapshotContentName") = "content";
    snapshot.MakePath("status.conditions") = Value::Array({Value::Object(
        {{"type", type}, {"status", "True"}, {"reason", "R"}, {"message", "the agent says so"}})});
    api_.Put(PodSnapshots(), std::move(snapshot));
  }
  void Capture(const std::string& job = "checkpoint-job-abc-1",
               const std::string& snapshot = "warm") {
    Await([&] { return Job(job).has_value(); });
    PutSourcePod("node-a", job);
    Await([&] { return Snapshot(snapshot).has_value(); });
    SetSnapshot("Ready", snapshot);
    FinishJob("Complete", job);
  }

  static void Await(const std::function<bool()>& condition) {
    while (!condition()) {
      std::this_thread::yield();
    }
  }
  bool HasEvent(const std::string& reason) const {
    for (const Value& event : api_.All(kube::types::Events())) {
      if (pods::Text(event, "reason") == reason) {
        return true;
      }
    }
    return false;
  }
  std::string ConditionOf(const std::string& type, const std::string& name = "warm") const {
    const auto object = Checkpoint(name);
    const json::Blob blob = object->ToBlob();
    const auto found = controller::FindCondition(blob["status"]["conditions"], type);
    return found ? found->status + " " + found->reason : "";
  }
  // Requests that change something, but events.
  size_t Writes() const {
    size_t count = 0;
    for (const std::string& request : api_.requests()) {
      count += !request.starts_with("GET") && !request.starts_with("WATCH") &&
                       request.find("/events") == std::string::npos
                   ? 1
                   : 0;
    }
    return count;
  }

  controller::MemoryApi& api() { return api_; }

 private:
  CheckpointOptions options_;
  controller::MemoryApi api_;
  net::EventLoop loop_{"rig"};
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<controller::Manager> manager_;
  std::unique_ptr<CheckpointReconciler> reconciler_;
  std::stop_source stop_;
  std::thread thread_;
};

// K1, K10, K11, S9: the whole way, and nothing is written afterwards.
TEST(CheckpointReconciler, FromTheWishToReady) {
  Rig rig;
  rig.PutCheckpoint("warm");
  rig.Start();
  rig.AwaitPhase("Creating");
  EXPECT_EQ(rig.Field("status.checkpointID"), "abc");
  EXPECT_EQ(rig.Field("status.jobName"), "checkpoint-job-abc-1");
  EXPECT_EQ(rig.ConditionOf("JobCreated"), "True JobCreated");
  EXPECT_TRUE(rig.api().Find(VolumeClaims(), {"ns", "warm-disk"}).has_value());
  rig.PutSourcePod("");
  rig.PutSourcePod("node-a");
  Rig::Await([&] { return rig.Snapshot().has_value(); });
  const Value snapshot = *rig.Snapshot();
  EXPECT_EQ(pods::Label(snapshot, "nvidia.com/snapshot-owner"), "warm");
  EXPECT_EQ(pods::Label(snapshot, "nvidia.com/snapshot-checkpoint-id"), "abc");
  EXPECT_EQ(snapshot.FindPath("spec.source.podRef.name")->string(), "checkpoint-job-abc-1-pod");
  Rig::Await([&] { return rig.Field("status.podSnapshotName") == "warm"; });
  rig.SetSnapshot("Ready");
  rig.FinishJob("Complete");
  rig.AwaitPhase("Ready");
  EXPECT_EQ(rig.ConditionOf("JobCompleted"), "True PodSnapshotAndJobReady");
  Rig::Await([&] { return rig.HasEvent("CheckpointReady") && !rig.Job().has_value(); });
  const size_t settled = rig.Writes();
  rig.Stop();
  rig.Start();
  rig.PutCheckpoint("probe", "other");
  rig.AwaitPhase("Creating", "probe");
  size_t of_warm = 0;
  const auto requests = rig.api().requests();
  for (const std::string& request : requests) {
    of_warm += request.find("PATCH") == 0 && request.find("/warm") != std::string::npos ? 1 : 0;
  }
  EXPECT_GE(rig.Writes(), settled);
  EXPECT_LE(of_warm, 5U);  // id, creating, snapshot's name, ready
}

// W6
TEST(CheckpointReconciler, ACaptureIsNotEnoughWhileTheJobRuns) {
  Rig rig;
  rig.PutCheckpoint("warm");
  rig.Start();
  Rig::Await([&] { return rig.Job().has_value(); });
  rig.PutSourcePod("node-a");
  Rig::Await([&] { return rig.Snapshot().has_value(); });
  rig.SetSnapshot("Ready");
  rig.FinishJob("Failed");
  rig.AwaitPhase("Failed");
  EXPECT_EQ(rig.ConditionOf("JobCompleted"), "False JobFailed");
  EXPECT_THAT(rig.Field("status.message"), HasSubstr("told by the test"));
  Rig::Await([&] { return rig.HasEvent("CheckpointFailed"); });
}

// K11
TEST(CheckpointReconciler, AFailedCaptureFailsTheCheckpoint) {
  Rig rig;
  rig.PutCheckpoint("warm");
  rig.Start();
  Rig::Await([&] { return rig.Job().has_value(); });
  rig.PutSourcePod("node-a");
  Rig::Await([&] { return rig.Snapshot().has_value(); });
  rig.SetSnapshot("Failed");
  rig.AwaitPhase("Failed");
  EXPECT_EQ(rig.Field("status.message"), "the agent says so");
}

// W4, K7
TEST(CheckpointReconciler, AnotherVersionIsCapturedAnew) {
  Rig rig;
  rig.PutCheckpoint("warm");
  rig.Start();
  rig.Capture();
  rig.AwaitPhase("Ready");
  rig.PutCheckpoint("warm", "abc", "2");
  rig.Capture("checkpoint-job-abc-2", "warm-v2");
  Rig::Await([&] {
    return rig.Field("status.phase") == "Ready" &&
           rig.Field("status.jobName") == "checkpoint-job-abc-2" && !rig.Snapshot("warm");
  });
}

// W5
TEST(CheckpointReconciler, OnlyTheYoungerOfTwoFailsForItsId) {
  Rig rig;
  rig.PutCheckpoint("warm");
  rig.Start();
  rig.Capture();
  rig.AwaitPhase("Ready");
  rig.PutCheckpoint("again");
  rig.AwaitPhase("Failed", "again");
  EXPECT_EQ(rig.Field("status.message", "again"), "checkpoint ID abc is already owned by warm");
  EXPECT_EQ(rig.Field("status.phase"), "Ready");
}

// S7
TEST(CheckpointReconciler, WithoutStorageNothingIsMadeAndSomebodyIsTold) {
  CheckpointOptions options;
  options.storage = {.pvc_name = "warm-disk", .base_path = "/checkpoints"};
  Rig rig(options);
  rig.PutCheckpoint("warm");
  rig.Start();
  Rig::Await([&] { return rig.HasEvent("JobNotCreated"); });
  EXPECT_FALSE(rig.Job().has_value());
  // It heals by itself.
  rig.api().Put(VolumeClaims(), kube::NewObject(VolumeClaims(), {"ns", "warm-disk"}));
  rig.AwaitPhase("Creating");
}

// The operator dies between the Job and the status.
TEST(CheckpointReconciler, AJobThatWasNotWrittenDownIsTakenUp) {
  Rig rig;
  rig.PutCheckpoint("warm");
  rig.api().Intercept([&](const http::Request& request) -> std::optional<http::Response> {
    const bool status = request.target.find("/warm/status") != std::string::npos;
    return status && rig.Job().has_value()
               ? std::optional(http::Response{.status = 500, .headers = {}, .body = "{}"})
               : std::nullopt;
  });
  rig.Start();
  Rig::Await([&] { return rig.Job().has_value(); });
  rig.Stop();
  EXPECT_EQ(rig.Field("status.phase"), "Pending");
  rig.api().Intercept({});
  rig.Start();
  rig.AwaitPhase("Creating");
  EXPECT_EQ(rig.api().All(Jobs()).size(), 1U);
}

// W11
TEST(CheckpointReconciler, SwitchedOffItWaitsAndSaysSo) {
  CheckpointOptions options = Rig::Configured();
  options.enabled = false;
  Rig rig(options);
  rig.PutCheckpoint("warm");
  rig.Start();
  Rig::Await([&] { return rig.HasEvent("CheckpointDisabled"); });
  EXPECT_EQ(rig.Field("status.phase"), "Pending");
  EXPECT_FALSE(rig.Job().has_value());
}

void PutAutomatic(Rig& rig) {
  rig.PutCheckpoint("warm");
  Value object = *rig.Checkpoint();
  pods::SetAnnotation(object, "nvidia.com/dynamo-auto-checkpoint", "true");
  rig.api().Put(Checkpoints(), std::move(object));
}

// K8, A108, with those below: the Job that cleans up.
TEST(CheckpointReconciler, ArtifactsGoBeforeTheCheckpoint) {
  Rig rig;
  PutAutomatic(rig);
  rig.Start();
  rig.Capture();
  rig.AwaitPhase("Ready");
  rig.api().Remove(Checkpoints(), {"ns", "warm"});
  Rig::Await([&] { return rig.Job("checkpoint-cleanup-abc").has_value(); });
  EXPECT_TRUE(rig.Checkpoint().has_value());
  rig.FinishJob("Complete", "checkpoint-cleanup-abc");
  Rig::Await([&] { return !rig.Checkpoint().has_value(); });
}

// K8, W9
TEST(CheckpointReconciler, WhatCannotBeRemovedHoldsNobodyForEver) {
  Rig rig;
  PutAutomatic(rig);
  rig.Start();
  rig.Capture();
  rig.AwaitPhase("Ready");
  rig.api().Remove(Checkpoints(), {"ns", "warm"});
  for (int i = 0; i < 3; ++i) {
    Rig::Await([&] {
      const auto job = rig.Job("checkpoint-cleanup-abc");
      return (job && job->FindPath("status.conditions") == nullptr) || !rig.Checkpoint();
    });
    if (rig.Checkpoint()) {
      rig.FinishJob("Failed", "checkpoint-cleanup-abc");
    }
  }
  Rig::Await([&] { return !rig.Checkpoint().has_value() && rig.HasEvent("ArtifactsLeftBehind"); });
}

// W9
TEST(CheckpointReconciler, ANamespaceThatEndsIsNotHeld) {
  Rig rig;
  PutAutomatic(rig);
  rig.Start();
  rig.Capture();
  rig.AwaitPhase("Ready");
  Value name_space = *rig.api().Find(kube::types::Namespaces(), {"", "ns"});
  name_space["metadata"].Set("deletionTimestamp", "2026-01-01T00:00:00Z");
  name_space["metadata"].Set("finalizers", Value::Array({"kubernetes"}));
  rig.api().Put(kube::types::Namespaces(), std::move(name_space));
  rig.api().Remove(Checkpoints(), {"ns", "warm"});
  Rig::Await([&] { return !rig.Checkpoint().has_value(); });
  EXPECT_FALSE(rig.Job("checkpoint-cleanup-abc").has_value());
}

}  // namespace
}  // namespace hearth::dynamo

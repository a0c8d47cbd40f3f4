// The decisions by themselves: facts in, one action out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/node/agent.h"
#include "agent/node/capture_decision.h"
#include "agent/node/content_facts.h"
#include "agent/node/gate_decision.h"
#include "agent/node/gms_barrier.h"
#include "agent/node/restore_decision.h"
#include "base/testing/status_matchers.h"
#include "controller/testing/pruned.h"
#include "snapshot/protocol/names.h"

namespace hearth::agent::node {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

PodFacts Source() {
  PodFacts pod;
  pod.key = {"ns", "source"};
  pod.uid = "pod-uid";
  pod.node = "node-1";
  pod.phase = "Running";
  pod.ips = {"10.0.0.1"};
  pod.labels[std::string(snapshot::kCheckpointIdLabel)] = "lark";
  pod.container_names = {"main"};
  pod.containers = {{"main", "c1", true, false, true, std::nullopt}};
  return pod;
}

ContentFacts Order(const std::string& name = "content") {
  ContentFacts content;
  content.name = name;
  content.uid = "uid-" + name;
  content.node = "node-1";
  content.snapshot = {"ns", "snapshot"};
  content.pod_name = "source";
  content.pod_uid = "pod-uid";
  content.containers = {"main"};
  content.created = "2026-01-01T00:00:00Z";
  return content;
}

CaptureDecision Decide(const ContentFacts& content, const PodFacts& pod,
                       const NodeWork::Stored& stored = {}, bool in_flight = false,
                       bool said_ready = false) {
  const auto aim = FindAim(content, pod);
  return DecideCapture({content, pod, "node-1", aim, stored, in_flight, said_ready});
}

// A67: the oldest that is open, by name when they are of one age.
TEST(ChooseOrder, TakesTheOldestThatIsOpen) {
  ContentFacts old = Order("b");
  ContentFacts older = Order("c");
  older.created = "2025-01-01T00:00:00Z";
  EXPECT_EQ(ChooseOrder({old, older})->name, "c");
  older.failed = true;
  EXPECT_EQ(ChooseOrder({old, older, Order("a")})->name, "a");
  old.ready = true;
  EXPECT_EQ(ChooseOrder({old, older}), nullptr);
  ContentFacts going = Order("going");
  going.deleting = true;
  EXPECT_EQ(ChooseOrder({going}), nullptr);
  EXPECT_EQ(ChooseOrder({}), nullptr);
}

// A67: keys of the index.
TEST(IndexByPod, NamesThePodOfAnOrder) {
  const auto keys = [](std::string_view text) {
    std::vector<std::string> found;
    IndexByPod().values(*controller::MakeCached(text),
                        [&](std::string_view value) { found.emplace_back(value); });
    return found;
  };
  EXPECT_THAT(
      keys(R"({"metadata":{"name":"c","uid":"u","resourceVersion":"1"},"spec":{"snapshotRef":)"
           R"({"namespace":"ns","name":"s"},"source":{"podRef":{"name":"p"}}}})"),
      ElementsAre("ns/p"));
  EXPECT_THAT(keys(R"({"metadata":{"name":"c","uid":"u","resourceVersion":"1"},"spec":{}})"),
              ElementsAre());
  EXPECT_THAT(keys(R"({"metadata":{"name":"c","uid":"u","resourceVersion":"1"},"spec":{)"
                   R"("snapshotRef":{"namespace":"ns"},"source":{"podRef":{"name":7}}}})"),
              ElementsAre());
}

// A49, W12: only what is this node's is watched, also when its name is too long for a label.
TEST(Scopes, SelectWhatIsOfThisNode) {
  AgentOptions options;
  options.node = "gpu-7";
  EXPECT_EQ(RestoreScope(options).label_selector,
            "nvidia.com/snapshot-checkpoint-id,!nvidia.com/snapshot-is-checkpoint-source");
  EXPECT_EQ(RestoreScope(options).field_selector, "spec.nodeName=gpu-7");
  EXPECT_EQ(SourceScope(options).label_selector, "nvidia.com/snapshot-capture-eligible=true");
  EXPECT_EQ(SourceScope(options).field_selector, "spec.nodeName=gpu-7");
  EXPECT_EQ(ContentScope(options).label_selector, "nvidia.com/snapshot-node=gpu-7");
  options.node = std::string(120, 'n');
  EXPECT_LE(ContentScope(options).label_selector.size(),
            std::string("nvidia.com/snapshot-node=").size() + 63);
  options.only_namespace = "team";
  EXPECT_EQ(RestoreScope(options).name_space, "team");
}

TEST(DecideGate, LeavesWhatIsNotItsOwnOrSettled) {
  const PodFacts pod = Source();
  ContentFacts content = Order();
  EXPECT_EQ(DecideGate(content, &pod, "node-1").action, GateDecision::Action::kMarkEligible);
  EXPECT_EQ(DecideGate(content, &pod, "node-2").action, GateDecision::Action::kNothing);
  content.ready = true;
  EXPECT_EQ(DecideGate(content, nullptr, "node-1").action, GateDecision::Action::kNothing);
  content = Order();
  content.pod_uid = "";
  EXPECT_EQ(DecideGate(content, &pod, "node-1").action, GateDecision::Action::kMarkEligible)
      << "any pod of the name";
}

TEST(DecideCapture, TheUsualWay) {
  const CaptureDecision decision = Decide(Order(), Source());
  EXPECT_EQ(decision.action, CaptureDecision::Action::kCapture);
  EXPECT_EQ(decision.container_id, "c1");
  EXPECT_EQ(Decide(Order(), Source(), {}, true).action, CaptureDecision::Action::kNothing);
}

TEST(DecideCapture, ReadyByItsOwnWordOrTheKubelets) {
  PodFacts pod = Source();
  pod.containers[0].ready = false;
  EXPECT_EQ(Decide(Order(), pod).action, CaptureDecision::Action::kAwaitReady);
  EXPECT_EQ(Decide(Order(), pod, {}, false, true).action, CaptureDecision::Action::kCapture);
  pod.phase = "Pending";
  EXPECT_EQ(Decide(Order(), pod, {}, false, true).action, CaptureDecision::Action::kAwaitReady);
}

// What is complete counts, whatever became of the pod since.
TEST(DecideCapture, AnArtifactOfTheOrderBeatsEverything) {
  PodFacts pod = Source();
  pod.phase = "Failed";
  pod.containers[0] = {"main", "c1", false, false, false, 137};
  const CaptureDecision decision = Decide(Order(), pod, {true, "uid-content", "ns", "d", 1});
  EXPECT_EQ(decision.action, CaptureDecision::Action::kFinish);
  EXPECT_EQ(decision.container_id, "") << "there is nobody to release";
}

// W6: what another program stored does not say whose order it was. Only the pod can.
TEST(DecideCapture, AnArtifactOfNobodyIsNotTaken) {
  NodeWork::Stored stored{true, "", "ns", "d", 1};
  EXPECT_EQ(Decide(Order(), Source(), stored).reason, "ArtifactConflict");
  stored.pod_uid = "uid-of-another";
  EXPECT_EQ(Decide(Order(), Source(), stored).reason, "ArtifactConflict");
  ContentFacts order = Order();
  order.pod_uid = Source().uid;
  stored.pod_uid = order.pod_uid;
  EXPECT_EQ(Decide(order, Source(), stored).action, CaptureDecision::Action::kFinish);
  stored.pod_namespace = "other";
  EXPECT_EQ(Decide(order, Source(), stored).reason, "ArtifactConflict");
  EXPECT_THAT(Decide(order, Source(), stored).message, testing::HasSubstr("another namespace"));
  order.pod_uid = "";
  stored = {true, "", "ns", "d", 1};
  EXPECT_EQ(Decide(order, Source(), stored).reason, "ArtifactConflict") << "neither knows a pod";
}

// Ids are the store's, not a namespace's: whoever comes second must choose another.
TEST(DecideCapture, AnIdOfAnotherNamespaceIsRefusedAndSaidToBe) {
  const CaptureDecision foreign =
      Decide(Order(), Source(), {true, "uid-other", "their-namespace", "d", 1});
  EXPECT_EQ(foreign.reason, "ArtifactConflict");
  EXPECT_THAT(foreign.message, testing::HasSubstr("another namespace"));
  EXPECT_THAT(foreign.message, testing::Not(testing::HasSubstr("their-namespace")));
  EXPECT_THAT(foreign.message, testing::Not(testing::HasSubstr("delete")));
  const CaptureDecision own = Decide(Order(), Source(), {true, "uid-other", "ns", "d", 1});
  EXPECT_EQ(own.reason, "ArtifactConflict");
  EXPECT_THAT(own.message, testing::HasSubstr("delete that one"));
}

// Nobody knows the state of what a killed agent was capturing: it is no snapshot's source any more.
TEST(DecideCapture, WhatWasCutOffIsNotCapturedAgain) {
  const Result<CaptureAim> aim = CaptureAim{"lark", "1", "main"};
  const ContentFacts content = Order();
  const PodFacts pod = Source();
  CaptureQuestion question{content, pod, "node-1", aim, {}, false, false, true, true};
  CaptureDecision decision = DecideCapture(question);
  EXPECT_EQ(decision.reason, "CaptureInterrupted");
  EXPECT_THAT(decision.kill, testing::ElementsAre("c1"));
  // A container that was started since is nobody's victim.
  question.target_cut_off = false;
  decision = DecideCapture(question);
  EXPECT_EQ(decision.reason, "CaptureInterrupted");
  EXPECT_THAT(decision.kill, testing::IsEmpty());
  // It had stored all of it when it was killed.
  question.stored = {true, "uid-content", "ns", "d", 1};
  EXPECT_EQ(DecideCapture(question).action, CaptureDecision::Action::kFinish);
}

TEST(DecideCapture, ContainersAndIdsThatAreMissing) {
  PodFacts pod = Source();
  pod.containers[0].id = "";
  pod.containers[0].running = false;
  EXPECT_EQ(Decide(Order(), pod).reason, "ContainerNotResolved");
  pod = Source();
  pod.annotations[std::string(snapshot::kVersionAnnotation)] = "a/b";
  EXPECT_EQ(Decide(Order(), pod).reason, "InvalidDestination");
  // Orders of older operators name their container by the pod's annotation.
  ContentFacts old = Order();
  old.containers.clear();
  EXPECT_EQ(Decide(old, Source()).reason, "InvalidTargetContainer");
  pod = Source();
  pod.annotations[std::string(snapshot::kTargetsAnnotation)] = "main";
  EXPECT_EQ(Decide(old, pod).action, CaptureDecision::Action::kCapture);
}

TEST(FindReleasable, OnlyAReadyOrderOfThisPod) {
  ContentFacts content = Order();
  EXPECT_FALSE(FindReleasable(content, Source()));
  content.ready = true;
  EXPECT_EQ(FindReleasable(content, Source()), "c1");
  content.failed = true;
  EXPECT_FALSE(FindReleasable(content, Source()));
  content.failed = false;
  PodFacts ended = Source();
  ended.containers[0].running = false;
  EXPECT_FALSE(FindReleasable(content, ended));
}

TEST(FindGmsBarrier, FollowsTheAnnotations) {
  PodFacts pod = Source();
  EXPECT_FALSE(FindGmsBarrier(pod, "gms-save-complete")->has_value());
  pod.annotations[std::string(snapshot::kGmsDirectoryAnnotation)] = "/checkpoints/gms";
  EXPECT_EQ((*FindGmsBarrier(pod, "gms-save-complete"))->file, "gms-save-complete-pod-uid");
  pod.annotations[std::string(snapshot::kGmsCompletionModeAnnotation)] = "shared";
  EXPECT_EQ((*FindGmsBarrier(pod, "gms-load-complete"))->file, "gms-load-complete");
  pod.annotations[std::string(snapshot::kGmsCompletionModeAnnotation)] = "private";
  EXPECT_CODE(Code::kInvalid, FindGmsBarrier(pod, "x"));
  pod.annotations[std::string(snapshot::kGmsCompletionModeAnnotation)] = "shared";
  for (const char* path : {"relative", "/a/../b"}) {
    pod.annotations[std::string(snapshot::kGmsDirectoryAnnotation)] = path;
    EXPECT_TRUE(FindGmsBarrier(pod, "x").status().Is(Code::kInvalid)) << path;
  }
}

TEST(DecideRestore, AContainerThatEndedIsNotRestoredInto) {
  PodFacts pod = Source();
  const RestoreAim aim{"lark", "1", {"main"}};
  const NodeWork::Stored stored{true, "u", "ns", "d", 1};
  const auto decide = [&](std::string_view resolved) {
    return DecideRestore({pod, aim, "main", resolved, stored, false, true, false}).action;
  };
  EXPECT_EQ(decide(""), RestoreDecision::Action::kStart);
  pod.containers[0] = {"main", "c1", false, false, false, 1};
  EXPECT_EQ(decide(""), RestoreDecision::Action::kNothing);
  EXPECT_EQ(decide("c0"), RestoreDecision::Action::kNothing)
      << "what the runtime said once is older than what the kubelet says";
  pod.containers.clear();
  EXPECT_EQ(decide(""), RestoreDecision::Action::kResolve);
  EXPECT_EQ(decide("c2"), RestoreDecision::Action::kStart);
}

TEST(SumUp, OneWordForAll) {
  EXPECT_EQ(SumUp({"completed", "failed", "in_progress"}), "failed");
  EXPECT_EQ(SumUp({"completed", "completed"}), "completed");
  EXPECT_EQ(SumUp({"completed", "waiting"}), "in_progress");
  EXPECT_EQ(SumUp({"in_progress"}), "in_progress");
  EXPECT_EQ(SumUp({"waiting", "waiting"}), "waiting");
}

}  // namespace
}  // namespace hearth::agent::node

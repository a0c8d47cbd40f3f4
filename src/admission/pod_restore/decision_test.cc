#include "admission/pod_restore/decision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "admission/pod_restore/contract.h"
#include "admission/pod_restore/restore_pod.h"
#include "base/testing/status_matchers.h"
#include "json/yaml.h"
#include "snapshot/protocol/names.h"

namespace hearth::admission::pod_restore {
namespace {

using json::Value;
using snapshot::kCheckpointIdLabel;
using snapshot::kSourceLabel;
using snapshot::kTargetsAnnotation;
using testing::ElementsAre;
using testing::HasSubstr;

// A pod as the operator's templates make it, before the webhook.
Value CandidatePod() {
  return json::ParseYamlDocument(R"(
metadata:
  generateName: llm-worker-
  labels:
    nvidia.com/dynamo-component: worker
    nvidia.com/dynamo-namespace: models-llm
    nvidia.com/selector: llm-worker
  annotations:
    nvidia.com/dynamo-checkpoint-restore-candidate: "true"
    nvidia.com/dynamo-checkpoint-name: checkpoint-abc
    nvidia.com/dynamo-checkpoint-startup-policy: Immediate
    nvidia.com/snapshot-target-containers: main
spec:
  containers:
  - name: sidecar
  - name: main
)")
      .value();
}

void Annotate(Value& pod, std::string_view key, const char* value) {
  pod["metadata"]["annotations"].Set(key, value);
}

void Label(Value& pod, std::string_view key, const char* value) {
  pod["metadata"]["labels"].Set(key, value);
}

RequestFacts InModels() { return {.name_space = "models"}; }

CheckpointFacts Ready() { return {"checkpoint-abc", "Ready", Value::Object()}; }

Skip SkipOf(const std::variant<Unchanged, Candidate>& found) {
  return std::get<Unchanged>(found).skip;
}

// A110, with those below.
TEST(FindCandidate, TakesTheCheckpointFromThePodAndTheNamespaceFromTheRequest) {
  const auto found = FindCandidate(CandidatePod(), InModels());
  ASSERT_TRUE(std::holds_alternative<Candidate>(found));
  EXPECT_EQ(std::get<Candidate>(found).checkpoint, "checkpoint-abc");
  EXPECT_EQ(std::get<Candidate>(found).name_space, "models");
}

struct SkipRow {
  const char* name;
  std::function<void(Value& pod, RequestFacts& facts)> change;
  Skip skip;
};

// V7: not a creation, and a forged candidate, among all the others.
const std::vector<SkipRow>& SkipRows() {
  static const std::vector<SkipRow> kRows = {
      {"Update", [](Value&, RequestFacts& facts) { facts.create = false; }, Skip::kNotCreate},
      {"Disabled", [](Value&, RequestFacts& facts) { facts.checkpoints_enabled = false; },
       Skip::kDisabled},
      {"NamespaceOfAnother", [](Value&, RequestFacts& facts) { facts.namespace_excluded = true; },
       Skip::kNamespaceExcluded},
      {"ShapedAlready", [](Value& pod, RequestFacts&) { Label(pod, kCheckpointIdLabel, "abc"); },
       Skip::kAlreadyShaped},
      {"Source", [](Value& pod, RequestFacts&) { Label(pod, kSourceLabel, "true"); },
       Skip::kAlreadyShaped},
      {"NoCandidate",
       [](Value& pod, RequestFacts&) {
         pod["metadata"]["annotations"].Erase(kCandidateAnnotation);
       },
       Skip::kNotCandidate},
      {"CandidateFalse",
       [](Value& pod, RequestFacts&) { Annotate(pod, kCandidateAnnotation, "false"); },
       Skip::kNotCandidate},
      {"NoAnnotations", [](Value& pod, RequestFacts&) { pod["metadata"].Erase("annotations"); },
       Skip::kNotCandidate},
      {"NoCheckpoint", [](Value& pod, RequestFacts&) { Annotate(pod, kCheckpointAnnotation, ""); },
       Skip::kNoCheckpointName},
      {"ForgedWithoutLabels", [](Value& pod, RequestFacts&) { pod["metadata"].Erase("labels"); },
       Skip::kNotOurs},
      {"ForgedWithoutComponent",
       [](Value& pod, RequestFacts&) { pod["metadata"]["labels"].Erase(kOperatorLabels[0]); },
       Skip::kNotOurs},
      {"ForgedWithoutNamespace",
       [](Value& pod, RequestFacts&) { pod["metadata"]["labels"].Erase(kOperatorLabels[1]); },
       Skip::kNotOurs},
      {"ForgedWithoutSelector",
       [](Value& pod, RequestFacts&) { pod["metadata"]["labels"].Erase(kOperatorLabels[2]); },
       Skip::kNotOurs},
  };
  return kRows;
}

TEST(FindCandidate, LeavesEveryOtherPodAlone) {
  for (const SkipRow& row : SkipRows()) {
    SCOPED_TRACE(row.name);
    Value pod = CandidatePod();
    RequestFacts facts = InModels();
    row.change(pod, facts);
    const auto found = FindCandidate(pod, facts);
    ASSERT_TRUE(std::holds_alternative<Unchanged>(found));
    EXPECT_EQ(SkipReason(SkipOf(found)), SkipReason(row.skip));
  }
}

// W12: who asked and gets none says so himself; others have nothing to say.
TEST(StartsColdInstead, OnlyOfPodsThatAskedUs) {
  const std::set<std::string> said = {"Disabled", "NoCheckpoint"};
  for (const SkipRow& row : SkipRows()) {
    SCOPED_TRACE(row.name);
    Value pod = CandidatePod();
    RequestFacts facts = InModels();
    row.change(pod, facts);
    EXPECT_EQ(StartsColdInstead(pod, row.skip), said.contains(row.name));
  }
  for (const Skip skip : {Skip::kCheckpointUnreadable, Skip::kNotReady, Skip::kInvalidTargets,
                          Skip::kShapingUnavailable, Skip::kStorageUnknown, Skip::kShapingFailed}) {
    EXPECT_TRUE(StartsColdInstead(CandidatePod(), skip)) << SkipReason(skip);
  }
  Value forged = CandidatePod();
  Annotate(forged, kCheckpointAnnotation, "");
  forged["metadata"].Erase("labels");
  EXPECT_FALSE(StartsColdInstead(forged, Skip::kNoCheckpointName));
}

TEST(MarkCold, SaysWhyAndClaimsNothingElse) {
  Value pod = CandidatePod();
  Annotate(pod, "hearth.dev/start", "restored");
  Annotate(pod, "hearth.dev/restored-from", "abc/1");
  Annotate(pod, "hearth.dev/restored-digest", "00");
  Annotate(pod, "hearth.dev/restore-phases", "restore=1.000");
  Value expected = CandidatePod();
  Annotate(expected, "hearth.dev/start", "cold");
  Annotate(expected, "hearth.dev/start-reason", "storage_unknown");
  EXPECT_EQ(MarkCold(pod, Skip::kStorageUnknown), expected);
}

TEST(Decide, RestoresFromAReadyCheckpoint) {
  const auto decision = Decide(CandidatePod(), Ready());
  ASSERT_TRUE(std::holds_alternative<Restore>(decision));
  EXPECT_EQ(std::get<Restore>(decision).checkpoint.name, "checkpoint-abc");
  EXPECT_THAT(std::get<Restore>(decision).targets, ElementsAre("main"));
}

TEST(Decide, StartsColdUntilTheCheckpointIsReady) {
  for (const char* phase : {"", "Pending", "Creating", "Failed", "ready"}) {
    CheckpointFacts facts = Ready();
    facts.phase = phase;
    const auto decision = Decide(CandidatePod(), facts);
    ASSERT_TRUE(std::holds_alternative<Unchanged>(decision)) << phase;
    EXPECT_EQ(std::get<Unchanged>(decision).skip, Skip::kNotReady) << phase;
  }
}

TEST(Decide, StartsColdWhenTheCheckpointCannotBeRead) {
  const auto decision = Decide(CandidatePod(), NotFoundError("no such checkpoint"));
  ASSERT_TRUE(std::holds_alternative<Unchanged>(decision));
  EXPECT_EQ(std::get<Unchanged>(decision).skip, Skip::kCheckpointUnreadable);
  EXPECT_THAT(std::get<Unchanged>(decision).detail, HasSubstr("no such checkpoint"));
}

TEST(Decide, StartsColdOnTargetsThatCannotBeMeant) {
  const std::pair<const char*, const char*> rows[] = {
      {"", "is missing or blank"},
      {"main,", "empty container name"},
      {" , main", "empty container name"},
      {"main,main", "twice"},
      {"main, main", "twice"},
      {"engine-0", "does not exist"},
      {"main;sidecar", "does not"},
  };
  for (const auto& [text, says] : rows) {
    Value pod = CandidatePod();
    Annotate(pod, kTargetsAnnotation, text);
    const auto decision = Decide(pod, Ready());
    ASSERT_TRUE(std::holds_alternative<Unchanged>(decision)) << text;
    EXPECT_EQ(std::get<Unchanged>(decision).skip, Skip::kInvalidTargets) << text;
    EXPECT_THAT(std::get<Unchanged>(decision).detail, HasSubstr(says)) << text;
  }
}

TEST(ReadTargets, KeepsTheOrderOfThePod) {
  Value pod = CandidatePod();
  Annotate(pod, kTargetsAnnotation, " sidecar ,main");
  ASSERT_OK_AND_ASSIGN(const auto targets, ReadTargets(pod));
  EXPECT_THAT(targets, ElementsAre("sidecar", "main"));
}

TEST(ReadTargets, NeverTakesAContainerThatNobodyNamed) {
  Value pod = CandidatePod();
  pod["metadata"]["annotations"].Erase(kTargetsAnnotation);
  EXPECT_CODE(Code::kInvalid, ReadTargets(pod));
}

TEST(CheckPod, RefusesWhatCannotBeAPod) {
  EXPECT_OK(CheckPod(CandidatePod()));
  for (const char* text :
       {"[]", "{}", "{metadata: [], spec: {}}", "{metadata: {labels: [a]}, spec: {}}",
        "{metadata: {labels: {a: 1}}, spec: {}}", "{metadata: {annotations: {a: []}}, spec: {}}",
        "{metadata: {}}", "{metadata: {}, spec: []}"}) {
    ASSERT_OK_AND_ASSIGN(const Value pod, json::ParseYamlDocument(text));
    SCOPED_TRACE(text);
    EXPECT_CODE(Code::kInvalid, CheckPod(pod));
  }
}

TEST(RestorePod, WithoutShapingThePodStaysAsItIs) {
  const Tools tools{.read_checkpoint = [](const Candidate&) { return Ready(); }};
  const auto restored = RestorePod(CandidatePod(), InModels(), tools);
  ASSERT_TRUE(std::holds_alternative<Unchanged>(restored));
  EXPECT_EQ(std::get<Unchanged>(restored).skip, Skip::kShapingUnavailable);
  EXPECT_EQ(std::get<Unchanged>(restored).detail, "shaping unavailable");
}

TEST(RestorePod, WithoutAReaderThePodStaysAsItIs) {
  const auto restored = RestorePod(CandidatePod(), InModels(), {});
  ASSERT_TRUE(std::holds_alternative<Unchanged>(restored));
  EXPECT_EQ(std::get<Unchanged>(restored).skip, Skip::kCheckpointUnreadable);
}

TEST(RestorePod, AFailureOfShapingChangesNothing) {
  const Tools tools{
      .read_checkpoint = [](const Candidate&) { return Ready(); },
      .shape = [](Value, const Restore&) -> Result<Value> { return InvalidError("no storage"); }};
  const auto restored = RestorePod(CandidatePod(), InModels(), tools);
  ASSERT_TRUE(std::holds_alternative<Unchanged>(restored));
  EXPECT_EQ(std::get<Unchanged>(restored).skip, Skip::kShapingFailed);
}

TEST(RestorePod, TellsAnUnknownStorageFromOtherFailures) {
  const Tools tools{.read_checkpoint = [](const Candidate&) { return Ready(); },
                    .shape = [](Value, const Restore&) -> Result<Value> {
                      return NotFoundError("no agent has storage").WithReason(kStorageUnknown);
                    }};
  const auto restored = RestorePod(CandidatePod(), InModels(), tools);
  ASSERT_TRUE(std::holds_alternative<Unchanged>(restored));
  EXPECT_EQ(std::get<Unchanged>(restored).skip, Skip::kStorageUnknown);
}

TEST(RestorePod, DoesNotReadTheCheckpointOfAPodThatIsNoCandidate) {
  bool asked = false;
  const Tools tools{.read_checkpoint = [&](const Candidate&) {
    asked = true;
    return Ready();
  }};
  Value pod = CandidatePod();
  pod["metadata"].Erase("labels");
  (void)RestorePod(pod, InModels(), tools);
  EXPECT_FALSE(asked);
}

TEST(SkipReasons, AreAllDifferentWords) {
  std::set<std::string_view> reasons;
  for (const auto& [skip, reason] : kSkipReasons) {
    EXPECT_TRUE(reasons.insert(SkipReason(skip)).second) << reason;
  }
  EXPECT_EQ(reasons.size(), std::size(kSkipReasons));
}

}  // namespace
}  // namespace hearth::admission::pod_restore

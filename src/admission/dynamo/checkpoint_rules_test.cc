// V1, V8: a DynamoCheckpoint, prepared or not.
#include "admission/dynamo/checkpoint_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admission/dynamo/testing/small_door.h"
#include "json/patch.h"

namespace hearth::admission::dynamo {
namespace {

using json::Value;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kPod = "spec.job.podTemplateSpec.spec.";
const std::string kMetadataOnly =
    "spec.gpuMemoryService: Forbidden: gpuMemoryService is metadata-only; prepare the pod template "
    "(GMS server, client wiring, DRA claim) before creating this object; auto-checkpoints are "
    "prepared by DynamoGraphDeployment: ";

// The prepared checkpoint with a JSON patch below the spec of its pod.
Value CheckpointWithPod(const std::string& patch) {
  Value object = Checkpoint();
  Value* pod = object.Find("spec")->Find("job")->Find("podTemplateSpec")->Find("spec");
  const Status status = json::ApplyJsonPatch(*pod, Yaml(patch));
  EXPECT_TRUE(status.ok()) << status.ToString();
  return object;
}

TEST(Checkpoints, PreparedIsTaken) { EXPECT_THAT(Ask(Checkpoint()).errors, IsEmpty()); }

struct Case {
  std::string name;
  std::string pod_patch;
  std::string path;
  std::string cause;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class UnpreparedCheckpoints : public testing::TestWithParam<Case> {};

TEST_P(UnpreparedCheckpoints, AreToldTheCauseAndThePlace) {
  EXPECT_THAT(Ask(CheckpointWithPod(GetParam().pod_patch)).errors,
              ElementsAre(kMetadataOnly + GetParam().cause,
                          GetParam().path + ": Required value: " + GetParam().cause));
}

std::string OfContainer(const std::string& name, const std::string& what) {
  return "gpuMemoryService checkpoint container \"" + name + "\" is missing " + what;
}

const std::string kClaim = "resource claim \"intrapod-shared-gpu\"";
const std::string kMount = "gms-intrapod-control mount at /gms-intrapod-control";
const std::string kVariable = "GMS_SOCKET_DIR=/gms-intrapod-control";
const std::string kTemplate = "gpuMemoryService checkpoint pod template ";

INSTANTIATE_TEST_SUITE_P(
    All, UnpreparedCheckpoints,
    testing::Values(
        Case{"NoTarget", "[{op: replace, path: /containers/0/name, value: engine}]",
             "spec.job.targetContainerName", kTemplate + "has no target container \"main\""},
        Case{"NoPodClaim", "[{op: remove, path: /resourceClaims}]", kPod + "resourceClaims",
             kTemplate + "is missing pod " + kClaim},
        Case{"NoVolume", "[{op: replace, path: /volumes/0/name, value: other}]", kPod + "volumes",
             kTemplate + "is missing shared volume \"gms-intrapod-control\""},
        Case{"TargetWithoutClaim", "[{op: remove, path: /containers/0/resources}]",
             kPod + "containers[0].resources.claims", OfContainer("main", kClaim)},
        Case{"TargetWithoutMount",
             "[{op: replace, path: /containers/0/volumeMounts/0/mountPath, value: /elsewhere}]",
             kPod + "containers[0].volumeMounts", OfContainer("main", kMount)},
        Case{"TargetWithoutVariable",
             "[{op: replace, path: /containers/0/env/0/value, value: /elsewhere}]",
             kPod + "containers[0].env", OfContainer("main", kVariable)},
        Case{"NoServer", "[{op: replace, path: /initContainers/0/name, value: other}]",
             kPod + "initContainers", kTemplate + "is missing init sidecar \"gms-server\""},
        Case{"ServerWithoutClaim", "[{op: remove, path: /initContainers/0/resources}]",
             kPod + "initContainers[0].resources.claims", OfContainer("gms-server", kClaim)},
        Case{"ServerWithoutMount", "[{op: remove, path: /initContainers/0/volumeMounts}]",
             kPod + "initContainers[0].volumeMounts", OfContainer("gms-server", kMount)},
        Case{"NoClient", "[{op: replace, path: /containers/1/name, value: other}]",
             "spec.gpuMemoryService.extraClientContainers[0]",
             kTemplate + "is missing extra client container \"save\""},
        Case{"ClientWithoutVariable", "[{op: remove, path: /containers/1/env}]",
             kPod + "containers[1].env", OfContainer("save", kVariable)}),
    [](const auto& info) { return info.param.name; });

TEST(Checkpoints, OfAnotherLayoutAreRefused) {
  EXPECT_THAT(
      Ask(Checkpoint("{spec: {gpuMemoryService: {mode: interPod, extraClientContainers: "
                     "null}}}"))
          .errors,
      ElementsAre(kMetadataOnly + "gpuMemoryService checkpoint jobs for mode \"interPod\" are not "
                                  "implemented",
                  HasSubstr("spec.gpuMemoryService.mode: Required value")));
}

// The first cause in the summary, each at its own place.
TEST(Checkpoints, TellAllThatIsMissingInOrder) {
  const auto errors =
      Ask(Checkpoint("{spec: {job: {podTemplateSpec: {spec: {containers: [{name: main, image: "
                     "e}], initContainers: null, volumes: null, resourceClaims: null}}}}}"))
          .errors;
  EXPECT_THAT(errors,
              ElementsAre(kMetadataOnly + kTemplate + "is missing pod " + kClaim,
                          HasSubstr(kPod + "resourceClaims"), HasSubstr(kPod + "volumes"),
                          HasSubstr(kPod + "containers[0].resources.claims"),
                          HasSubstr(kPod + "containers[0].volumeMounts"),
                          HasSubstr(kPod + "containers[0].env"), HasSubstr(kPod + "initContainers"),
                          HasSubstr("spec.gpuMemoryService.extraClientContainers[0]")));
}

TEST(Checkpoints, WithTheServiceTurnedOffNeedNothing) {
  const std::string bare =
      "{spec: {gpuMemoryService: {enabled: false}, job: {podTemplateSpec: {spec: {containers: "
      "[{name: main, image: e}]}}}}}";
  EXPECT_THAT(Ask(Checkpoint(bare), {.setup = {.gms_snapshots = false}}).errors, IsEmpty());
}

TEST(Checkpoints, NeedATarget) {
  const std::string other = "{spec: {gpuMemoryService: null, job: {targetContainerName: engine}}}";
  EXPECT_THAT(Ask(Checkpoint(other)).errors,
              ElementsAre("spec.job.targetContainerName: Invalid value: \"engine\": checkpoint job "
                          "pod template: pod spec has no container named \"engine\""));
}

TEST(Checkpoints, AreRefusedByAnOperatorThatMakesNone) {
  EXPECT_THAT(Ask(Checkpoint(), {.setup = {.checkpoints = false}}).errors,
              ElementsAre("spec: Forbidden: checkpoint functionality is disabled in the operator "
                          "configuration"));
  EXPECT_THAT(
      Ask(Checkpoint(), {.setup = {.gms_snapshots = false}}).errors,
      ElementsAre("spec.gpuMemoryService: Forbidden: GMS + Snapshot is temporarily "
                  "disabled; disable gpuMemoryService or enable the internal GMS + Snapshot "
                  "gate"));
  // What is stored can still be changed: its finalizer, its deadline.
  EXPECT_THAT(AskUpdate(Checkpoint(), Checkpoint("{spec: {job: {activeDeadlineSeconds: 60}}}"),
                        {.setup = {.checkpoints = false, .gms_snapshots = false}})
                  .errors,
              IsEmpty());
}

// W14
TEST(Checkpoints, HaveVersionsThatFitIntoNames) {
  const auto with = [](const std::string& version) {
    return Ask(Checkpoint("{metadata: {annotations: {nvidia.com/snapshot-artifact-version: \"" +
                          version + "\"}}}"))
        .errors;
  };
  for (const char* good : {"1", "v2", "2026-01-01-abcd", "abcdefghijklmno"}) {
    EXPECT_THAT(with(good), IsEmpty()) << good;
  }
  for (const char* bad : {"", "V1", "1.2", "../1", "-1", "1-", "abcdefghijklmnop"}) {
    EXPECT_THAT(with(bad), ElementsAre(HasSubstr("metadata.annotations[nvidia.com/"
                                                 "snapshot-artifact-version]: Invalid value")))
        << bad;
  }
}

TEST(Checkpoints, SaveOverNoMountOfTheirOwn) {
  const Value object = Checkpoint(
      "{spec: {gpuMemoryService: {checkpoint: {saver: {volumeMounts: [{name: v, mountPath: "
      "/checkpoints}]}}}}}");
  EXPECT_THAT(Ask(object).errors,
              ElementsAre("spec.gpuMemoryService.checkpoint.saver.volumeMounts[0].mountPath: "
                          "Invalid value: \"/checkpoints\": collides with the operator's mount at "
                          "/checkpoints; choose another path"));
  EXPECT_THAT(Ask(object, {.setup = {.checkpoint_path = "/elsewhere"}}).errors, IsEmpty());
}

constexpr const char* kSaver = "{op: replace, path: /containers/1/name, value: gms-saver}";

TEST(Checkpoints, HaveOneSaver) {
  const std::string block =
      "{spec: {gpuMemoryService: {checkpoint: {}, extraClientContainers: "
      "[gms-saver]}}}";
  // The operator adds it to the Job.
  EXPECT_THAT(Ask(Checkpoint(block)).errors, IsEmpty());
  Value twice = CheckpointWithPod("[" + std::string(kSaver) + "]");
  json::ApplyMergePatch(twice, Yaml(block));
  EXPECT_THAT(Ask(twice).errors,
              ElementsAre(HasSubstr(kPod + "containers[1].name: Invalid value: \"gms-saver\"")));
  // What a graph made may carry what the operator put there.
  twice.MakePath("metadata.annotations").Set("nvidia.com/dynamo-auto-checkpoint", "true");
  EXPECT_THAT(Ask(twice).errors, IsEmpty());
}

TEST(Checkpoints, MountNothingOverTheSockets) {
  EXPECT_THAT(Ask(Checkpoint("{spec: {gpuMemoryService: {checkpoint: {saver: {volumeMounts: "
                             "[{name: v, mountPath: /gms-intrapod-control}]}}}}}"))
                  .errors,
              ElementsAre(HasSubstr("spec.gpuMemoryService.checkpoint.saver.volumeMounts[0]."
                                    "mountPath: Invalid value: \"/gms-intrapod-control\": "
                                    "collides")));
}

}  // namespace
}  // namespace hearth::admission::dynamo

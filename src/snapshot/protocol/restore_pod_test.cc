#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/yaml.h"
#include "snapshot/protocol/names.h"
#include "snapshot/protocol/shaping.h"
#include "snapshot/protocol/targets.h"

namespace hearth::snapshot {
namespace {

using json::Value;
using testing::AllOf;
using testing::HasSubstr;

Value Yaml(std::string_view text) {
  auto value = json::ParseYamlDocument(text);
  EXPECT_OK(value.status());
  return value.ok() ? std::move(*value) : Value();
}

constexpr std::string_view kDirtyMetadata = R"(
metadata:
  labels:
    app: llm
    nvidia.com/snapshot-is-checkpoint-source: "true"
    nvidia.com/snapshot-checkpoint-id: old
    nvidia.com/snapshot-capture-eligible: "true"
  annotations:
    nvidia.com/snapshot-target-containers: main
    nvidia.com/snapshot-artifact-version: "7"
    nvidia.com/snapshot-checkpoint-status: completed
    nvidia.com/snapshot-restore-status: completed
    nvidia.com/snapshot-restore-status.main: completed
    nvidia.com/snapshot-restore-container-id: abc
    nvidia.com/snapshot-restore-container-id.main: abc
    nvidia.com/snapshot-restore-statuses: somebody else's
)";

TEST(RestoreMetadata, ReplacesWhatEarlierOnesLeft) {
  // A1
  Value object = Yaml(kDirtyMetadata);
  ApplyRestoreMetadata(object, {.checkpoint_id = "new", .artifact_version = "2"});
  EXPECT_EQ(object, Yaml(R"(
metadata:
  labels: {app: llm, nvidia.com/snapshot-is-restore-target: "true", nvidia.com/snapshot-checkpoint-id: new}
  annotations:
    nvidia.com/snapshot-target-containers: main
    nvidia.com/snapshot-restore-statuses: somebody else's
    nvidia.com/snapshot-artifact-version: "2"
)")) << object.WritePretty();
}

TEST(RestoreMetadata, ClearsWithoutAddingAnything) {
  // A2
  Value object = Yaml(kDirtyMetadata);
  ClearSnapshotMetadata(object);
  EXPECT_EQ(object, Yaml(R"(
metadata:
  labels: {app: llm}
  annotations:
    nvidia.com/snapshot-target-containers: main
    nvidia.com/snapshot-restore-statuses: somebody else's
)")) << object.WritePretty();
  Value bare = Value::Object();
  ClearSnapshotMetadata(bare);
  EXPECT_EQ(bare, Value::Object());
}

TEST(ControlVolume, IsAddedOnceWithASubPathForEachContainer) {
  // A14, A15, A16
  Value spec = Yaml("containers: [{name: a}, {name: b}]");
  for (int i = 0; i < 2; ++i) {
    for (const char* const name : {"a", "b"}) {
      EnsureControlVolume(spec, *FindContainer(spec, name));
    }
  }
  const auto container = [](std::string_view name) {
    return Value::Object(
        {{"name", name},
         {"volumeMounts", Value::Array({Value::Object({{"name", "snapshot-control"},
                                                       {"mountPath", "/snapshot-control"},
                                                       {"subPath", name}})})},
         {"env", Value::Array({Value::Object({{"name", "SNAPSHOT_CONTROL_DIR"},
                                              {"value", "/snapshot-control"}}),
                               Value::Object({{"name", "DYN_SNAPSHOT_CONTROL_DIR"},
                                              {"value", "/snapshot-control"}})})}});
  };
  EXPECT_EQ(*spec.Find("containers"), Value::Array({container("a"), container("b")}));
  EXPECT_EQ(*spec.Find("volumes"), Yaml("[{name: snapshot-control, emptyDir: {}}]"));
}

TEST(ControlVolume, LeavesWhatIsThere) {
  // A17, A19
  Value spec = Yaml(R"(
volumes: [{name: snapshot-control, hostPath: {path: /x}}, {name: data, emptyDir: {}}]
containers:
- name: main
  volumeMounts: [{name: snapshot-control, mountPath: /elsewhere}, {name: data, mountPath: /data}]
  env: [{name: DYN_SNAPSHOT_CONTROL_DIR, value: /mine}, {name: A, value: b}]
)");
  const Value before = spec;
  EnsureControlVolume(spec, *FindContainer(spec, "main"));
  EXPECT_EQ(*spec.Find("volumes"), *before.Find("volumes"));
  const Value& main = spec.Find("containers")->items()[0];
  EXPECT_EQ(*main.Find("volumeMounts"),
            *before.Find("containers")->items()[0].Find("volumeMounts"));
  EXPECT_EQ(*main.Find("env"),
            Yaml(R"([{name: DYN_SNAPSHOT_CONTROL_DIR, value: /mine}, {name: A, value: b},
    {name: SNAPSHOT_CONTROL_DIR, value: /snapshot-control}])"));
}

TEST(ControlVolume, OfNothingIsNoReasonToFail) {
  // A18
  Value spec;
  Value container;
  EnsureControlVolume(spec, container);
  EXPECT_TRUE(spec.IsObject());
}

TEST(Seccomp, KeepsTheOtherFieldsOfTheContext) {
  Value spec = Yaml("securityContext: {runAsUser: 5, seccompProfile: {type: RuntimeDefault}}");
  const Value before = spec;
  EnsureSeccompProfile(spec, "");
  EXPECT_EQ(spec, before);
  EnsureSeccompProfile(spec, "p.json");
  EXPECT_EQ(spec, Yaml("securityContext: {runAsUser: 5, seccompProfile: {type: Localhost, "
                       "localhostProfile: p.json}}"));
}

Value Engines() {
  return Yaml(R"(
metadata:
  name: pod
  annotations: {nvidia.com/snapshot-target-containers: "engine-0, engine-1"}
spec:
  restartPolicy: Always
  containers:
  - {name: sidecar, image: s}
  - name: engine-0
    image: i
    command: [serve]
    args: [--fast]
    env: [{name: DYN_SNAPSHOT_RESTORE_STANDBY, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]
    livenessProbe: {httpGet: {path: /live, port: 1}, periodSeconds: 9, initialDelaySeconds: 40}
    readinessProbe: {exec: {command: [ready]}}
  - {name: engine-1, image: i}
)");
}

RestoreOptions Options() {
  return {.namespace_name = "ns",
          .checkpoint_id = "hash",
          .artifact_version = "2",
          .seccomp_profile = std::string(kSeccompProfile)};
}

TEST(RestorePod, IsTheWholeOfIt) {
  // A29, A30, A33
  const auto pod = RestorePod(Engines(), Options());
  ASSERT_OK(pod.status());
  EXPECT_EQ(*pod, Yaml(R"(
metadata:
  name: pod
  namespace: ns
  labels: {nvidia.com/snapshot-is-restore-target: "true", nvidia.com/snapshot-checkpoint-id: hash}
  annotations:
    nvidia.com/snapshot-target-containers: "engine-0, engine-1"
    nvidia.com/snapshot-artifact-version: "2"
spec:
  restartPolicy: Never
  securityContext: {seccompProfile: {type: Localhost, localhostProfile: profiles/block-iouring.json}}
  volumes: [{name: snapshot-control, emptyDir: {}}]
  containers:
  - {name: sidecar, image: s}
  - name: engine-0
    image: i
    command: [serve]
    args: [--fast]
    env:
    - {name: DYN_SNAPSHOT_RESTORE_STANDBY, value: "1"}
    - {name: SNAPSHOT_CONTROL_DIR, value: /snapshot-control}
    - {name: DYN_SNAPSHOT_CONTROL_DIR, value: /snapshot-control}
    livenessProbe: {httpGet: {path: /live, port: 1}, periodSeconds: 9, initialDelaySeconds: 40}
    readinessProbe: {exec: {command: [ready]}}
    volumeMounts: [{name: snapshot-control, mountPath: /snapshot-control, subPath: engine-0}]
    startupProbe:
      httpGet: {path: /live, port: 1}
      periodSeconds: 1
      initialDelaySeconds: 0
      failureThreshold: 1800
      successThreshold: 1
  - name: engine-1
    image: i
    volumeMounts: [{name: snapshot-control, mountPath: /snapshot-control, subPath: engine-1}]
    env:
    - {name: SNAPSHOT_CONTROL_DIR, value: /snapshot-control}
    - {name: DYN_SNAPSHOT_CONTROL_DIR, value: /snapshot-control}
    - {name: DYN_SNAPSHOT_RESTORE_STANDBY, value: "1"}
    startupProbe:
      exec: {command: [cat, /snapshot-control/restore-complete]}
      timeoutSeconds: 1
      initialDelaySeconds: 0
      periodSeconds: 1
      failureThreshold: 1800
      successThreshold: 1
)")) << pod->WritePretty();
}

TEST(RestorePod, WaitsForReadinessWhenThereIsNoOtherProbe) {
  // A33
  Value pod = Engines();
  FindContainer(pod["spec"], "engine-0")->Erase("livenessProbe");
  ASSERT_OK(PrepareRestorePod(pod, "", true));
  const Value& engine = *FindContainer(pod["spec"], "engine-0");
  EXPECT_EQ(*engine.FindPath("startupProbe.exec"), Yaml("{command: [ready]}"));
  EXPECT_EQ(*engine.Find("readinessProbe"), Yaml("{exec: {command: [ready]}}"));
}

TEST(RestorePod, PreparedTwiceIsPreparedOnce) {
  // A32
  Value pod = Engines();
  ASSERT_OK(PrepareRestorePod(pod, "p.json", true));
  const Value once = pod;
  ASSERT_OK(PrepareRestorePod(pod, "p.json", true));
  EXPECT_EQ(pod, once);
}

TEST(RestorePod, WithoutACheckpointNothingStandsBy) {
  Value pod = Engines();
  ASSERT_OK(PrepareRestorePod(pod, "", false));
  const Value& engine = *FindContainer(pod["spec"], "engine-1");
  EXPECT_NE(engine.Find("volumeMounts"), nullptr);
  EXPECT_EQ(engine.Find("startupProbe"), nullptr);
  EXPECT_EQ(pod.Write().find("\"value\":\"1\""), std::string::npos);
}

TEST(RestorePod, TargetsMustBeNamedAndThere) {
  // A31
  Value pod = Engines();
  pod.MakePath("metadata.annotations").Set(kTargetsAnnotation, "absent");
  EXPECT_THAT(RestorePod(pod, Options()).status().ToString(), HasSubstr("\"absent\""));
  pod["metadata"].Erase("annotations");
  EXPECT_THAT(RestorePod(pod, Options()).status().ToString(),
              HasSubstr(std::string(kTargetsAnnotation)));
  EXPECT_THAT(RestorePod(Value::Object(), Options()).status().ToString(), HasSubstr("no spec"));
  auto options = Options();
  options.checkpoint_id = "../x";
  EXPECT_FALSE(RestorePod(Engines(), options).ok());
}

class RestorePodValidation : public testing::Test {
 protected:
  RestorePodValidation() { EXPECT_OK(PrepareRestorePod(pod_, kSeccompProfile, true)); }
  Value& Engine(std::string_view name) { return *FindContainer(pod_["spec"], name); }
  std::string Verdict() const { return ValidateRestorePod(pod_, kSeccompProfile).ToString(); }
  Value pod_ = Engines();
};

TEST_F(RestorePodValidation, TakesWhatWasPrepared) {
  // A34, A35: sidecars are fine, and so is a start-up probe over HTTP.
  EXPECT_OK(ValidateRestorePod(pod_, kSeccompProfile));
  EXPECT_OK(ValidateRestorePod(pod_, ""));
}

TEST_F(RestorePodValidation, NamesTheFirstThingThatIsMissing) {
  // A34, from the last check to the first
  pod_["spec"]["securityContext"]["seccompProfile"].Set("localhostProfile", "other");
  EXPECT_THAT(Verdict(), HasSubstr("expected localhost seccomp profile \"profiles/block-iouring"));
  pod_["spec"].Erase("securityContext");
  EXPECT_THAT(Verdict(), HasSubstr("missing localhost seccomp profile"));
  Engine("engine-1").Erase("startupProbe");
  EXPECT_THAT(Verdict(),
              HasSubstr("missing restore-complete startup probe on container \"engine-1\""));
  Engine("engine-1").Erase("env");
  EXPECT_THAT(Verdict(),
              HasSubstr("missing SNAPSHOT_CONTROL_DIR env var on container \"engine-1\""));
  // A35
  Engine("engine-1")["volumeMounts"].items()[0].Set("subPath", "engine-0");
  EXPECT_THAT(Verdict(), AllOf(HasSubstr("SubPath"), HasSubstr("engine-1")));
  Engine("engine-1").Erase("volumeMounts");
  EXPECT_THAT(
      Verdict(),
      HasSubstr("missing snapshot-control mount at /snapshot-control on container \"engine-1\""));
  pod_.MakePath("metadata.annotations").Set(kTargetsAnnotation, "absent");
  EXPECT_THAT(Verdict(), HasSubstr("restore target container \"absent\" not found in pod spec"));
  pod_["spec"].Erase("volumes");
  EXPECT_THAT(Verdict(), HasSubstr("missing snapshot-control emptyDir volume; add it via "
                                   "snapshotprotocol.EnsureControlVolume"));
  pod_["metadata"].Erase("annotations");
  EXPECT_THAT(Verdict(), HasSubstr(std::string(kTargetsAnnotation)));
  pod_.Erase("spec");
  EXPECT_THAT(Verdict(), HasSubstr("no spec"));
}

}  // namespace
}  // namespace hearth::snapshot

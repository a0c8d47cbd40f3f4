#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/process_runner.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "json/yaml.h"
#include "snapshot/protocol/names.h"
#include "snapshot/protocol/shaping.h"

namespace hearth::snapshot {
namespace {

using json::Value;
using testing::HasSubstr;

Value Yaml(std::string_view text) {
  auto value = json::ParseYamlDocument(text);
  EXPECT_OK(value.status());
  return value.ok() ? std::move(*value) : Value();
}

std::string At(const Value& value, std::string_view path) {
  const Value* const found = value.FindPath(path);
  return found == nullptr ? "-" : found->Write();
}

Value Template() {
  return Yaml(R"(
metadata:
  labels: {app: llm, nvidia.com/snapshot-checkpoint-id: old, nvidia.com/snapshot-is-restore-target: "true"}
  annotations:
    nvidia.com/snapshot-target-containers: main
    nvidia.com/snapshot-artifact-version: "1"
    nvidia.com/snapshot-restore-status.main: completed
    linkerd.io/inject: enabled
    team: a
spec:
  restartPolicy: Always
  containers:
  - {name: sidecar, image: s, livenessProbe: {exec: {command: [true]}}}
  - name: main
    image: i
    command: [python3, -m]
    args: [engine]
    livenessProbe: {httpGet: {path: /live, port: 1}}
    startupProbe: {httpGet: {path: /up, port: 1}}
    readinessProbe: {httpGet: {path: /ready, port: 1}}
)");
}

CaptureJobOptions Options() {
  return {.name = "job",
          .namespace_name = "ns",
          .target_container = "main",
          .checkpoint_id = "hash",
          .artifact_version = "2",
          .seccomp_profile = std::string(kSeccompProfile),
          .active_deadline_seconds = 60,
          .ttl_seconds_after_finished = 300};
}

TEST(CaptureJob, IsTheWholeOfIt) {
  // A20, A21, A22, A25
  const auto job = CaptureJob(Template(), Options());
  ASSERT_OK(job.status());
  EXPECT_EQ(*job, Yaml(R"(
apiVersion: batch/v1
kind: Job
metadata: {name: job, namespace: ns, labels: {nvidia.com/snapshot-checkpoint-id: hash}}
spec:
  backoffLimit: 0
  activeDeadlineSeconds: 60
  ttlSecondsAfterFinished: 300
  template:
    metadata:
      labels:
        app: llm
        nvidia.com/snapshot-is-checkpoint-source: "true"
        nvidia.com/snapshot-checkpoint-id: hash
      annotations:
        nvidia.com/snapshot-target-containers: main
        nvidia.com/snapshot-artifact-version: "2"
        team: a
        linkerd.io/inject: disabled
        sidecar.istio.io/inject: "false"
    spec:
      restartPolicy: Never
      securityContext: {seccompProfile: {type: Localhost, localhostProfile: profiles/block-iouring.json}}
      volumes: [{name: snapshot-control, emptyDir: {}}]
      containers:
      - {name: sidecar, image: s, livenessProbe: {exec: {command: [true]}}}
      - name: main
        image: i
        command: [python3, -m]
        args: [engine]
        readinessProbe: {exec: {command: [cat, /snapshot-control/ready-for-snapshot]}, periodSeconds: 1}
        volumeMounts: [{name: snapshot-control, mountPath: /snapshot-control, subPath: main}]
        env:
        - {name: SNAPSHOT_CONTROL_DIR, value: /snapshot-control}
        - {name: DYN_SNAPSHOT_CONTROL_DIR, value: /snapshot-control}
)")) << job->WritePretty();
}

TEST(CaptureJob, DoesNotInventTargets) {
  // A21: a template without the annotation gets none.
  Value bare = Yaml("spec: {containers: [{name: main, image: i}]}");
  auto options = Options();
  const auto job = CaptureJob(bare, options);
  ASSERT_OK(job.status());
  EXPECT_EQ(job->Write().find(kTargetsAnnotation), std::string::npos);
  // A23
  options.target_container.clear();
  EXPECT_THAT(CaptureJob(bare, options).status().ToString(),
              HasSubstr(std::string(kTargetsAnnotation)));
  bare.MakePath("metadata.annotations").Set(kTargetsAnnotation, "main,other");
  EXPECT_THAT(CaptureJob(bare, options).status().ToString(), HasSubstr("at most 1"));
  bare.MakePath("metadata.annotations").Set(kTargetsAnnotation, "absent");
  EXPECT_THAT(CaptureJob(bare, options).status().ToString(), HasSubstr("'absent'"));
  // A24
  options.target_container = "other";
  EXPECT_THAT(CaptureJob(bare, options).status().ToString(), HasSubstr("'other'"));
  EXPECT_THAT(CaptureJob(Yaml("spec: {}"), Options()).status().ToString(),
              HasSubstr("no containers"));
}

TEST(CaptureJob, WrapsTheCommandOnlyWhenAskedTo) {
  // A26 is in the whole of it.
  auto options = Options();
  options.wrap_cuda_launch_job = true;
  const auto job = CaptureJob(Template(), options);
  ASSERT_OK(job.status());
  const Value& main = job->FindPath("spec.template.spec.containers")->items()[1];
  EXPECT_EQ(At(main, "command"), R"(["cuda-checkpoint"])");
  const auto& words = main.Find("args")->items();
  ASSERT_EQ(words.size(), 9U);
  EXPECT_EQ(words[0].string() + " " + words[1].string() + " " + words[2].string(),
            "--launch-job /bin/sh -c");
  EXPECT_EQ(words[4].string() + " " + words[5].string(),
            "dynamo-cuda-checkpoint /snapshot-control/cuda-checkpoint-job");
  EXPECT_EQ(words[6].string() + words[7].string() + words[8].string(), "python3-mengine");

  Value bare = Yaml("spec: {containers: [{name: main, image: i}]}");
  EXPECT_THAT(CaptureJob(bare, options).status().ToString(), HasSubstr("has no command"));
}

class LaunchScript : public testing::Test {
 protected:
  ProcessOutcome Run(const std::string& transient) {
    ProcessSpec spec;
    spec.argv = {"/bin/sh", "-c", std::string(CudaLaunchScript()),         "script", stable_,
                 "/bin/sh", "-c", "echo $CUDA_CHECKPOINT_JOB_FILE \"$@\"", "x",      "a b"};
    spec.env = {{"CUDA_CHECKPOINT_JOB_FILE", transient}};
    auto done = RealProcessRunner().Run(spec, WaitLimit::Forever());
    EXPECT_OK(done.status());
    return done.ok() ? *done : ProcessOutcome{.exit_code = -1};
  }
  TempDirectory directory_;
  std::string stable_ = directory_.path() + "/stable";
};

TEST_F(LaunchScript, KeepsTheJobFileWhereARestoreFindsIt) {
  // A27
  const std::string transient = directory_.path() + "/transient";
  std::ofstream(transient) << "job";
  EXPECT_EQ(Run(transient).output, stable_ + " a b\n");
  std::string kept;
  std::ifstream(stable_) >> kept;
  EXPECT_EQ(kept, "job");
  EXPECT_EQ(std::filesystem::status(stable_).permissions(), std::filesystem::perms(0600));
}

TEST_F(LaunchScript, SaysWhichDriverItNeeds) {
  // A27
  const ProcessOutcome done = Run("");
  EXPECT_NE(done.exit_code, 0);
  EXPECT_THAT(done.errors, HasSubstr("requires NVIDIA driver 610 or newer"));
}

}  // namespace
}  // namespace hearth::snapshot

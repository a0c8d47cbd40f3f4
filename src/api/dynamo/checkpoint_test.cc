#include "api/dynamo/checkpoint.h"

#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/yaml.h"

namespace hearth::api::dynamo {
namespace {

template <typename T>
Result<T> Read(const json::Value& value) {
  const json::Blob blob = value.ToBlob();
  return DecodeAs<T>(blob.view());
}

TEST(Checkpoint, EveryFieldIsReadAndWrittenBack) {
  ASSERT_OK_AND_ASSIGN(const json::Value written, json::ParseYamlDocument(R"(
identity:
  model: llama
  backendFramework: sglang
  dynamoVersion: 1.2.0
  tensorParallelSize: 2
  pipelineParallelSize: 1
  dtype: bf16
  maxModelLen: 4096
  extraParameters: {a: b}
gpuMemoryService:
  enabled: true
  mode: intraPod
  deviceClassName: gpu.nvidia.com
  extraClientContainers: [gms-saver]
  checkpoint:
    saver: {image: saver:2, envFromSecret: keys}
job:
  podTemplateSpec: {spec: {containers: [{name: engine, image: engine:1}]}}
  targetContainerName: engine
  sharedMemory: {size: 8Gi}
  activeDeadlineSeconds: 7200
)"));
  ASSERT_OK_AND_ASSIGN(const auto spec, Read<CheckpointSpec>(written));
  EXPECT_EQ(Encoded(spec).WriteCanonical(), written.WriteCanonical());
  EXPECT_EQ(spec.identity.backend_framework, BackendFramework::kSglang);
  EXPECT_EQ(spec.gpu_memory_service->mode, v1alpha1::GpuMemoryMode::kIntraPod);
  EXPECT_EQ(spec.gpu_memory_service->checkpoint->saver->image, "saver:2");
  EXPECT_EQ(spec.job.target_container_name, "engine");
}

TEST(Checkpoint, DeprecatedFieldsAreTakenAndForgotten) {
  ASSERT_OK_AND_ASSIGN(const json::Value written, json::ParseYamlDocument(R"(
identity: {model: m, backendFramework: vllm}
job: {podTemplateSpec: {}, backoffLimit: 3, ttlSecondsAfterFinished: 5}
)"));
  ASSERT_OK_AND_ASSIGN(const auto spec, Read<CheckpointSpec>(written));
  EXPECT_EQ(spec.job.active_deadline_seconds, 3600);
  EXPECT_EQ(Encoded(spec).FindPath("job.backoffLimit"), nullptr);
}

TEST(Checkpoint, StatusIsReadAndWrittenBack) {
  ASSERT_OK_AND_ASSIGN(const json::Value written, json::ParseYamlDocument(R"(
phase: Creating
checkpointID: abc
identityHash: abc
jobName: job
podSnapshotName: snap
createdAt: "2026-01-01T00:00:00Z"
message: running
conditions:
- {type: JobCreated, status: "True", reason: Created, message: "", lastTransitionTime: "2026-01-01T00:00:00Z"}
)"));
  ASSERT_OK_AND_ASSIGN(const auto status, Read<CheckpointStatus>(written));
  EXPECT_EQ(Encoded(status).WriteCanonical(), written.WriteCanonical());
  EXPECT_EQ(Encoded(CheckpointStatus()).Write(), "{}");
}

}  // namespace
}  // namespace hearth::api::dynamo

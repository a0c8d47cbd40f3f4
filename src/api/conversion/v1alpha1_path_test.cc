#include <gtest/gtest.h>

#include "api/conversion/convert.h"
#include "api/conversion/testing/graphs.h"

namespace hearth::api::conversion {
namespace {

using json::Value;

Value Graph() {
  return testing::Object("DynamoGraphDeployment", "v1alpha1", R"(
envs: [{name: A}]
topologyConstraint: {topologyProfile: dc}
services:
  a.b: {replicas: 1}
  worker:
    componentType: worker
    subComponentType: decode
    replicas: 2
    sharedMemory: {size: 1Gi}
    envs: [{name: A, value: "1"}]
    resources: {limits: {cpu: "1", gpu: "2", custom: {rdma/ib: "1"}}}
    volumeMounts:
      - {name: models, mountPoint: /models}
      - {name: cache, mountPoint: /cache, useAsCompilationCache: true}
    frontendSidecar: {image: fe}
    extraPodMetadata: {labels: {a: b}}
    extraPodSpec:
      nodeSelector: {a: b}
      containers: [{name: x, image: i}, {name: "y", image: i}]
      mainContainer:
        image: i
        env: [{name: B, value: "2"}]
    gpuMemoryService: {enabled: true, mode: intraPod}
    checkpoint: {enabled: true}
)");
}

struct Case {
  const char* v1beta1;
  const char* v1alpha1;
};

TEST(V1alpha1Path, IsWhereTheUserFindsIt) {
  const Value alpha = Graph();
  const Value beta = testing::Converted(alpha, "v1beta1");
  constexpr Case kCases[] = {
      {"metadata.name", "metadata.name"},
      {"metadata.annotations[a.b/c]", "metadata.annotations[a.b/c]"},  // also when there are none
      {"spec", "spec"},
      {"spec.env[0].name", "spec.envs[0].name"},
      {"spec.topologyConstraint.clusterTopologyName", "spec.topologyConstraint.topologyProfile"},
      {"spec.components", "spec.services"},
      {"spec.components[0].replicas", "spec.services[a.b].replicas"},
      {"spec.components[1]", "spec.services[worker]"},
      {"spec.components[1].name", "spec.services[worker]"},
      {"spec.components[1].replicas", "spec.services[worker].replicas"},
      {"spec.components[1].type", "spec.services[worker].subComponentType"},
      {"spec.components[0].type", "spec.services[a.b]"},
      {"spec.components[1].sharedMemorySize", "spec.services[worker].sharedMemory.size"},
      {"spec.components[1].compilationCache.mountPath", "spec.services[worker].volumeMounts[1]"},
      // What is missing is named, where both versions have one name for it.
      {"spec.components[1].multinode", "spec.services[worker].multinode"},
      {"spec.components[1].multinode.nodeCount", "spec.services[worker]"},
      {"spec.components[1].experimental.failover", "spec.services[worker].failover"},
      {"spec.components[1].experimental.gpuMemoryService.deviceClassName",
       "spec.services[worker].gpuMemoryService.deviceClassName"},
      {"spec.restart", "spec.restart"},
      {"spec.restart.id", "spec"},
      // What is told of the older form itself stays.
      {"spec.services[worker].volumeMounts[0].name", "spec.services[worker].volumeMounts[0].name"},
      {"spec.services[worker].volumeMounts[1].missing",
       "spec.services[worker].volumeMounts[1].missing"},
      {"spec.components[1].frontendSidecar", "spec.services[worker].frontendSidecar"},
      {"spec.components[1].experimental", "spec.services[worker]"},
      {"spec.components[1].experimental.gpuMemoryService.mode",
       "spec.services[worker].gpuMemoryService.mode"},
      {"spec.components[1].podTemplate.metadata.labels[a]",
       "spec.services[worker].extraPodMetadata.labels[a]"},
      {"spec.components[1].podTemplate.spec.nodeSelector",
       "spec.services[worker].extraPodSpec.nodeSelector"},
      {"spec.components[1].podTemplate.spec.containers[0].image",
       "spec.services[worker].extraPodSpec.mainContainer.image"},
      {"spec.components[1].podTemplate.spec.containers[0].env[0].value",
       "spec.services[worker].envs[0].value"},
      {"spec.components[1].podTemplate.spec.containers[0].env[1].value",
       "spec.services[worker].extraPodSpec.mainContainer.env[0].value"},
      {"spec.components[1].podTemplate.spec.containers[0].volumeMounts[0].name",
       "spec.services[worker].volumeMounts[0].name"},
      {"spec.components[1].podTemplate.spec.containers[0].resources.limits[nvidia.com/gpu]",
       "spec.services[worker].resources.limits.gpu"},
      {"spec.components[1].podTemplate.spec.containers[0].resources.limits[rdma/ib]",
       "spec.services[worker].resources.limits.custom[rdma/ib]"},
      {"spec.components[1].podTemplate.spec.containers[2].image",
       "spec.services[worker].extraPodSpec.containers[1].image"},
      {"spec.components[1].podTemplate.spec.containers[3].image",
       "spec.services[worker].frontendSidecar.image"},
      {"spec.components[1].podTemplate.spec.containers[0].lifecycle.preStop",
       "spec.services[worker].extraPodSpec.mainContainer"},
      {"spec.components[7].replicas", "spec.services"},
      {"", ""},
      {"spec.components[x", "spec.services"},
      {"]..[[", ""},
      {"spec.components..[].x", "spec.services"},
  };
  for (const Case& one : kCases) {
    EXPECT_EQ(FindInV1alpha1(alpha, beta, one.v1beta1).path, one.v1alpha1) << one.v1beta1;
  }
}

TEST(V1alpha1Path, OfAStandAloneComponent) {
  const Value alpha = testing::Object("DynamoComponentDeployment", "v1alpha1",
                                      "{serviceName: s, replicas: 1, envs: [{name: A}]}");
  const Value beta = testing::Converted(alpha, "v1beta1");
  EXPECT_EQ(FindInV1alpha1(alpha, beta, "spec.replicas").path, "spec.replicas");
  EXPECT_EQ(FindInV1alpha1(alpha, beta, "spec.name").path, "spec.serviceName");
  EXPECT_EQ(FindInV1alpha1(alpha, beta, "spec.experimental.failover").path, "spec.failover");
  EXPECT_EQ(FindInV1alpha1(alpha, beta, "spec.envs[0].value").path, "spec.envs[0].value");
  EXPECT_EQ(FindInV1alpha1(alpha, beta, "spec.podTemplate.spec.containers[0].env[0].name").path,
            "spec.envs[0].name");
}

TEST(V1alpha1Path, LeadsToTheValueThatTheUserWrote) {
  const Value alpha = Graph();
  const Value beta = testing::Converted(alpha, "v1beta1");
  const auto written = [&](std::string_view path) {
    const Value* value = FindInV1alpha1(alpha, beta, path).value;
    return value == nullptr ? std::string("nothing") : value->StringOr("no text");
  };
  EXPECT_EQ(written("spec.components[1].experimental.gpuMemoryService.mode"), "intraPod");
  EXPECT_EQ(written("spec.components[1].type"), "decode");
  EXPECT_EQ(written("spec.components[1].podTemplate.spec.containers[2].image"), "i");
  EXPECT_EQ(written("metadata.labels[none]"), "nothing");
  // Only near: the name is a key there.
  EXPECT_EQ(written("spec.components[1].name"), "nothing");
  EXPECT_EQ(written("spec.components[0].experimental.failover.mode"), "nothing");
}

}  // namespace
}  // namespace hearth::api::conversion

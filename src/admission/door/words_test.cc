// Who sent v1alpha1 is told of v1alpha1; and everybody is told once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admission/door/door.h"
#include "base/testing/status_matchers.h"
#include "json/yaml.h"

namespace hearth::admission {
namespace {

using json::Value;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Told {
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
};

Told Create(const std::string& yaml, const Setup& setup = {}) {
  const auto admitted = Admit(json::ParseYamlDocument(yaml).value(), {.setup = setup});
  EXPECT_OK(admitted);
  Told told;
  for (const Finding& finding : admitted->errors) {
    told.errors.push_back(finding.error.ToString());
  }
  told.warnings = Texts(admitted->warnings);
  return told;
}

std::string Older(const std::string& worker) {
  return R"(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: g, namespace: default}
spec:
  backendFramework: vllm
  services:
    worker:
      componentType: worker
      replicas: 1
      resources: {limits: {gpu: "1"}}
      extraPodSpec: {mainContainer: {image: i, command: [python3, -m, dynamo.vllm]}}
)" + worker;
}

std::string Newer(const std::string& experimental) {
  return R"(
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: g, namespace: default, annotations: {nvidia.com/dynamo-kube-discovery-mode: container}}
spec:
  backendFramework: vllm
  components:
    - name: worker
      type: worker
      podTemplate: {spec: {containers: [{name: main, image: i, resources: {limits: {nvidia.com/gpu: 1}}}]}}
      experimental: )" +
         experimental;
}

TEST(UserWords, ValuesAreSpeltAsTheUserSpeltThem) {
  const Told told =
      Create(Older("      gpuMemoryService: {enabled: true, mode: interPod}\n"), {.grove = false});
  EXPECT_THAT(told.errors, Contains(HasSubstr("spec.services[worker].gpuMemoryService.mode")));
  for (const std::string& error : told.errors) {
    EXPECT_THAT(error, testing::Not(HasSubstr("\"InterPod\"")));
  }
  std::string other = Older("      gpuMemoryService: {enabled: true, mode: interPod}\n");
  other.replace(other.find("backendFramework: vllm"), 22, "backendFramework: sglang");
  EXPECT_THAT(Create(other).errors,
              Contains(HasSubstr("spec.services[worker].gpuMemoryService.mode: Invalid value: "
                                 "\"interPod\": the inter-pod GMS layout")));
}

TEST(UserWords, WarningsNamePlacesOfTheOlderForm) {
  const Told told = Create(Older("      multinode: {nodeCount: 2}\n"), {.grove = false});
  EXPECT_THAT(told.errors, IsEmpty());
  EXPECT_THAT(told.warnings, Contains(HasSubstr("spec.services[worker].multinode: no multinode")));
  const std::string other =
      "      gpuMemoryService: {enabled: true, checkpoint: {loader: {envs: "
      "[{name: GMS_SOCKET_DIR, value: /x}]}}}\n";
  EXPECT_THAT(
      Create(Older(other)).warnings,
      Contains("spec.services[worker].gpuMemoryService.checkpoint.loader.envs: GMS_SOCKET_DIR is "
               "the operator's; the value given is ignored"));
  for (const std::string& warning : Create(Older(other)).warnings) {
    EXPECT_THAT(warning, testing::Not(HasSubstr("spec.components")));
  }
}

TEST(UserWords, WhatTheSchemaSaysIsNotSaidAgain) {
  EXPECT_THAT(
      Create(Newer("{gpuMemoryService: {}, failover: {numShadows: 2}}")).errors,
      ElementsAre(HasSubstr("spec.components[0].experimental.failover.numShadows: Invalid value")));
  const std::string name(34, 'a');
  EXPECT_THAT(
      Create(Newer("{checkpoint: {enabled: true, targetContainerName: " + name + "}}")).errors,
      ElementsAre(HasSubstr("must be at most 33 characters long"),
                  HasSubstr("does not exist in pod spec")));
  // The older version's schema has no such bounds: the rules say it.
  EXPECT_THAT(Create(Older("      gpuMemoryService: {enabled: true}\n"
                           "      failover: {enabled: true, numShadows: 2}\n"))
                  .errors,
              Contains(HasSubstr("spec.services[worker].failover.numShadows: Invalid value: 2")));
}

}  // namespace
}  // namespace hearth::admission

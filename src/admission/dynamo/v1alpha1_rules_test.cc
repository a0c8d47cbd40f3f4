#include "admission/dynamo/v1alpha1_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admission/dynamo/graph_rules.h"
#include "admission/dynamo/testing/small_door.h"

namespace hearth::admission::dynamo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Told {
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
};

Told Check(std::string_view yaml) {
  Findings findings;
  CheckOlderForm(Yaml(yaml), findings);
  Told told{.warnings = Texts(findings.warnings())};
  for (const Finding& finding : findings.errors()) {
    told.errors.push_back(finding.error.ToString());
  }
  return told;
}

std::string Service(const std::string& service) {
  return "{kind: DynamoGraphDeployment, spec: {services: {worker: " + service + "}}}";
}

std::string Component(const std::string& service) {
  return "{kind: DynamoComponentDeployment, spec: " + service + "}";
}

const std::string kFixedShadow =
    "is invalid for mode=\"intraPod\": intraPod uses a fixed 1 primary + 1 shadow sidecar; use "
    "failover.mode=\"interPod\" to configure numShadows";

TEST(OlderForm, HasOneShadowInAPod) {  // V1
  EXPECT_THAT(
      Check(Service("{failover: {enabled: true, numShadows: 3}}")).errors,
      ElementsAre("spec.services[worker].failover.numShadows: Invalid value: 3: " + kFixedShadow));
  EXPECT_THAT(Check(Component("{failover: {enabled: true, mode: intraPod, numShadows: 2}}")).errors,
              ElementsAre("spec.failover.numShadows: Invalid value: 2: " + kFixedShadow));
  EXPECT_THAT(Check(Service("{failover: {enabled: true, numShadows: 1}}")).errors, IsEmpty());
  EXPECT_THAT(Check(Service("{failover: {enabled: true}}")).errors, IsEmpty());
  // V5
  EXPECT_THAT(Check(Service("{failover: {enabled: false, numShadows: 3}}")).errors, IsEmpty());
}

TEST(OlderForm, HasOneFrontendSidecar) {  // V1
  EXPECT_THAT(Check(Service("{frontendSidecar: {image: f}, extraPodSpec: {containers: [{name: "
                            "sidecar-frontend, image: x}]}}"))
                  .errors,
              ElementsAre("spec.services[worker].frontendSidecar: Forbidden: cannot inject "
                          "frontend sidecar: a container named \"sidecar-frontend\" already exists "
                          "in extraPodSpec.containers"));
  EXPECT_THAT(Check(Component("{frontendSidecar: {image: f}, extraPodSpec: {containers: [{name: "
                              "other, image: x}]}}"))
                  .errors,
              IsEmpty());
  EXPECT_THAT(
      Check(Service("{extraPodSpec: {containers: [{name: sidecar-frontend, image: x}]}}")).errors,
      IsEmpty());
}

TEST(OlderForm, MountsClaimsSomewhere) {
  EXPECT_THAT(Check(Service("{volumeMounts: [{name: a, mountPoint: /a}, {name: b}, {name: c, "
                            "useAsCompilationCache: true}]}"))
                  .errors,
              ElementsAre("spec.services[worker].volumeMounts[1].mountPoint: Required value: is "
                          "required when useAsCompilationCache is false"));
}

TEST(OlderForm, IsToldWhatIsIgnored) {
  const Told told = Check(Service("{dynamoNamespace: x, autoscaling: {enabled: true}}"));
  EXPECT_THAT(told.errors, IsEmpty());
  EXPECT_THAT(told.warnings,
              ElementsAre(HasSubstr("spec.services[worker].dynamoNamespace: deprecated and "
                                    "ignored"),
                          "spec.services[worker].autoscaling: deprecated and ignored"));
}

TEST(OlderForm, MayHaveAnyNamesAndEmptyServices) {  // V3
  EXPECT_THAT(Check("{spec: {services: {a: {}, A: {}, \"\": null}}}").errors, IsEmpty());
  EXPECT_THAT(Check("{spec: {services: [1]}}").errors, IsEmpty());
  EXPECT_THAT(Check("{kind: DynamoComponentDeployment}").errors, IsEmpty());
}

// What an older object says is not checked by the CEL rules of the newer version: the rules tell it
// of the converted object.
std::vector<std::string> AskRulesOnly(const json::Value& graph, const json::Value* old = nullptr) {
  Findings findings;
  ValidateGraph(graph, {.old = old}, findings);
  std::vector<std::string> errors;
  for (const Finding& finding : findings.errors()) {
    errors.push_back(finding.error.ToString());
  }
  return errors;
}

constexpr const char* kContainers =
    "{metadata: {annotations: {nvidia.com/dynamo-kube-discovery-mode: container}}}";
constexpr const char* kInterPod =
    "{experimental: {gpuMemoryService: {mode: InterPod}, failover: {mode: InterPod}}}";
constexpr const char* kInterPodThree =
    "{experimental: {gpuMemoryService: {mode: InterPod}, failover: {mode: InterPod, numShadows: "
    "3}}}";

TEST(ConvertedOlderForm, HasOneShadow) {  // W17
  const std::string path =
      "spec.components[1].experimental.failover.numShadows: Invalid value: 3: ";
  EXPECT_THAT(AskRulesOnly(Graph("{experimental: {gpuMemoryService: {}, failover: {numShadows: "
                                 "3}}}",
                                 kContainers)),
              ElementsAre(path + kFixedShadow));
  EXPECT_THAT(AskRulesOnly(Graph(kInterPodThree)),
              ElementsAre(path + "must be 1: one engine stands by for each rank"));
  EXPECT_THAT(AskRulesOnly(Graph(kInterPod)), IsEmpty());
}

TEST(ConvertedOlderForm, CannotChangeItsShadows) {  // V1
  const json::Value three = Graph(kInterPodThree);
  EXPECT_THAT(AskRulesOnly(Graph(kInterPod), &three),
              ElementsAre("spec.components[1].experimental.failover.numShadows: Invalid value: 1: "
                          "is immutable for inter-pod GMS failover; delete and recreate the "
                          "DynamoGraphDeployment to change it"));
  EXPECT_THAT(AskRulesOnly(three, &three), IsEmpty());
}

TEST(ConvertedOlderForm, HasShortTargets) {  // W14
  const std::string name(34, 't');
  EXPECT_THAT(AskRulesOnly(Graph("{podTemplate: {spec: {containers: [{name: " + name +
                                 "}]}}, experimental: {checkpoint: {enabled: true, "
                                 "targetContainerName: " +
                                 name + "}}}")),
              ElementsAre("spec.components[1].experimental.checkpoint.targetContainerName: Invalid "
                          "value: \"" +
                          name +
                          "\": must be at most 33 characters long: the name becomes part of "
                          "annotation keys"));
}

// What is kept in the annotation may be anything.
TEST(OlderForm, IsPassedOverWhenItCannotBeHad) {
  const auto with = [](const std::string& kept) {
    return Graph("{}", "{metadata: {annotations: {nvidia.com/dgd-spec: \"" + kept + "\"}}}");
  };
  EXPECT_THAT(Ask(with("no json")).errors, IsEmpty());
  EXPECT_THAT(AskUpdate(Graph(), with("{}")).errors, IsEmpty());
}

}  // namespace
}  // namespace hearth::admission::dynamo

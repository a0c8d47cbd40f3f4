#include "admission/dynamo/v1alpha1_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admission/dynamo/graph_rules.h"
#include "admission/dynamo/testing/small_door.h"

namespace hearth::admission::dynamo {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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

// Nobody could read it as v1alpha1, or any list that it is in.
TEST(OlderForm, KeepsNoMoreThanCanBePutBack) {
  const auto with = [](size_t fields) {
    json::Value kept = json::Value::Object();
    json::Value& service = kept["services"]["worker"];
    for (size_t i = 0; i < fields; ++i) {
      service["volumeMounts"].Append(json::Value::Object({{"useAsCompilationCache", true}}));
      service["extraPodSpec"]["gone" + std::to_string(i)] = 1;
    }
    json::Value graph = Graph();
    graph["metadata"]["annotations"].Set("nvidia.com/dgd-spec", kept.Write());
    return graph;
  };
  EXPECT_THAT(AskRulesOnly(with(10)), IsEmpty());
  EXPECT_THAT(AskRulesOnly(with(5'800)),
              ElementsAre(testing::StartsWith("metadata.annotations: Forbidden: annotation "
                                              "nvidia.com/dgd-spec: keeps so much")));
  // What is stored already can still be changed, and mended.
  const json::Value stored = with(5'800);
  EXPECT_THAT(AskRulesOnly(with(5'800), &stored), IsEmpty());
  EXPECT_THAT(AskRulesOnly(Graph(), &stored), IsEmpty());
}

// v1alpha1 has no word for the command of that container: the conversion would have to keep it.
json::Value WithSidecar(const json::Value& container) {
  json::Value graph = Graph();
  json::Value& worker = graph["spec"]["components"].items()[0];
  worker.Set("frontendSidecar", "sidecar-frontend");
  json::Value sidecar = json::Value::Object({{"name", "sidecar-frontend"}, {"image", "frontend"}});
  for (const auto& [name, value] : container.members()) {
    sidecar.Set(name, value);
  }
  worker.MakePath("podTemplate.spec")["containers"].Append(std::move(sidecar));
  return graph;
}

json::Value WithCommand(size_t bytes) {
  return WithSidecar(
      json::Value::Object({{"command", json::Value::Array({std::string(bytes, 'x')})}}));
}

// The same without any annotation: the conversion would have to write one that no server stores.
TEST(OlderForm, WouldKeepNoMoreThanIsStored) {
  EXPECT_THAT(AskRulesOnly(WithCommand(10)), IsEmpty());
  EXPECT_THAT(AskRulesOnly(WithCommand(300'000)),
              ElementsAre(testing::StartsWith(
                  "spec.components[Frontend].podTemplate.spec.containers[sidecar-frontend].command:"
                  " Forbidden: the other version has no word for this")));
  json::Value crowded = WithCommand(10);
  crowded["metadata"]["annotations"].Set("note", std::string(262'000, 'n'));
  EXPECT_THAT(AskRulesOnly(crowded), ElementsAre(HasSubstr("bytes of other annotations")));
  // What is stored already can still be changed: however many bytes it takes now.
  const json::Value stored = WithCommand(300'000);
  EXPECT_THAT(AskRulesOnly(WithCommand(300'001), &stored), IsEmpty());
}

// Whatever keeps it from being converted.
TEST(OlderForm, CanBeHad) {
  json::Value graph = Graph();
  graph["spec"]["components"].items()[0].Set("name", std::string(254, 'c'));
  EXPECT_THAT(AskRulesOnly(graph),
              Contains(testing::StartsWith("spec.components: Forbidden: the name \"ccc")));
}

// The schema says it, and where.
TEST(OlderForm, IsNoReasonBesideANameThatStandsTwice) {
  json::Value graph = Graph();
  json::Value& components = graph["spec"]["components"];
  components.Append(components.items()[0]);
  EXPECT_THAT(AskRulesOnly(graph), Not(Contains(testing::HasSubstr("both named"))));
}

// V3: the object is taken as it was.
TEST(OlderForm, IsToldOfNamesThatNoObjectCanHave) {
  const auto ask = [](const std::string& name, bool grove = true) {
    return Ask(Yaml("{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, metadata: "
                    "{name: g}, spec: {services: {" +
                    name + ": {componentType: worker}}}}"),
               {.setup = {.grove = grove}});
  };
  for (const char* name : {"a_b", "Main..x", "\"\"", "-a", "ä"}) {
    EXPECT_THAT(ask(name).errors, IsEmpty()) << name;
    EXPECT_THAT(ask(name).warnings, Contains(HasSubstr("cannot run"))) << name;
  }
  EXPECT_THAT(ask("Main-x2").warnings, Not(Contains(HasSubstr("cannot run"))));
  EXPECT_THAT(ask("a.b").warnings, Contains(HasSubstr("cannot run")));
  EXPECT_THAT(ask("a.b", false).warnings, Not(Contains(HasSubstr("cannot run"))));
  EXPECT_THAT(ask("a..b", false).warnings, Contains(HasSubstr("cannot run")));
}

// Neither a quantity nor refused by any definition: no reason to refuse it here.
TEST(OlderForm, HasWhatTheDefinitionsTake) {
  json::Value container = json::Value::Object();
  container.MakePath("resources.limits.cpu") = "1e1.5";
  EXPECT_THAT(Ask(WithSidecar(container)).errors, IsEmpty());
}

// While an object is being deleted no other rule is asked.
TEST(OlderForm, IsAllThatMattersOfWhatIsBeingDeleted) {
  const auto ask = [](const json::Value& graph, const json::Value* old) {
    Findings findings;
    ValidateReadable(graph, {.old = old}, findings);
    return findings.ok();
  };
  const json::Value fine = Graph("{experimental: {failover: {numShadows: 3}}}");
  const json::Value stored = WithCommand(300'000);
  EXPECT_TRUE(ask(fine, &fine));
  EXPECT_FALSE(ask(stored, &fine));
  EXPECT_TRUE(ask(stored, &stored)) << "a finalizer can always be taken away";
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

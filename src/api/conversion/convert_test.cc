#include "api/conversion/convert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conversion/testing/graphs.h"
#include "base/testing/status_matchers.h"
#include "json/parse.h"
#include "json/yaml.h"

namespace hearth::api::conversion {
namespace {

using json::Value;
using testing::AlphaGraph;
using testing::BetaGraph;
using testing::Converted;
using ::testing::HasSubstr;
using testing::Object;
using testing::SavedSpec;
using testing::SavedStatus;
using testing::Worker;
using testing::Yaml;

constexpr std::string_view kGraph = "DynamoGraphDeployment";
constexpr std::string_view kComponent = "DynamoComponentDeployment";

TEST(Convert, TheVersionItHasIsTheObjectItself) {
  const Value graph = AlphaGraph("{ingress: {}}");
  EXPECT_EQ(Converted(graph, "v1alpha1").Write(), graph.Write());
}

TEST(Convert, OtherKindsAndVersionsAreNotFound) {
  EXPECT_CODE(Code::kNotFound, Convert(AlphaGraph("{}"), "v1"));
  EXPECT_CODE(Code::kNotFound, Convert(Object("Pod", "v1alpha1", "{}"), "v1beta1"));
  EXPECT_CODE(Code::kNotFound, Convert(Object(kGraph, "v2", "{}"), "v1beta1"));
  EXPECT_CODE(Code::kNotFound, Convert(Value("text"), "v1beta1"));
}

TEST(Convert, AnyNumberOfComponentsIsNotConverted) {
  const auto graph = [](size_t count) {
    Value alpha = AlphaGraph("{}");
    Value services = Value::Object();
    for (size_t i = 0; i < count; ++i) {
      services.Set("s" + std::to_string(i), Value::Object());
    }
    alpha["spec"].Set("services", std::move(services));
    return alpha;
  };
  EXPECT_OK(Convert(graph(100), "v1beta1"));
  const auto refused = Convert(graph(101), "v1beta1");
  EXPECT_CODE(Code::kInvalid, refused);
  EXPECT_THAT(refused.status().message(), HasSubstr("spec.services: has 101 entries, and 100"));
  Value beta = Object(kGraph, "v1beta1", "{components: []}");
  for (size_t i = 0; i < 101; ++i) {
    beta["spec"]["components"].Append(Value::Object({{"name", "c" + std::to_string(i)}}));
  }
  EXPECT_CODE(Code::kInvalid, Convert(beta, "v1alpha1"));
}

TEST(Convert, FieldsOfTheGraph) {
  const Value alpha = Object(kGraph, "v1alpha1", R"(
annotations: {a: b}
labels: {}
priorityClassName: p
envs: [{name: A}, {name: A}]
backendFramework: vllm
restart: {id: "1", strategy: {type: Parallel}}
topologyConstraint: {topologyProfile: dc, packDomain: rack}
experimental: {kvTransferPolicy: {domain: zone}}
services: {}
)");
  const Value beta = Converted(alpha, "v1beta1");
  EXPECT_EQ(*beta.Find("spec"), Yaml(R"(
annotations: {a: b}
labels: {}
priorityClassName: p
env: [{name: A}, {name: A}]
backendFramework: vllm
restart: {id: "1", strategy: {type: Parallel}}
topologyConstraint: {clusterTopologyName: dc, packDomain: rack}
experimental: {kvTransferPolicy: {domain: zone}}
components: []
)")) << json::WriteYaml(beta);
  EXPECT_EQ(SavedSpec(beta), "");
  EXPECT_EQ(Converted(beta, "v1alpha1"), alpha);
}

TEST(Convert, StatusOfTheGraph) {
  Value alpha = Object(kGraph, "v1alpha1", "{}");
  alpha.Set("status", Yaml(R"(
observedGeneration: 3
state: successful
conditions: [{type: Ready, status: "True"}]
restart: {observedID: "1", inProgress: [w]}
checkpoints: {w: {checkpointID: c, ready: true}}
startup: {restored: 2, cold: 1}
rollingUpdate: {phase: InProgress, updatedServices: [w]}
services: {w: {componentKind: Deployment, componentName: w2, componentNames: [w1, w2], replicas: 1}}
)"));
  const Value beta = Converted(alpha, "v1beta1");
  EXPECT_EQ(*beta.Find("status"), Yaml(R"(
observedGeneration: 3
state: successful
conditions: [{type: Ready, status: "True"}]
restart: {observedID: "1", inProgress: [w]}
checkpoints: {w: {checkpointID: c, ready: true}}
startup: {restored: 2, cold: 1}
rollingUpdate: {phase: InProgress, updatedComponents: [w]}
components: {w: {componentKind: Deployment, componentNames: [w1, w2], replicas: 1}}
)")) << json::WriteYaml(beta);
  EXPECT_EQ(SavedStatus(beta), "");
  EXPECT_EQ(Converted(beta, "v1alpha1"), alpha);
}

TEST(Convert, StatusOfAComponent) {
  Value alpha = Object(kComponent, "v1alpha1", "{serviceName: s}");
  alpha.Set("status", Yaml("{podSelector: {a: b}, service: {componentName: x, replicas: 1}}"));
  const Value beta = Converted(alpha, "v1beta1");
  EXPECT_EQ(*beta.Find("status"), Yaml("{component: {componentNames: [x], replicas: 1}}"));
  EXPECT_THAT(SavedStatus(beta), HasSubstr(R"("status":{"podSelector":{"a":"b"}})"));
  EXPECT_EQ(SavedSpec(beta), "");
  EXPECT_EQ(Converted(beta, "v1alpha1"), alpha);
}

TEST(Convert, MetadataIsLeftAlone) {
  Value alpha = AlphaGraph("{ingress: {}}");
  alpha.Set("metadata", Yaml(R"(
name: llama
uid: u
generation: 3
labels: {a: b}
annotations: {example.com/mine: "{not json", kubectl.kubernetes.io/x: ""}
managedFields: [{manager: kubectl, fieldsV1: {f:spec: {f:services: {}}}}]
ownerReferences: []
unknown: null
)"));
  const Value beta = Converted(alpha, "v1beta1");
  Value expected = *alpha.Find("metadata");
  expected["annotations"].Set("nvidia.com/dgd-spec", SavedSpec(beta));
  EXPECT_EQ(*beta.Find("metadata"), expected);
  EXPECT_EQ(Converted(beta, "v1alpha1"), alpha);
}

TEST(Convert, AnnotationsThatAreMissingNullOrEmptyStaySo) {
  for (const char* metadata : {"{name: a}", "{name: a, annotations: null}",
                               "{name: a, annotations: {}}", "{name: a, annotations: {x: z}}"}) {
    Value alpha = AlphaGraph("{ingress: {}}");
    alpha.Set("metadata", Yaml(metadata));
    EXPECT_EQ(Converted(Converted(alpha, "v1beta1"), "v1alpha1"), alpha) << metadata;
  }
}

// What is kept can be read by people and by others.
TEST(Convert, WhatIsSavedIsSparse) {
  const Value beta = Converted(
      Object(
          kGraph, "v1alpha1",
          "{pvcs: [{name: p}], services: {a: {replicas: 1}, b: {replicas: 1, ingress: {host: h}, "
          "componentType: worker, subComponentType: odd, envs: [{name: A}], extraPodSpec: "
          "{mainContainer: {env: [{name: B}]}}}}}"),
      "v1beta1");
  EXPECT_EQ(
      SavedSpec(beta),
      R"({"rawJSON":[{"nil":true,"path":"/services/b/envs/name=B","was":"9d4e9d160af2480f"},)"
      R"({"if":{"is":"cbaee650174c6184","path":"/services/b/componentType"},)"
      R"("path":"/services/b/subComponentType","raw":"Im9kZCI="}],)"
      R"("spec":{"pvcs":[{"name":"p"}],"services":{"b":{)"
      R"("extraPodSpec":{"mainContainer":{"env":[{"name":"B"}]}},"ingress":{"host":"h"}}}},"version":1})");
}

TEST(Convert, TheSameObjectGivesTheSameBytesWhateverTheOrderOfItsMembers) {
  const Value one = Yaml(
      "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, metadata: {name: g}, spec: "
      "{pvcs: [], services: {a: {labels: {}, ingress: {}, envs: [], serviceName: x}, b: null}}}");
  const Value other = Yaml(
      "{spec: {services: {b: null, a: {serviceName: x, envs: [], ingress: {}, labels: {}}}, pvcs: "
      "[]}, metadata: {name: g}, kind: DynamoGraphDeployment, apiVersion: nvidia.com/v1alpha1}");
  EXPECT_EQ(Converted(one, "v1beta1").WriteCanonical(),
            Converted(other, "v1beta1").WriteCanonical());
}

// V3.
TEST(Convert, NamesThatOnlyV1alpha1AllowsAreCarriedOver) {
  const Value alpha = Object(kGraph, "v1alpha1",
                             "services: {Worker: {}, worker: {}, '': {}, 'a/b=~.c': {labels: {}}}");
  EXPECT_EQ(Converted(Converted(alpha, "v1beta1"), "v1alpha1"), alpha);
}

// N3.
TEST(Convert, TwoComponentsOfOneNameCannotBeServices) {
  const auto converted = Convert(
      Object(kGraph, "v1beta1", "components: [{name: a}, {name: b}, {name: a}]"), "v1alpha1");
  EXPECT_CODE(Code::kInvalid, converted);
  EXPECT_EQ(converted.status().message(),
            "spec.components[0] and spec.components[2] are both named \"a\", and v1alpha1 keys "
            "services by name: rename one of them");
}

TEST(Convert, AComponentWithoutANameTakesThatOfItsObject) {
  for (const char* spec : {"{}", "{serviceName: ''}"}) {
    const Value alpha = Object(kComponent, "v1alpha1", spec);
    Value beta = Converted(alpha, "v1beta1");
    EXPECT_EQ(beta.FindPath("spec.name")->string(), "llama");
    EXPECT_EQ(Converted(beta, "v1alpha1"), alpha);
    beta["spec"].Set("name", "other");
    EXPECT_EQ(Converted(beta, "v1alpha1").FindPath("spec.serviceName")->string(), "other");
  }
  const Value named = Object(kComponent, "v1alpha1", "{serviceName: s}");
  EXPECT_EQ(Converted(named, "v1beta1").FindPath("spec.name")->string(), "s");
}

TEST(Convert, WhatIsOfTheWrongTypeIsToldOrCarriedOver) {
  struct Case {
    std::string_view version;
    const char* object;
    const char* message;
  };
  const Case cases[] = {
      {"v1beta1", "{metadata: a}", "metadata: must be an object, not string"},
      {"v1beta1", "{}", "metadata: must be an object, not null"},
      {"v1beta1", "{metadata: {annotations: []}}",
       "metadata.annotations: must be an object, not array"},
      {"v1beta1", "{metadata: {}, spec: text}", "spec: must be an object, not string"},
      {"v1beta1", "{metadata: {}, status: []}", "status: must be an object, not array"},
      {"v1beta1", "{metadata: {}, spec: {services: []}}",
       "spec.services: must be an object, not array"},
      {"v1beta1", "{metadata: {}, spec: {services: {a: 1}}}",
       "spec.services.a: must be an object, not number"},
      {"v1beta1", "{metadata: {}, spec: {services: {a: {envs: text}}}}",
       "spec.services.a.envs: must be a list, not string"},
      {"v1beta1", "{metadata: {}, spec: {pvcs: [{size: much}]}}",
       "spec.pvcs[0].size: must be a quantity, number or string, not string"},
      {"v1alpha1", "{metadata: {}, spec: {components: {a: {}}}}",
       "spec.components: must be a list, not object"},
      {"v1alpha1", "{metadata: {}, spec: {components: [{name: a}, 5]}}",
       "spec.components[1].name: must be a string; v1alpha1 keys services by it"},
      {"v1alpha1", "{metadata: {}, spec: {components: [{name: a, podTemplate: 5}]}}",
       "spec.components[name=a].podTemplate: must be an object, not number"},
  };
  for (const Case& one : cases) {
    Value object = Yaml(one.object);
    object.Set("kind", kGraph);
    object.Set("apiVersion",
               one.version == "v1beta1" ? "nvidia.com/v1alpha1" : "nvidia.com/v1beta1");
    const auto converted = Convert(object, one.version);
    EXPECT_CODE(Code::kInvalid, converted);
    EXPECT_EQ(converted.status().message(), one.message);
  }
  const Value odd = AlphaGraph("{replicas: three, unknown: [1, {}]}");
  EXPECT_EQ(Worker(Converted(odd, "v1beta1"))->Find("replicas")->string(), "three");
  EXPECT_EQ(Converted(Converted(odd, "v1beta1"), "v1alpha1"), odd);
}

TEST(Convert, PartsThatAreMissingOrNullStaySo) {
  for (const char* rest : {"{}", "{spec: null}", "{status: null}", "{spec: {}, status: {}}"}) {
    Value alpha = Yaml(rest);
    alpha.Set("apiVersion", "nvidia.com/v1alpha1");
    alpha.Set("kind", kGraph);
    alpha.Set("metadata", Yaml("{annotations: {nvidia.com/dgd-spec: '{\"components\":[]}'}}"));
    const Value beta = Converted(alpha, "v1beta1");
    EXPECT_EQ(beta.Find("spec") == nullptr, alpha.Find("spec") == nullptr);
    EXPECT_EQ(*beta.Find("metadata"), Value::Object());
  }
}

Value WithSaved(Value object, std::string_view text) {
  object["metadata"].Set("annotations", Value::Object({{"nvidia.com/dgd-spec", text}}));
  return object;
}

// What was written before there were envelopes: the spec of the other version.
TEST(ConvertOldAnnotation, ASpecOfV1alpha1IsUsedAsFarAsItGoes) {
  const Value beta = WithSaved(BetaGraph("{replicas: 2, podTemplate: {spec: {containers: [{name: "
                                         "main, env: [{name: A}]}]}}}"),
                               Yaml("{pvcs: [{name: p}], services: {worker: {replicas: 1, ingress: "
                                    "{host: h}, envs: [{name: A}, {name: B}], dynamoNamespace: d}, "
                                    "gone: {ingress: {}}}}")
                                   .Write());
  const Value alpha = Converted(beta, "v1alpha1");
  EXPECT_EQ(*alpha.Find("spec"),
            Yaml("{pvcs: [{name: p}], services: {worker: {replicas: 2, ingress: {host: h}, envs: "
                 "[{name: A}], dynamoNamespace: d}}}"))
      << json::WriteYaml(alpha);
}

TEST(ConvertOldAnnotation, ASpecOfV1beta1IsUsedAsFarAsItGoes) {
  const Value alpha = WithSaved(
      Object(kGraph, "v1alpha1",
             "services: {a: {}, b: {extraPodSpec: {containers: [{name: fe}]}}}"),
      R"({"version":1,"spec":{"components":[{"name":"b","frontendSidecar":"fe","podTemplate":
         {"metadata":{"name":"x"}}},{"name":"a","replicas":5}]},
         "rawJSON":[{"path":"x/plugins/0/parameters","nil":true}]})");
  EXPECT_EQ(*Converted(alpha, "v1beta1").Find("spec"),
            Yaml("components: [{name: b, frontendSidecar: fe, podTemplate: {metadata: {name: x}, "
                 "spec: {containers: [{name: main}, {name: fe}]}}}, {name: a}]"))
      << json::WriteYaml(Converted(alpha, "v1beta1"));
}

TEST(ConvertHostileAnnotation, GarbageIsTakenOutAndForgotten) {
  const Value beta = BetaGraph("{replicas: 1}");
  const Value plain = Converted(beta, "v1alpha1");
  for (
      const char* garbage :
      {"", "{", "null", "[]", "5", "{}", R"({"spec":5})", R"({"version":2,"spec":{"pvcs":[]}})",
       R"({"version":1,"spec":{},"rawJSON":5})", R"({"version":1,"spec":{},"rawJSON":[5,{},null]})",
       R"({"version":1,"spec":{},"rawJSON":[{"path":"/pvcs","raw":"!"}]})",
       R"({"version":1,"spec":{},"rawJSON":[{"path":"pvcs","raw":"W10="}]})",
       R"({"version":1,"spec":{},"rawJSON":[{"path":"/services/worker/replicas/x","raw":"W10="}]})",
       R"({"version":1,"spec":{},"rawJSON":[{"path":"/services","order":["a"],"key":"name"}]})"}) {
    EXPECT_EQ(Converted(WithSaved(beta, garbage), "v1alpha1"), plain) << garbage;
  }
  Value not_text = beta;
  not_text["metadata"].Set("annotations", Yaml("{nvidia.com/dgd-spec: {a: b}}"));
  EXPECT_EQ(Converted(not_text, "v1alpha1"), plain);
}

// Raw values: "Mg==" is 2, "ImV2aWwi" is "evil", "e30=" is {}, "NQ==" is 5.
TEST(ConvertHostileAnnotation, CannotChangeWhatTheObjectSays) {
  const Value beta =
      BetaGraph("{replicas: 1, podTemplate: {spec: {containers: [{name: main, image: good}]}}}");
  const Value plain = Converted(beta, "v1alpha1");
  for (
      const char* hostile : {
          R"({"spec":{"services":{"worker":{"replicas":2}}}})",
          R"({"spec":{"services":{"worker":{"extraPodSpec":{"mainContainer":{"image":"evil"}}}}}})",
          R"({"spec":{"services":{"worker":{"envs":[{"name":"LD_PRELOAD"}]}}}})",
          R"({"spec":{"services":{"evil":{}}}})",
          R"({"spec":{},"rawJSON":[{"path":"/services/evil","raw":"e30="}]})",
          R"({"spec":{},"rawJSON":[{"path":"/services/worker/replicas","raw":"Mg=="}]})",
          R"({"spec":{},"rawJSON":[{"path":"/services","nil":true}]})",
          R"({"spec":{},"rawJSON":[{"path":"/services/worker/labels","raw":"NQ=="}]})",
          R"({"spec":{"pvcs":"text"}})",
          R"({"spec":{"services":{"worker":{"ingress":{"enabled":"yes"}}}}})",
      }) {
    EXPECT_EQ(Converted(WithSaved(beta, hostile), "v1alpha1"), plain) << hostile;
  }
}

TEST(ConvertHostileAnnotation, CannotReplaceWithTheRightDigest) {
  const Value alpha = AlphaGraph(
      "{envs: [{name: A, value: '1'}], extraPodSpec: {mainContainer: {env: "
      "[{name: B}]}}}");
  Value beta = Converted(alpha, "v1beta1");
  std::string saved = SavedSpec(beta);
  // A record that takes a variable out of envs, whose digest is right, without the place it was
  // moved to.
  const size_t place = saved.find(R"("extraPodSpec":{"mainContainer":{"env":[{"name":"B"}]}})");
  ASSERT_NE(place, std::string::npos) << saved;
  saved.erase(place,
              std::string(R"("extraPodSpec":{"mainContainer":{"env":[{"name":"B"}]}})").size());
  beta["metadata"]["annotations"].Set("nvidia.com/dgd-spec", saved);
  EXPECT_EQ(*Worker(Converted(beta, "v1alpha1")),
            Yaml("{envs: [{name: A, value: '1'}, {name: B}]}"));
}

// Each record has the whole object read to see whether it applies.
std::string RecordsThatReadAll(int count) {
  std::string saved = R"({"rawJSON":[)";
  for (int i = 0; i < count; ++i) {
    saved += R"({"path":"/labels","raw":"e30=","if":{"path":"","is":"wrong"}},)";
  }
  saved.back() = ']';
  return saved + R"(,"spec":{"services":{"worker":{"dynamoNamespace":"saved"}}},"version":1})";
}

TEST(ConvertHostileAnnotation, CannotMakeWorkWithoutEnd) {
  Value beta = BetaGraph("{replicas: 1}");
  (*Worker(beta))["podTemplate"]["metadata"]["annotations"].Set("large", std::string(1 << 20, 'x'));
  const Value few = Converted(WithSaved(beta, RecordsThatReadAll(10)), "v1alpha1");
  EXPECT_EQ(Worker(few)->Find("dynamoNamespace")->StringOr(""), "saved");
  const auto refused = Convert(WithSaved(beta, RecordsThatReadAll(1000)), "v1alpha1");
  EXPECT_CODE(Code::kInvalid, refused);
  EXPECT_EQ(refused.status().reason(), kUnkeptReason);
}

// What the definitions take is stored, and must be read whatever it is.
TEST(Convert, ATextThatIsNoQuantityIsCarriedOverWhenItsPatternTakesIt) {
  const auto limited = [](const std::string& cpu) {
    return BetaGraph(
        "{frontendSidecar: sidecar-frontend, podTemplate: {spec: {containers: [{name: main}, "
        "{name: sidecar-frontend, resources: {limits: {cpu: '" +
        cpu + "'}}}]}}}");
  };
  const Value beta = limited("1e1.5");
  EXPECT_EQ(Converted(Converted(beta, "v1alpha1"), "v1beta1"), beta);
  EXPECT_CODE(Code::kInvalid, Convert(limited("much"), "v1alpha1"));
}

void AddUnknown(Value& object) {
  for (int i = 0; i < 11'000; ++i) {
    object.members().emplace_back("u" + std::to_string(i), 1);
  }
}

// Were each looked for among the others, this would not end.
TEST(Convert, FieldsThatNobodyKnowsMayBeMany) {
  Value beta = BetaGraph("{replicas: 1}");
  AddUnknown(*Worker(beta));
  AddUnknown(beta["spec"]);
  AddUnknown(beta);
  const Value alpha = Converted(beta, "v1alpha1");
  EXPECT_NE(SavedSpec(alpha), "");
  EXPECT_EQ(alpha.members().size(), beta.members().size());
  EXPECT_EQ(Converted(alpha, "v1beta1").WriteCanonical(), beta.WriteCanonical());
}

}  // namespace
}  // namespace hearth::api::conversion

#include "api/dynamo/definitions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/testing/status_matchers.h"
#include "json/yaml.h"
#include "schema/prepare.h"
#include "schema/structural.h"
#include "schema/validate.h"

namespace hearth::api::dynamo {
namespace {

using schema::ResourceDefinition;
using schema::ResourceVersion;
using schema::Schema;
using testing::ElementsAre;
using testing::IsEmpty;

const ResourceDefinition& Definition(std::string_view kind) {
  static const std::vector<ResourceDefinition> definitions = Definitions();
  for (const ResourceDefinition& definition : definitions) {
    if (definition.kind == kind) {
      return definition;
    }
  }
  ADD_FAILURE() << "no kind " << kind;
  return definitions.front();
}

const schema::SchemaPtr& SchemaOf(std::string_view kind, std::string_view version) {
  for (const ResourceVersion& candidate : Definition(kind).versions) {
    if (candidate.name == version) {
      return candidate.schema;
    }
  }
  ADD_FAILURE() << kind << " has no version " << version;
  return Definition(kind).versions.front().schema;
}

// "spec.components.[].name"; {} for the values of a map.
const Schema* At(const Schema* schema, std::string_view path) {
  while (schema != nullptr && !path.empty()) {
    const size_t dot = std::min(path.find('.'), path.size());
    const std::string_view step = path.substr(0, dot);
    path.remove_prefix(std::min(dot + 1, path.size()));
    schema = step == "[]"   ? schema->items.get()
             : step == "{}" ? schema->additional_properties.get()
                            : schema->Find(step);
  }
  return schema;
}

const Schema& Place(std::string_view kind, std::string_view version, std::string_view path) {
  const Schema* found = At(SchemaOf(kind, version).get(), path);
  static const Schema none;
  EXPECT_NE(found, nullptr) << kind << " " << version << " " << path;
  return found == nullptr ? none : *found;
}

const Schema& Graph(std::string_view path) {
  return Place("DynamoGraphDeployment", "v1beta1", path);
}

bool HasRule(const Schema& schema, std::string_view message) {
  return std::any_of(schema.rules.begin(), schema.rules.end(),
                     [&](const schema::Rule& rule) { return rule.message == message; });
}

// Paths of what is wrong, without duplicates.
std::set<std::string> Faults(std::string_view yaml) {
  auto object = json::ParseYamlDocument(yaml);
  EXPECT_TRUE(object.ok()) << object.status().ToString();
  const std::string api_version = object->Find("apiVersion")->string();
  const schema::SchemaPtr& schema =
      SchemaOf(object->Find("kind")->string(), api_version.substr(api_version.find('/') + 1));
  const auto unknown = schema::Prepare(*object, *schema);
  EXPECT_TRUE(unknown.ok()) << unknown.status().ToString();
  std::set<std::string> paths(unknown->begin(), unknown->end());
  const auto validator = schema::Validator::Make(schema);
  EXPECT_TRUE(validator.ok()) << validator.status().ToString();
  for (const schema::FieldError& error : validator->Validate(*object)) {
    paths.insert(error.path);
  }
  return paths;
}

TEST(Definitions, NameTheKindsAndTheirVersions) {
  std::vector<std::string> seen;
  for (const ResourceDefinition& definition : Definitions()) {
    seen.push_back(definition.Name() + "/" + definition.short_names.at(0));
    EXPECT_THAT(definition.categories, ElementsAre("dynamo", "hearth"));
    EXPECT_THAT(definition.annotations, ElementsAre(std::pair<std::string, std::string>(
                                            "helm.sh/resource-policy", "keep")));
  }
  EXPECT_THAT(seen, ElementsAre("dynamographdeployments.nvidia.com/dgd",
                                "dynamocomponentdeployments.nvidia.com/dcd",
                                "dynamocheckpoints.nvidia.com/dckpt",
                                "dynamoworkermetadatas.nvidia.com/dwm"));
}

TEST(Definitions, StoreTheNewerVersionAndWarnOfTheOlder) {
  for (const char* kind : {"DynamoGraphDeployment", "DynamoComponentDeployment"}) {
    const ResourceDefinition& definition = Definition(kind);
    ASSERT_EQ(definition.versions.size(), 2U);
    const ResourceVersion& older = definition.versions[0];
    const ResourceVersion& stored = definition.versions[1];
    EXPECT_TRUE(older.served && older.deprecated && !older.storage);
    EXPECT_EQ(older.deprecation_warning, std::string("nvidia.com/v1alpha1 ") + kind +
                                             " is deprecated; use nvidia.com/v1beta1 " + kind);
    EXPECT_TRUE(stored.served && stored.storage && !stored.deprecated);
    ASSERT_TRUE(definition.conversion.has_value());
    EXPECT_EQ(definition.conversion->path, "/convert");
    EXPECT_THAT(definition.conversion->review_versions, ElementsAre("v1"));
  }
  EXPECT_FALSE(Definition("DynamoWorkerMetadata").versions[0].status_subresource);
  EXPECT_TRUE(Definition("DynamoCheckpoint").versions[0].status_subresource);
  const auto elsewhere = Definitions({.name_space = "ours", .name = "converter"});
  EXPECT_EQ(elsewhere[0].conversion->service_namespace, "ours");
  EXPECT_EQ(elsewhere[0].conversion->service_name, "converter");
}

TEST(Definitions, AreStructuralAndSmallEnoughToApply) {
  for (const ResourceDefinition& definition : Definitions()) {
    for (const ResourceVersion& version : definition.versions) {
      for (const schema::FieldError& error : schema::CheckStructural(*version.schema)) {
        ADD_FAILURE() << definition.kind << " " << version.name << ": " << error.ToString();
      }
    }
    const json::Value crd = schema::ToCrd(definition);
    EXPECT_LE(crd.Write().size(), size_t{1} << 20) << definition.kind;
    EXPECT_OK(schema::FromCrd(crd));
  }
}

// Kubernetes' own types say nothing, on purpose.
const std::set<std::string, std::less<>> kForeign = {
    "podTemplate",   "podTemplateSpec", "env",    "envs",     "configMapRef", "extraPodSpec",
    "livenessProbe", "readinessProbe",  "claims", "behavior", "metrics"};

void ExpectDescribed(const Schema& schema, const std::string& path) {
  for (const schema::Property& property : schema.properties) {
    const std::string place = path + "." + property.name;
    if (place == ".metadata") {
      continue;
    }
    EXPECT_NE(property.schema->description, "") << place;
    // The mounts of a loader are Kubernetes', those of an older service are not.
    const bool foreign =
        kForeign.contains(property.name) ||
        (property.name == "volumeMounts" && path.find(".checkpoint.") != std::string::npos);
    if (!foreign) {
      ExpectDescribed(*property.schema, place);
    }
  }
  if (schema.items != nullptr) {
    ExpectDescribed(*schema.items, path + "[]");
  }
  if (schema.additional_properties != nullptr) {
    ExpectDescribed(*schema.additional_properties, path + "{}");
  }
}

TEST(Definitions, EveryFieldOfOursIsExplained) {
  for (const ResourceDefinition& definition : Definitions()) {
    for (const ResourceVersion& version : definition.versions) {
      ExpectDescribed(*version.schema, "");
    }
  }
}

TEST(GraphSchema, HasTheDefaultsRangesAndListTypes) {
  EXPECT_EQ(Graph("spec.components").max_items, 25);
  EXPECT_THAT(Graph("spec.components").list_map_keys, ElementsAre("name"));
  EXPECT_THAT(Graph("spec.components.[]").required, ElementsAre("name"));
  EXPECT_EQ(Graph("spec.components.[].multinode.nodeCount").default_value, json::Value(2));
  EXPECT_EQ(Graph("spec.components.[].replicas").minimum, json::Value(0));
  EXPECT_FALSE(Graph("spec.components.[].replicas").default_value.has_value());
  const std::string features = "spec.components.[].experimental.";
  EXPECT_EQ(Graph(features + "gpuMemoryService.mode").default_value, json::Value("IntraPod"));
  EXPECT_EQ(Graph(features + "gpuMemoryService.deviceClassName").default_value,
            json::Value("gpu.nvidia.com"));
  EXPECT_EQ(Graph(features + "gpuMemoryService.extraClientContainers").list_type,
            schema::ListType::kSet);
  EXPECT_THAT(Graph(features + "gpuMemoryService.extraClientPods").list_map_keys,
              ElementsAre("name"));
  for (const char* client : {"loader", "saver"}) {
    const std::string place = features + "gpuMemoryService.checkpoint." + client;
    EXPECT_THAT(Graph(place + ".envs").list_map_keys, ElementsAre("name"));
    EXPECT_THAT(Graph(place + ".volumeMounts").list_map_keys, ElementsAre("mountPath"));
    EXPECT_EQ(Graph(place + ".command").list_type, schema::ListType::kAtomic);
  }
  EXPECT_EQ(Graph(features + "failover.numShadows").maximum, json::Value(1));
  EXPECT_THAT(Graph(features + "checkpoint").required, ElementsAre("enabled"));
  EXPECT_EQ(Graph(features + "checkpoint.targetContainerName").default_value, json::Value("main"));
  EXPECT_TRUE(Graph(features + "checkpoint.job.podTemplate").preserve_unknown_fields);
  EXPECT_TRUE(Graph(features + "checkpoint.job.podTemplate").properties.empty());
  EXPECT_EQ(Graph("status.state").default_value, json::Value("initializing"));
  EXPECT_THAT(Graph("status.conditions").list_map_keys, ElementsAre("type"));
}

TEST(GraphSchema, CarriesItsRules) {
  EXPECT_TRUE(HasRule(Graph("spec.components"), "at most one component may have type epp"));
  EXPECT_TRUE(
      HasRule(Graph("spec.components"), "component names must be unique case-insensitively"));
  const std::string pod = "spec.components.[].podTemplate.";
  EXPECT_TRUE(HasRule(Graph(pod + "spec.containers.[]"),
                      "sidecar containers must specify a non-empty image"));
  EXPECT_TRUE(HasRule(Graph(pod + "spec.initContainers.[]"),
                      "init containers must specify a non-empty image"));
  EXPECT_TRUE(HasRule(Graph(pod + "metadata.annotations"),
                      "podTemplate backend annotation must be mp or ray, case-insensitively"));
  const Schema& spec = Graph("spec");
  ASSERT_EQ(spec.rules.size(), 1U);
  EXPECT_EQ(spec.rules[0].optional_old_self, true);
}

TEST(OlderSchema, HasTheWordsOfItsVersion) {
  for (const auto& [kind, path] : {std::pair{"DynamoGraphDeployment", "spec.services.{}"},
                                   std::pair{"DynamoComponentDeployment", "spec"}}) {
    const std::string place(path);
    const Schema& service = Place(kind, "v1alpha1", place + ".gpuMemoryService");
    EXPECT_THAT(service.required, ElementsAre("enabled"));
    EXPECT_TRUE(HasRule(service, "extraClientContainers is only supported with mode=intraPod"));
    EXPECT_TRUE(HasRule(service, "extraClientPods is only supported with mode=interPod"));
    EXPECT_TRUE(
        HasRule(service, "gpuMemoryService.checkpoint requires gpuMemoryService.enabled=true"));
    EXPECT_EQ(Place(kind, "v1alpha1", place + ".failover.mode").default_value,
              json::Value("intraPod"));
    EXPECT_NE(Place(kind, "v1alpha1", place + ".failover.numShadows").maximum, json::Value(1));
    EXPECT_EQ(Place(kind, "v1alpha1", place + ".checkpoint.enabled").default_value,
              json::Value(false));
    EXPECT_TRUE(
        HasRule(Place(kind, "v1alpha1", place), "minAvailable is immutable after creation"));
  }
}

TEST(OlderSchema, HasTheRulesOfTheNewerForTransfers) {
  const Schema& policy =
      Place("DynamoGraphDeployment", "v1alpha1", "spec.experimental.kvTransferPolicy");
  EXPECT_TRUE(HasRule(policy, "exactly one of labelKey or clusterTopologyName is required"));
  EXPECT_EQ(policy.Find("labelKey")->max_length, 317);
}

TEST(ComponentSchema, NeedsANameInAGraphOnly) {
  EXPECT_THAT(Graph("spec.components.[]").required, ElementsAre("name"));
  EXPECT_THAT(Place("DynamoComponentDeployment", "v1beta1", "spec").required, IsEmpty());
}

TEST(CheckpointSchema, RefusesALoaderAndSaysWhereItBelongs) {
  const Schema& block = Place("DynamoCheckpoint", "v1alpha1", "spec.gpuMemoryService.checkpoint");
  EXPECT_TRUE(HasRule(block,
                      "loader is not valid on DynamoCheckpoint; set it on the consuming "
                      "component"));
  EXPECT_THAT(block.Find("loader")->description, testing::HasSubstr("Refused here"));
  EXPECT_TRUE(HasRule(Place("DynamoCheckpoint", "v1alpha1", ""),
                      "spec.identity is immutable after creation"));
  // The components' own is as it was.
  EXPECT_FALSE(
      HasRule(Place("DynamoComponentDeployment", "v1alpha1", "spec.gpuMemoryService.checkpoint"),
              "loader is not valid on DynamoCheckpoint; set it on the consuming component"));
}

constexpr std::string_view kGraph = R"(
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: g}
spec:
  backendFramework: vllm
  components:
  - name: Frontend
    type: frontend
    podTemplate: {spec: {containers: [{name: main}]}}
  - name: worker
    type: worker
    sharedMemorySize: 0
    podTemplate:
      metadata: {annotations: {a: b}}
      spec:
        containers:
        - {name: main, resources: {limits: {nvidia.com/gpu: 1}}}
        - {name: side, image: side:1}
    experimental:
      gpuMemoryService: {checkpoint: {}}
      checkpoint: {enabled: true, job: {podTemplate: {spec: {anything: goes}}}}
)";

constexpr std::string_view kOlderGraph = R"(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: g}
spec:
  pvcs: [{name: models, create: true, size: 10Gi, storageClass: fast, volumeAccessMode: ReadWriteMany}]
  services:
    Frontend:
      componentType: frontend
      replicas: 1
      extraPodSpec: {mainContainer: {image: front:1}}
    "":
      componentType: anything
    Worker:
      componentType: worker
      subComponentType: decode
      dynamoNamespace: old
      envFromSecret: hf
      envs: [{name: A, value: b}, {name: A, value: c}]
      resources: {limits: {gpu: "1", custom: {rdma/ib: "1"}}}
      volumeMounts: [{name: models, mountPoint: /models}]
      sharedMemory: {size: 8Gi}
      multinode: {nodeCount: 2}
      livenessProbe: {httpGet: {path: /live, port: 9090}}
      failover: {enabled: false, numShadows: 3}
      gpuMemoryService: {enabled: true, checkpoint: {loader: {}, saver: {command: [save]}}}
      checkpoint: {enabled: true, mode: Auto, identity: {model: "", backendFramework: vllm}}
      extraPodSpec:
        tolerations: [{key: gpu, operator: Exists}]
        mainContainer: {image: engine:1, command: [sh], args: [-c, run]}
)";

constexpr std::string_view kCheckpoint = R"(
apiVersion: nvidia.com/v1alpha1
kind: DynamoCheckpoint
metadata: {name: c}
spec:
  identity: {model: m, backendFramework: vllm}
  gpuMemoryService: {enabled: true, checkpoint: {saver: {image: s}}}
  job: {podTemplateSpec: {metadata: {labels: {a: b}}, spec: {containers: [{name: main, image: i}]}}}
)";

TEST(Definitions, TakeWhatIsGood) {
  EXPECT_THAT(Faults(kGraph), IsEmpty());
  EXPECT_THAT(Faults(kOlderGraph), IsEmpty());
  EXPECT_THAT(Faults(kCheckpoint), IsEmpty());
  EXPECT_THAT(Faults("{apiVersion: nvidia.com/v1beta1, kind: DynamoComponentDeployment, metadata: "
                     "{name: c}, spec: {name: c, type: worker, backendFramework: sglang}}"),
              IsEmpty());
  EXPECT_THAT(Faults("{apiVersion: nvidia.com/v1alpha1, kind: DynamoComponentDeployment, metadata: "
                     "{name: c}, spec: {componentType: worker, ingress: {enabled: true}}}"),
              IsEmpty());
  EXPECT_THAT(Faults("{apiVersion: nvidia.com/v1alpha1, kind: DynamoWorkerMetadata, metadata: "
                     "{name: w}, spec: {data: {any: [thing]}}}"),
              IsEmpty());
}

TEST(Definitions, FillInDefaults) {
  auto object = json::ParseYamlDocument(kOlderGraph);
  ASSERT_OK(object);
  ASSERT_OK(schema::Prepare(*object, *SchemaOf("DynamoGraphDeployment", "v1alpha1")));
  EXPECT_EQ(*object->FindPath("spec.services.Worker.gpuMemoryService.mode"),
            json::Value("intraPod"));
  EXPECT_EQ(*object->FindPath("spec.services.Worker.checkpoint.startupPolicy"),
            json::Value("Immediate"));
  EXPECT_EQ(*object->FindPath("spec.services.Worker.checkpoint.targetContainerName"),
            json::Value("main"));
}

// A component of a graph, and what is wrong with it below spec.components[name].
struct BadComponent {
  std::string name;
  std::string yaml;
  std::string path;
};

class RefusedComponent : public testing::TestWithParam<BadComponent> {};

TEST_P(RefusedComponent, AtTheRightPlace) {
  EXPECT_THAT(Faults("{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: "
                     "{name: g}, spec: {components: [" +
                     GetParam().yaml + "]}}"),
              ElementsAre("spec.components[0]" + GetParam().path));
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedComponent,
    testing::Values(
        BadComponent{"Unnamed", "{type: worker}", ".name"},
        BadComponent{"NameWithUnderscore", "{name: a_b}", ".name"},
        BadComponent{"UnknownType", "{name: a, type: main}", ".type"},
        BadComponent{"NegativeReplicas", "{name: a, replicas: -1}", ".replicas"},
        BadComponent{"ZeroMinAvailable", "{name: a, minAvailable: 0}", ".minAvailable"},
        BadComponent{"OneNode", "{name: a, multinode: {nodeCount: 1}}", ".multinode.nodeCount"},
        BadComponent{"NoQuantity", "{name: a, sharedMemorySize: lots}", ".sharedMemorySize"},
        BadComponent{"OlderMode", "{name: a, experimental: {gpuMemoryService: {mode: intraPod}}}",
                     ".experimental.gpuMemoryService.mode"},
        BadComponent{"TwoShadows", "{name: a, experimental: {failover: {numShadows: 2}}}",
                     ".experimental.failover.numShadows"},
        BadComponent{"NoFlag", "{name: a, experimental: {checkpoint: {}}}",
                     ".experimental.checkpoint.enabled"},
        BadComponent{"EnvTwice",
                     "{name: a, experimental: {gpuMemoryService: {checkpoint: {saver: {envs: "
                     "[{name: A}, {name: A}]}}}}}",
                     ".experimental.gpuMemoryService.checkpoint.saver.envs[1]"},
        BadComponent{"MountTwice",
                     "{name: a, experimental: {gpuMemoryService: {checkpoint: {loader: "
                     "{volumeMounts: [{name: v, mountPath: /m}, {name: w, mountPath: /m}]}}}}}",
                     ".experimental.gpuMemoryService.checkpoint.loader.volumeMounts[1]"},
        BadComponent{"UnknownField", "{name: a, gpuMemoryService: {}}", ".gpuMemoryService"},
        BadComponent{"NamelessContainer",
                     "{name: a, podTemplate: {spec: {containers: [{image: i}]}}}",
                     ".podTemplate.spec.containers[0].name"},
        BadComponent{"LoaderArgs",
                     "{name: a, experimental: {gpuMemoryService: {checkpoint: {loader: {args: "
                     "[x]}}}}}",
                     ".experimental.gpuMemoryService.checkpoint.loader.args"}),
    [](const auto& info) { return info.param.name; });

TEST(Definitions, RefuseWhatIsWrongElsewhere) {
  EXPECT_THAT(Faults("{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: "
                     "{name: g}, spec: {components: [{name: a}, {name: a}]}}"),
              ElementsAre("spec.components[1]"));
  EXPECT_THAT(Faults("{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: "
                     "{name: g}, spec: {restart: {id: ''}, backendFramework: mlx}}"),
              ElementsAre("spec.backendFramework", "spec.restart.id"));
  EXPECT_THAT(
      Faults("{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, metadata: "
             "{name: g}, spec: {services: {a: {gpuMemoryService: {mode: IntraPod}, "
             "volumeMounts: [{mountPoint: /m}]}}}}"),
      ElementsAre("spec.services.a.gpuMemoryService.enabled",
                  "spec.services.a.gpuMemoryService.mode", "spec.services.a.volumeMounts[0].name"));
  EXPECT_THAT(Faults("{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, metadata: "
                     "{name: g}, spec: {services: {a: {frontendSidecar: {}}}}}"),
              ElementsAre("spec.services.a.frontendSidecar.image"));
  EXPECT_THAT(Faults("{apiVersion: nvidia.com/v1alpha1, kind: DynamoWorkerMetadata, metadata: "
                     "{name: w}, spec: {}}"),
              ElementsAre("spec.data"));
  EXPECT_THAT(Faults("{apiVersion: nvidia.com/v1alpha1, kind: DynamoCheckpoint, metadata: {name: "
                     "c}, spec: {identity: {backendFramework: vllm}, job: "
                     "{activeDeadlineSeconds: 0}}}"),
              ElementsAre("spec.identity.model", "spec.job.activeDeadlineSeconds",
                          "spec.job.podTemplateSpec"));
}

}  // namespace
}  // namespace hearth::api::dynamo

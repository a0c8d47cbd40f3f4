// N2: what is changed between two conversions wins over what was saved at the first; the rest comes
// back, and what was deleted does not.
#include <gtest/gtest.h>

#include <functional>

#include "api/conversion/convert.h"
#include "api/conversion/testing/graphs.h"
#include "json/yaml.h"

namespace hearth::api::conversion {
namespace {

using json::Value;
using testing::AlphaGraph;
using testing::BetaGraph;
using testing::Converted;
using testing::Object;
using testing::Worker;
using testing::Yaml;

Value& Containers(Value& component) { return component["podTemplate"]["spec"]["containers"]; }
Value& Main(Value& component) { return Containers(component).items()[0]; }

struct BetaEdit {
  const char* name;
  const char* service;
  std::function<void(Value&)> edit;  // of the component
  const char* result;                // the service after that
};

std::ostream& operator<<(std::ostream& out, const BetaEdit& edit) { return out << edit.name; }

class EditedInBeta : public ::testing::TestWithParam<BetaEdit> {};

TEST_P(EditedInBeta, Wins) {
  Value beta = Converted(AlphaGraph(GetParam().service), "v1beta1");
  GetParam().edit(*Worker(beta));
  const Value alpha = Converted(beta, "v1alpha1");
  EXPECT_EQ(*Worker(alpha), Yaml(GetParam().result)) << json::WriteYaml(*Worker(alpha));
  EXPECT_EQ(*Worker(Converted(alpha, "v1beta1")), *Worker(beta));
}

const BetaEdit kBetaEdits[] = {
    {"VariableDeleted",
     R"({labels: {a: b}, envs: [{name: A}], extraPodSpec: {mainContainer: {env: [{name: B}]}}})",
     [](Value& component) { Main(component)["env"].items().pop_back(); },
     R"({labels: {a: b}, envs: [{name: A}]})"},
    {"VariableChanged",
     R"({labels: {a: b}, envs: [{name: A}], extraPodSpec: {mainContainer: {env: [{name: B}]}}})",
     [](Value& component) { Main(component)["env"].items()[1].Set("value", "5"); },
     R"({labels: {a: b}, envs: [{name: A}, {name: B, value: '5'}]})"},
    {"VariableBesideChanged",
     R"({envs: [{name: A}], extraPodSpec: {mainContainer: {env: [{name: B}]}}})",
     [](Value& component) { Main(component)["env"].items()[0].Set("value", "5"); },
     R"({envs: [{name: A, value: '5'}], extraPodSpec: {mainContainer: {env: [{name: B}]}}})"},
    {"VariablesReordered",
     R"({envs: [{name: A}], extraPodSpec: {mainContainer: {env: [{name: B}]}}})",
     [](Value& component) {
       std::swap(Main(component)["env"].items()[0], Main(component)["env"].items()[1]);
     },
     R"({envs: [{name: B}, {name: A}]})"},
    {"ImageChanged",
     R"({ingress: {host: h}, envs: [{name: A}], extraPodSpec: {mainContainer: {image: i,
        env: [{name: B}]}}})",
     [](Value& component) { Main(component).Set("image", "j"); },
     R"({ingress: {host: h}, envs: [{name: A}], extraPodSpec: {mainContainer: {image: j,
        env: [{name: B}]}}})"},
    {"GpusDeleted", R"({resources: {limits: {cpu: '1', gpu: '2', gpuType: amd.com/gpu}}})",
     [](Value& component) { Main(component)["resources"]["limits"].Erase("amd.com/gpu"); },
     R"({resources: {limits: {cpu: '1'}}})"},
    {"TypeSet", R"({componentType: Odd, subComponentType: prefill})",
     [](Value& component) { component.Set("type", "planner"); }, R"({componentType: planner})"},
    {"TypeChanged", R"({componentType: frontend, subComponentType: prefill, labels: {}})",
     [](Value& component) { component.Set("type", "epp"); }, R"({componentType: epp, labels: {}})"},
    {"SharedMemorySet", R"({sharedMemory: {disabled: true, size: 1Gi}})",
     [](Value& component) { component.Set("sharedMemorySize", "2Gi"); },
     R"({sharedMemory: {size: 2Gi}})"},
    {"ServiceTurnedOn", R"({gpuMemoryService: {enabled: false, mode: interPod,
        extraClientContainers: [a]}, failover: {enabled: false}})",
     [](Value& component) {
       component.Set("experimental", Yaml("{gpuMemoryService: {mode: IntraPod}}"));
     },
     R"({gpuMemoryService: {enabled: true, mode: intraPod}, failover: {enabled: false}})"},
    {"CacheDeleted",
     R"({volumeMounts: [{name: a, mountPoint: /a, useAsCompilationCache: true},
        {name: b, mountPoint: /b, useAsCompilationCache: true}]})",
     [](Value& component) { component.Erase("compilationCache"); },
     R"({volumeMounts: [{name: b, mountPoint: /b, useAsCompilationCache: false}]})"},
    {"MountDeleted",
     R"({volumeMounts: [{name: a, mountPoint: /a, useAsCompilationCache: false}],
        extraPodSpec: {mainContainer: {volumeMounts: [{name: b, mountPath: /b}]}}})",
     [](Value& component) {
       Main(component)["volumeMounts"].items().erase(
           Main(component)["volumeMounts"].items().begin());
     },
     R"({volumeMounts: [{name: a, mountPoint: /a, useAsCompilationCache: false}]})"},
    {"SidecarDeleted", R"({labels: {}, frontendSidecar: {image: i, envFromSecret: ''}})",
     [](Value& component) {
       component.Erase("frontendSidecar");
       Containers(component).items().pop_back();
     },
     R"({labels: {}})"},
    {"ContainerDeleted", R"({extraPodSpec: {containers: [{name: x}, {name: main}, {name: z}]}})",
     [](Value& component) { Containers(component).items().pop_back(); },
     R"({extraPodSpec: {containers: [{name: x}, {name: main}]}})"},
    {"PodDeleted", R"({labels: {}, envs: [{name: A}], extraPodSpec: {mainContainer: {env:
        [{name: B}]}, containers: [{name: x}]}})",
     [](Value& component) { component.Erase("podTemplate"); }, R"({labels: {}})"},
};
INSTANTIATE_TEST_SUITE_P(Edits, EditedInBeta, ::testing::ValuesIn(kBetaEdits),
                         [](const auto& info) { return std::string(info.param.name); });

struct AlphaEdit {
  const char* name;
  const char* component;
  std::function<void(Value&)> edit;  // of the service
  const char* result;                // the component after that, without its name
};

std::ostream& operator<<(std::ostream& out, const AlphaEdit& edit) { return out << edit.name; }

class EditedInAlpha : public ::testing::TestWithParam<AlphaEdit> {};

TEST_P(EditedInAlpha, Wins) {
  Value alpha = Converted(BetaGraph(GetParam().component), "v1alpha1");
  GetParam().edit(*Worker(alpha));
  const Value beta = Converted(alpha, "v1beta1");
  EXPECT_EQ(*Worker(beta), *Worker(BetaGraph(GetParam().result))) << json::WriteYaml(*Worker(beta));
  EXPECT_EQ(*Worker(Converted(beta, "v1alpha1")), *Worker(alpha));
}

const AlphaEdit kAlphaEdits[] = {
    {"SharedMemorySet", R"({sharedMemorySize: 0Mi})",
     [](Value& service) { service.Set("sharedMemory", Yaml("{size: 2Gi}")); },
     R"({sharedMemorySize: 2Gi})"},
    {"ContainerOfTheFrontendDeleted",
     R"({frontendSidecar: fe, podTemplate: {metadata: {name: p}, spec: {containers: [{name: main},
        {name: fe}, {name: x}]}}})",
     [](Value& service) {
       Value& containers = service["extraPodSpec"]["containers"];
       containers.items().erase(containers.items().begin());
     },
     R"({podTemplate: {metadata: {name: p}, spec: {containers: [{name: main}, {name: x}]}}})"},
    {"ContainerOfTheFrontendChanged",
     R"({frontendSidecar: fe, podTemplate: {spec: {containers: [{name: main}, {name: fe}]}}})",
     [](Value& service) { service["extraPodSpec"]["containers"].items()[0].Set("image", "i"); },
     R"({frontendSidecar: fe, podTemplate: {spec: {containers: [{name: main}, {name: fe,
        image: i}]}}})"},
    {"MainAdded", R"({podTemplate: {spec: {containers: [{name: x}]}}})",
     [](Value& service) { service.Set("envs", Yaml("[{name: A}]")); },
     R"({podTemplate: {spec: {containers: [{name: main, env: [{name: A}]}, {name: x}]}}})"},
    {"ContainerAdded",
     R"({podTemplate: {spec: {containers: [{name: x}, {name: main, image: i}]}}})",
     [](Value& service) { service["extraPodSpec"]["containers"].Append(Yaml("{name: a}")); },
     R"({podTemplate: {spec: {containers: [{name: x}, {name: main, image: i}, {name: a}]}}})"},
    {"ContainersReordered",
     R"({podTemplate: {spec: {containers: [{name: x}, {name: main, image: i}, {name: z}]}}})",
     [](Value& service) {
       Value::Items& items = service["extraPodSpec"]["containers"].items();
       std::swap(items[0], items[1]);
     },
     R"({podTemplate: {spec: {containers: [{name: main, image: i}, {name: z}, {name: x}]}}})"},
};
INSTANTIATE_TEST_SUITE_P(Edits, EditedInAlpha, ::testing::ValuesIn(kAlphaEdits),
                         [](const auto& info) { return std::string(info.param.name); });

std::vector<std::string> Names(const Value& graph) {
  std::vector<std::string> names;
  for (const Value& component : graph.FindPath("spec.components")->items()) {
    names.push_back(component.Find("name")->string());
  }
  return names;
}

TEST(EditedComponents, OrderIsKeptAndNewOnesComeLast) {
  const Value beta =
      Object("DynamoGraphDeployment", "v1beta1", "components: [{name: c}, {name: a}, {name: b}]");
  Value alpha = Converted(beta, "v1alpha1");
  EXPECT_EQ(Names(Converted(alpha, "v1beta1")), (std::vector<std::string>{"c", "a", "b"}));
  alpha["spec"]["services"].Erase("a");
  alpha["spec"]["services"].Set("aa", Value::Object());
  EXPECT_EQ(Names(Converted(alpha, "v1beta1")), (std::vector<std::string>{"c", "b", "aa"}));
}

TEST(EditedComponents, AreSortedByNameWithoutASavedOrder) {
  const Value alpha =
      Object("DynamoGraphDeployment", "v1alpha1", "services: {b: {}, a: {}, B: {}}");
  EXPECT_EQ(Names(Converted(alpha, "v1beta1")), (std::vector<std::string>{"B", "a", "b"}));
}

TEST(EditedComponents, DeletedOrRenamedStaysSo) {
  const Value alpha = Object("DynamoGraphDeployment", "v1alpha1",
                             "pvcs: [{name: p}]\n"
                             "services: {a: {labels: {x: x}}, b: {labels: {x: x}}, c: null}");
  Value beta = Converted(alpha, "v1beta1");
  beta["spec"]["components"].items().erase(beta["spec"]["components"].items().begin());
  beta["spec"]["components"].items()[0].Set("name", "d");
  EXPECT_EQ(*Converted(beta, "v1alpha1").Find("spec"),
            Yaml("{pvcs: [{name: p}], services: {c: null, d: {}}}"));
}

TEST(EditedStatus, LastNameFollowsTheNames) {
  Value alpha = Object("DynamoGraphDeployment", "v1alpha1", "{}");
  alpha.Set("status", Yaml("{state: pending, services: {a: {componentName: old, componentNames: "
                           "[x]}, b: {componentName: old, componentNames: [y2]}}}"));
  Value beta = Converted(alpha, "v1beta1");
  EXPECT_EQ(*beta.FindPath("status.components"),
            Yaml("{a: {componentNames: [x]}, b: {componentNames: [y2]}}"));
  EXPECT_EQ(Converted(beta, "v1alpha1"), alpha);
  beta["status"]["components"]["a"].Set("componentNames", Yaml("[x, x2]"));
  EXPECT_EQ(*Converted(beta, "v1alpha1").FindPath("status.services"),
            Yaml("{a: {componentName: x2, componentNames: [x, x2]}, b: {componentName: old, "
                 "componentNames: [y2]}}"));
}

}  // namespace
}  // namespace hearth::api::conversion

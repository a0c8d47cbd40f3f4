// What each field of one version is in the other.
#include <gtest/gtest.h>

#include "api/conversion/convert.h"
#include "api/conversion/testing/graphs.h"
#include "json/yaml.h"

namespace hearth::api::conversion {
namespace {

using json::Value;
using testing::AlphaGraph;
using testing::BetaGraph;
using testing::Converted;
using testing::SavedSpec;
using testing::Worker;
using testing::Yaml;

struct Rule {
  const char* name;
  const char* v1alpha1;  // of a service
  const char* v1beta1;   // of a component, without its name
};

std::ostream& operator<<(std::ostream& out, const Rule& rule) { return out << rule.name; }

Value Nameless(const Value& component) {
  Value rest = component;
  rest.Erase("name");
  return rest;
}

std::string NameOf(const ::testing::TestParamInfo<Rule>& info) { return info.param.name; }

// Both versions say it: nothing needs to be saved.
class SaidByBoth : public ::testing::TestWithParam<Rule> {};

TEST_P(SaidByBoth, IsMappedBothWays) {
  const Value beta = Converted(AlphaGraph(GetParam().v1alpha1), "v1beta1");
  EXPECT_EQ(json::WriteYaml(Nameless(*Worker(beta))), json::WriteYaml(Yaml(GetParam().v1beta1)));
  EXPECT_EQ(SavedSpec(beta), "");
  const Value alpha = Converted(BetaGraph(GetParam().v1beta1), "v1alpha1");
  EXPECT_EQ(*Worker(alpha), Yaml(GetParam().v1alpha1)) << json::WriteYaml(*Worker(alpha));
  EXPECT_EQ(SavedSpec(alpha), "");
}

constexpr Rule kSaidByBoth[] = {
    {"Nothing", R"({})", R"({})"},
    {"SameName",
     R"({globalDynamoNamespace: true, replicas: 0, minAvailable: 1, multinode: {nodeCount: 2},
       modelRef: {name: m, revision: r}, topologyConstraint: {packDomain: rack}})",
     R"({globalDynamoNamespace: true, replicas: 0, minAvailable: 1, multinode: {nodeCount: 2},
       modelRef: {name: m, revision: r}, topologyConstraint: {packDomain: rack}})"},
    {"Type", R"({componentType: frontend})", R"({type: frontend})"},
    {"Prefill", R"({componentType: worker, subComponentType: prefill})", R"({type: prefill})"},
    {"Decode", R"({componentType: worker, subComponentType: decode})", R"({type: decode})"},
    {"SharedMemory", R"({sharedMemory: {size: 16Gi}})", R"({sharedMemorySize: 16Gi})"},
    {"NoSharedMemory", R"({sharedMemory: {disabled: true}})", R"({sharedMemorySize: '0'})"},
    {"CompilationCache",
     R"({volumeMounts: [{name: cache, mountPoint: /c, useAsCompilationCache: true}]})",
     R"({compilationCache: {pvcName: cache, mountPath: /c}})"},
    {"ScalingAdapter", R"({scalingAdapter: {enabled: true}})", R"({scalingAdapter: {}})"},
    {"EppConfig", R"({componentType: epp, eppConfig: {config: {plugins: [{type: x}, null]}}})",
     R"({type: epp, eppConfig: {config: {plugins: [{type: x}, null]}}})"},
    {"GpuMemoryService",
     R"({gpuMemoryService: {mode: intraPod, deviceClassName: d, extraClientContainers: [a],
       checkpoint: {loader: {image: i}, saver: {envs: [{name: A}]}}, enabled: true}})",
     R"({experimental: {gpuMemoryService: {mode: IntraPod, deviceClassName: d,
       extraClientContainers: [a], checkpoint: {loader: {image: i}, saver: {envs: [{name:
       A}]}}}}})"},
    {"Failover", R"({failover: {enabled: true, mode: interPod, numShadows: 1}})",
     R"({experimental: {failover: {mode: InterPod, numShadows: 1}}})"},
    // W17: the number is kept as it is; what is allowed is for validation to say.
    {"ManyShadows", R"({failover: {enabled: true, mode: interPod, numShadows: 3}})",
     R"({experimental: {failover: {mode: InterPod, numShadows: 3}}})"},
    {"Checkpoint", R"({checkpoint: {enabled: true, checkpointRef: c, job: {podTemplate: {}}}})",
     R"({experimental: {checkpoint: {enabled: true, checkpointRef: c, job: {podTemplate:
       {}}}}})"},
    {"CheckpointThatIsOff", R"({checkpoint: {enabled: false}})",
     R"({experimental: {checkpoint: {enabled: false}}})"},
    {"PodMetadata", R"({extraPodMetadata: {annotations: {a: b}, labels: {c: d}}})",
     R"({podTemplate: {metadata: {annotations: {a: b}, labels: {c: d}}}})"},
    {"PodSpec", R"({extraPodSpec: {nodeSelector: {a: b}, containers: [{name: x, image: i}]}})",
     R"({podTemplate: {spec: {nodeSelector: {a: b}, containers: [{name: main}, {name: x,
       image: i}]}}})"},
    {"MainContainer", R"({extraPodSpec: {mainContainer: {image: i, args: [a], startupProbe: {}}}})",
     R"({podTemplate: {spec: {containers: [{name: main, image: i, args: [a], startupProbe:
       {}}]}}})"},
    {"Env", R"({envs: [{name: B, value: '1'}, {name: A}, {name: B}]})",
     R"({podTemplate: {spec: {containers: [{name: main, env: [{name: B, value: '1'}, {name:
       A}, {name: B}]}]}}})"},
    {"EnvFromSecret", R"({envFromSecret: s})",
     R"({podTemplate: {spec: {containers: [{name: main, envFrom: [{secretRef: {name: s}}]}]}}})"},
    {"Probes", R"({livenessProbe: {periodSeconds: 1}, readinessProbe: {exec: {command: [a]}}})",
     R"({podTemplate: {spec: {containers: [{name: main, livenessProbe: {periodSeconds: 1},
       readinessProbe: {exec: {command: [a]}}}]}}})"},
    {"Mounts",
     R"({volumeMounts: [{name: b, mountPoint: /b, useAsCompilationCache: false}, {name: a,
       mountPoint: /a, useAsCompilationCache: false}]})",
     R"({podTemplate: {spec: {containers: [{name: main, volumeMounts: [{name: b, mountPath:
       /b}, {name: a, mountPath: /a}]}]}}})"},
    {"MountsThatSayMore",
     R"({extraPodSpec: {mainContainer: {volumeMounts: [{name: a, mountPath: /a, readOnly:
       true}]}}})",
     R"({podTemplate: {spec: {containers: [{name: main, volumeMounts: [{name: a, mountPath:
       /a, readOnly: true}]}]}}})"},
    {"Resources",
     R"({resources: {requests: {cpu: 500m, gpu: '1'}, limits: {cpu: '1', memory: 1Gi, gpu:
       '1', custom: {rdma/ib: '2'}}, claims: [{name: c}]}})",
     R"({podTemplate: {spec: {containers: [{name: main, resources: {requests: {cpu: 500m,
       nvidia.com/gpu: '1'}, limits: {cpu: '1', memory: 1Gi, nvidia.com/gpu: '1', rdma/ib:
       '2'}, claims: [{name: c}]}}]}}})"},
    {"ResourcesAsNumbers",
     R"({extraPodSpec: {mainContainer: {resources: {limits: {nvidia.com/gpu: 1}}}}})",
     R"({podTemplate: {spec: {containers: [{name: main, resources: {limits: {nvidia.com/gpu:
       1}}}]}}})"},
    {"FrontendSidecar",
     R"({frontendSidecar: {image: i, args: [a], envs: [{name: A}], envFromSecret: s}})",
     R"({podTemplate: {spec: {containers: [{name: main}, {name: sidecar-frontend, image: i,
       args: [a], env: [{name: A}], envFrom: [{secretRef: {name: s}}]}]}}, frontendSidecar:
       sidecar-frontend})"},
};
INSTANTIATE_TEST_SUITE_P(Rules, SaidByBoth, ::testing::ValuesIn(kSaidByBoth), NameOf);

// v1alpha1 says more: the rest is saved and comes back.
class SaidByAlpha : public ::testing::TestWithParam<Rule> {};

TEST_P(SaidByAlpha, IsSavedAndComesBack) {
  const Value alpha = AlphaGraph(GetParam().v1alpha1);
  const Value beta = Converted(alpha, "v1beta1");
  EXPECT_EQ(Nameless(*Worker(beta)), Yaml(GetParam().v1beta1)) << json::WriteYaml(*Worker(beta));
  EXPECT_NE(SavedSpec(beta), "");
  EXPECT_EQ(Converted(beta, "v1alpha1").WriteCanonical(), alpha.WriteCanonical());
}

constexpr Rule kSaidByAlpha[] = {
    {"Ingress", R"({ingress: {enabled: true, host: h}})", R"({})"},
    {"Autoscaling", R"({autoscaling: {enabled: true, minReplicas: 1}})", R"({})"},
    {"DynamoNamespace", R"({dynamoNamespace: ns})", R"({})"},
    {"LabelsAndAnnotations", R"({labels: {a: b}, annotations: {}})", R"({})"},
    {"ServiceName", R"({serviceName: other})", R"({})"},
    {"UnknownType", R"({componentType: Odd, subComponentType: prefill})", R"({})"},
    {"RoleOfNoWorker", R"({componentType: frontend, subComponentType: decode})",
     R"({type: frontend})"},
    {"RoleAsType", R"({componentType: prefill})", R"({type: prefill})"},
    {"SizeOfNoSharedMemory", R"({sharedMemory: {disabled: true, size: 1Gi}})",
     R"({sharedMemorySize: '0'})"},
    {"ZeroSharedMemory", R"({sharedMemory: {size: 0Gi}})", R"({sharedMemorySize: '0'})"},
    {"EmptySharedMemory", R"({sharedMemory: {}})", R"({})"},
    {"ScalingAdapterThatIsOff", R"({scalingAdapter: {enabled: false}})", R"({})"},
    {"FeaturesThatAreOff",
     R"({gpuMemoryService: {enabled: false, mode: interPod}, failover: {enabled: false,
       numShadows: 3}})",
     R"({})"},
    {"FurtherCaches",
     R"({volumeMounts: [{name: a, mountPoint: /a, useAsCompilationCache: false}, {name: b,
       mountPoint: /b, useAsCompilationCache: true}, {name: c, mountPoint: /c,
       useAsCompilationCache: true}]})",
     R"({compilationCache: {pvcName: b, mountPath: /b}, podTemplate: {spec: {containers:
       [{name: main, volumeMounts: [{name: a, mountPath: /a}, {name: c, mountPath: /c}]}]}}})"},
    {"MountWithoutAPath", R"({volumeMounts: [{name: a}]})", R"({})"},
    {"EnvInBothPlaces",
     R"({envs: [{name: A, value: '1'}, {name: B, value: '1'}], extraPodSpec: {mainContainer:
       {env: [{name: C, value: '2'}, {name: B, value: '2'}]}}})",
     R"({podTemplate: {spec: {containers: [{name: main, env: [{name: A, value: '1'}, {name: B,
       value: '2'}, {name: C, value: '2'}]}]}}})"},
    {"MountsInBothPlaces",
     R"({volumeMounts: [{name: a, mountPoint: /a, useAsCompilationCache: false}],
       extraPodSpec: {mainContainer: {volumeMounts: [{name: b, mountPath: /b}]}}})",
     R"({podTemplate: {spec: {containers: [{name: main, volumeMounts: [{name: b, mountPath:
       /b}, {name: a, mountPath: /a}]}]}}})"},
    {"MainContainerWins",
     R"({resources: {limits: {cpu: '1', memory: 1Gi}}, envFromSecret: s, livenessProbe:
       {periodSeconds: 1}, extraPodSpec: {mainContainer: {resources: {limits: {cpu: '2'}},
       envFrom: [{prefix: p}], livenessProbe: {periodSeconds: 2}}}})",
     R"({podTemplate: {spec: {containers: [{name: main, resources: {limits: {cpu: '2', memory:
       1Gi}}, envFrom: [{prefix: p}], livenessProbe: {periodSeconds: 2}}]}}})"},
    {"GpuType", R"({resources: {limits: {gpu: '2', gpuType: amd.com/gpu, custom: {}}}})",
     R"({podTemplate: {spec: {containers: [{name: main, resources: {limits: {amd.com/gpu:
       '2'}}}]}}})"},
    {"NoQuantity", R"({resources: {limits: {cpu: lots, memory: 1Gi}}})",
     R"({podTemplate: {spec: {containers: [{name: main, resources: {limits: {memory:
       1Gi}}}]}}})"},
    {"ContainerCalledMain",
     R"({extraPodSpec: {containers: [{name: x}, {name: main, image: other}], mainContainer:
       {image: i, name: any}}})",
     R"({podTemplate: {spec: {containers: [{name: main, image: i}, {name: x}]}}})"},
    {"ContainerCalledAsTheSidecar",
     R"({frontendSidecar: {image: i}, extraPodSpec: {containers: [{name: sidecar-frontend,
       image: other}, {name: x}]}})",
     R"({frontendSidecar: sidecar-frontend, podTemplate: {spec: {containers: [{name: main},
       {name: x}, {name: sidecar-frontend, image: i}]}}})"},
    {"EmptyPlaces",
     R"({envs: [], volumeMounts: [], envFromSecret: '', extraPodMetadata: {}, extraPodSpec:
       {containers: [], mainContainer: {}}})",
     R"({})"},
};
INSTANTIATE_TEST_SUITE_P(Rules, SaidByAlpha, ::testing::ValuesIn(kSaidByAlpha), NameOf);

// v1beta1 says more.
class SaidByBeta : public ::testing::TestWithParam<Rule> {};

TEST_P(SaidByBeta, IsSavedAndComesBack) {
  const Value beta = BetaGraph(GetParam().v1beta1);
  const Value alpha = Converted(beta, "v1alpha1");
  EXPECT_EQ(*Worker(alpha), Yaml(GetParam().v1alpha1)) << json::WriteYaml(*Worker(alpha));
  EXPECT_NE(SavedSpec(alpha), "");
  EXPECT_EQ(Converted(alpha, "v1beta1").WriteCanonical(), beta.WriteCanonical());
}

constexpr Rule kSaidByBeta[] = {
    {"PodMetadata", R"({extraPodMetadata: {labels: {a: b}}})",
     R"({podTemplate: {metadata: {name: pod, labels: {a: b}}}})"},
    {"MainIsNotFirst",
     R"({extraPodSpec: {containers: [{name: x}, {name: z}], mainContainer: {image: i}}})",
     R"({podTemplate: {spec: {containers: [{name: x}, {name: main, image: i}, {name: z}]}}})"},
    {"NoMain", R"({extraPodSpec: {containers: [{name: x}]}})",
     R"({podTemplate: {spec: {containers: [{name: x}]}}})"},
    {"EmptyPlaces", R"({})",
     R"({podTemplate: {metadata: {}, spec: {containers: []}}, experimental: {}})"},
    {"SpellingOfZero", R"({sharedMemory: {disabled: true}})", R"({sharedMemorySize: 0Mi})"},
    {"AnotherSidecar", R"({extraPodSpec: {containers: [{name: fe, image: i}]}})",
     R"({frontendSidecar: fe, podTemplate: {spec: {containers: [{name: main}, {name: fe,
       image: i}]}}})"},
    {"NoSuchSidecar", R"({})", R"({frontendSidecar: ghost})"},
    {"SidecarThatSaysMore", R"({frontendSidecar: {image: i}})",
     R"({frontendSidecar: sidecar-frontend, podTemplate: {spec: {containers: [{name:
       sidecar-frontend, image: i, ports: [{containerPort: 1}]}, {name: main}]}}})"},
};
INSTANTIATE_TEST_SUITE_P(Rules, SaidByBeta, ::testing::ValuesIn(kSaidByBeta), NameOf);

}  // namespace
}  // namespace hearth::api::conversion

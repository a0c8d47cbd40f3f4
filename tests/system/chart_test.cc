// What the chart renders, without a server: the same objects as kustomize, changed by values as
// they say, and nothing for values that are wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "admission/webhook/configurations.h"
#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "helm_rig.h"
#include "json/yaml.h"

namespace hearth {
namespace {

using json::Value;
using testing::HasSubstr;
using Objects = std::map<std::string, Value>;

class Chart : public testing::Test {
 protected:
  void SetUp() override {
    auto rig = HelmRig::Make("");
    if (rig.status().Is(Code::kNotFound)) {
      GTEST_SKIP() << rig.status().message();
    }
    ASSERT_OK(rig.status());
    rig_ = *std::move(rig);
  }

  Result<std::string> Render(const std::string& values) {
    return rig_->Run({"template", "hearth", HelmRig::Chart(), "--namespace=hearth-system"}, values);
  }
  Objects Rendered(const std::string& values = "") { return ByName(Render(values)); }
  // What is wrong with the values, in Helm's words.
  std::string Refusal(const std::string& values) {
    const auto rendered = Render(values);
    EXPECT_FALSE(rendered.ok()) << values;
    return std::string(rendered.status().message());
  }

  std::unique_ptr<HelmRig> rig_;
};

// At a path like "spec.template.spec.containers.0.image"; "" when it is not there.
std::string At(const Objects& objects, const std::string& key, const std::string& path) {
  const auto found = objects.find(key);
  if (found == objects.end()) {
    return "there is no " + key;
  }
  const Value* at = &found->second;
  for (size_t begin = 0; at != nullptr && begin <= path.size();) {
    const size_t end = std::min(path.find('.', begin), path.size());
    const std::string step = path.substr(begin, end - begin);
    if (at->IsArray()) {
      const size_t index = std::stoul(step);
      at = index < at->items().size() ? &at->items()[index] : nullptr;
    } else {
      at = at->Find(step);
    }
    begin = end + 1;
  }
  return at == nullptr ? "" : at->IsString() ? at->string() : at->Write();
}

constexpr const char* kOperator = "Deployment hearth-operator";
constexpr const char* kAgent = "DaemonSet snapshot-agent";
constexpr const char* kPod = "spec.template.spec.";
constexpr const char* kContainer = "spec.template.spec.containers.0.";

std::string Pod(const Objects& objects, const std::string& key, const std::string& path) {
  return At(objects, key, kPod + path);
}
std::string Container(const Objects& objects, const std::string& key, const std::string& path) {
  return At(objects, key, kContainer + path);
}
Value Configuration(const Objects& objects, const std::string& key) {
  const Value* const data = objects.at(key).Find("data");
  const auto parsed = json::ParseYamlDocument(data->Find("config.yaml")->string());
  EXPECT_OK(parsed);
  return parsed.ok() ? *parsed : Value();
}

TEST_F(Chart, HasNothingThatHelmComplainsAbout) {
  const auto said = rig_->Run({"lint", "--strict", HelmRig::Chart()});
  ASSERT_OK(said);
  EXPECT_THAT(*said, HasSubstr("0 chart(s) failed"));
}

TEST_F(Chart, IsOfTheProjectsVersion) {
  const auto text = RealFileSystem().Read(HelmRig::Chart() + "/Chart.yaml", 1 << 20);
  ASSERT_OK(text);
  const auto chart = json::ParseYamlDocument(*text);
  ASSERT_OK(chart);
  EXPECT_EQ(chart->Find("version")->StringOr(""), HEARTH_VERSION);
  EXPECT_EQ(chart->Find("appVersion")->StringOr(""), HEARTH_VERSION);
}

TEST_F(Chart, DefaultsMakeTheseObjects) {
  std::set<std::string> names;
  for (const auto& [name, object] : Rendered()) {
    names.insert(name);
  }
  EXPECT_EQ(names, (std::set<std::string>{
                       "ClusterRole hearth-crd-apply",
                       "ClusterRole hearth-operator",
                       "ClusterRole snapshot-agent",
                       "ClusterRoleBinding hearth-crd-apply",
                       "ClusterRoleBinding hearth-operator",
                       "ClusterRoleBinding snapshot-agent",
                       "ConfigMap hearth-operator",
                       "ConfigMap snapshot-agent",
                       "ConfigMap snapshot-seccomp",
                       "DaemonSet snapshot-agent",
                       "Deployment hearth-operator",
                       "MutatingWebhookConfiguration hearth-mutating",
                       "MutatingWebhookConfiguration podcliqueset-defaulting-webhook",
                       "PersistentVolumeClaim snapshot-pvc",
                       "PodDisruptionBudget hearth-operator",
                       "Role hearth-operator",
                       "RoleBinding hearth-operator",
                       "Service hearth-webhook",
                       "ServiceAccount hearth-operator",
                       "ServiceAccount snapshot-agent",
                       "ValidatingWebhookConfiguration clustertopology-validating-webhook",
                       "ValidatingWebhookConfiguration hearth-validating",
                       "ValidatingWebhookConfiguration podcliqueset-validating-webhook",
                   }));
}

// Takes away what every chart adds, and what the chart says by arguments and variables where
// manifests leave the program's own defaults.
void TakeAwayWhatHelmAdds(Value& object) {
  Value& metadata = object["metadata"];
  if (Value* labels = metadata.Find("labels")) {
    for (const char* const label : {"app.kubernetes.io/instance", "app.kubernetes.io/managed-by",
                                    "app.kubernetes.io/version", "helm.sh/chart"}) {
      labels->Erase(label);
    }
    if (labels->members().empty()) {
      metadata.Erase("labels");
    }
  }
  if (Value* annotations = metadata.Find("annotations")) {
    annotations->Erase("helm.sh/resource-policy");
    if (annotations->members().empty()) {
      metadata.Erase("annotations");
    }
  }
  if (object.FindPath("spec.template") == nullptr) {
    return;
  }
  Value& pod = object["spec"]["template"];
  pod["metadata"].Erase("annotations");  // checksums
  for (const char* const list : {"initContainers", "containers"}) {
    for (Value& container : pod["spec"][list].items()) {
      container.Erase("imagePullPolicy");
      const std::string image = container["image"].StringOr("");
      EXPECT_TRUE(image.ends_with(":" HEARTH_VERSION)) << image;
      container.Set("image", image.substr(0, image.find(':')));
      if (Value* args = container.Find("args")) {
        std::erase_if(args->items(), [](const Value& arg) {
          return arg.StringOr("") == "--initc-image=grove-initc:" HEARTH_VERSION;
        });
      }
      if (Value* env = container.Find("env")) {
        std::erase_if(env->items(), [](Value& variable) {
          return variable["name"].StringOr("") == "DYN_OPERATOR_ALLOW_GMS_SNAPSHOT";
        });
      }
    }
  }
}

// Everything that `less` says, `more` says too.
void ExpectSaysAsMuch(const Value& more, const Value& less, const std::string& path) {
  if (!less.IsObject()) {
    EXPECT_EQ(more, less) << path;
    return;
  }
  for (const auto& [key, value] : less.members()) {
    const Value* const found = more.Find(key);
    ASSERT_NE(found, nullptr) << path << "." << key;
    ExpectSaysAsMuch(*found, value, path + "." + key);
  }
}

TEST_F(Chart, DefaultsMakeWhatKustomizeMakes) {
  Objects charted = Rendered();
  Objects plain = ByName(rig_->Kustomize("base"));
  std::erase_if(plain, [](const auto& named) {
    return named.first.starts_with("CustomResourceDefinition") ||  // the init container's
           named.first.starts_with("Namespace");                   // Helm's --create-namespace
  });
  for (auto& [name, object] : plain) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(charted.contains(name));
    Value& other = charted[name];
    TakeAwayWhatHelmAdds(other);
    if (name == "ConfigMap hearth-operator" || name == "ConfigMap snapshot-agent") {
      ExpectSaysAsMuch(Configuration(charted, name), Configuration(plain, name), "");
      other.Erase("data");
      object.Erase("data");
    }
    EXPECT_TRUE(other == object) << json::WriteYaml(other) << json::WriteYaml(object);
    charted.erase(name);
  }
  for (const auto& [name, object] : charted) {
    ADD_FAILURE() << name << " is in the chart only";
  }
}

TEST_F(Chart, ValuesOfTheOperatorChangeIt) {
  const Objects objects = Rendered(R"(
image: {operator: {repository: registry.example/op, tag: v7, pullPolicy: Always}, initc: {repository: registry.example/initc}}
imagePullSecrets: [{name: key}]
replicaCount: 3
operator:
  resources: {limits: {memory: 2Gi}}
  nodeSelector: {pool: system}
  tolerations: [{key: system}]
  affinity: {nodeAffinity: {}}
  priorityClassName: high
  podLabels: {team: a}
  podAnnotations: {note: b}
  logLevel: debug
  extraArgs: [--topology=false]
  env: [{name: HTTPS_PROXY, value: proxy}]
podDisruptionBudget: {maxUnavailable: 2}
authorizer: {enabled: true, exemptServiceAccountUserNames: [jane]}
featureGates: {gmsSnapshot: false}
)");
  EXPECT_EQ(At(objects, kOperator, "spec.replicas"), "3");
  EXPECT_EQ(Container(objects, kOperator, "image"), "registry.example/op:v7");
  EXPECT_EQ(Container(objects, kOperator, "imagePullPolicy"), "Always");
  EXPECT_EQ(Pod(objects, kOperator, "initContainers.0.image"), "registry.example/op:v7");
  EXPECT_EQ(Pod(objects, kOperator, "imagePullSecrets.0.name"), "key");
  EXPECT_EQ(Pod(objects, kAgent, "imagePullSecrets.0.name"), "key");
  EXPECT_EQ(Container(objects, kOperator, "resources"), R"({"limits":{"memory":"2Gi"},)"
                                                        R"("requests":{"cpu":"50m",)"
                                                        R"("memory":"64Mi"}})");
  EXPECT_EQ(Pod(objects, kOperator, "nodeSelector.pool"), "system");
  EXPECT_EQ(Pod(objects, kOperator, "tolerations.0.key"), "system");
  EXPECT_EQ(Pod(objects, kOperator, "affinity"), R"({"nodeAffinity":{}})");
  EXPECT_EQ(Pod(objects, kOperator, "priorityClassName"), "high");
  EXPECT_EQ(At(objects, kOperator, "spec.template.metadata.labels.team"), "a");
  EXPECT_EQ(At(objects, kOperator, "spec.template.metadata.annotations.note"), "b");
  EXPECT_EQ(Container(objects, kOperator, "args"),
            R"(["--config=/etc/hearth/config.yaml","--log-format=json",)"
            R"("--initc-image=registry.example/initc:)" HEARTH_VERSION R"(",)"
            R"("--log-level=debug","--authorizer-exempt=jane","--topology=false"])");
  EXPECT_EQ(Container(objects, kOperator, "env.2"),
            R"({"name":"DYN_OPERATOR_ALLOW_GMS_SNAPSHOT","value":"0"})");
  EXPECT_EQ(Container(objects, kOperator, "env.3.name"), "HTTPS_PROXY");
  EXPECT_EQ(At(objects, "PodDisruptionBudget hearth-operator", "spec.maxUnavailable"), "2");
  EXPECT_TRUE(objects.contains("ValidatingWebhookConfiguration authorizer-webhook"));
}

TEST_F(Chart, ValuesBecomeTheOperatorsConfiguration) {
  const Objects objects = Rendered(R"(
checkpoint: {storage: {type: pvc, pvc: {pvcName: mine, basePath: /other, create: true, size: 1Ti}}, cleanupImage: tidy}
orchestrators: {grove: {enabled: false}}
dra: {enabled: false}
infrastructure: {natsAddress: "nats://here"}
leaderElection: {id: dynamo.nvidia.com, namespace: kube-system}
webhook: {secretName: cert}
operatorConfiguration: {server: {healthProbe: {port: 9999}}, mpi: {sshSecretName: ssh}}
)");
  const Value config = Configuration(objects, "ConfigMap hearth-operator");
  EXPECT_EQ(config.FindPath("apiVersion")->string(), "operator.config.dynamo.nvidia.com/v1alpha1");
  EXPECT_EQ(config.FindPath("checkpoint.enabled")->boolean(), true);
  EXPECT_EQ(config.FindPath("checkpoint.cleanupImage")->string(), "tidy");
  EXPECT_EQ(config.FindPath("checkpoint.storage.pvc.pvcName")->string(), "mine");
  EXPECT_EQ(config.FindPath("checkpoint.storage.pvc.size")->string(), "1Ti");
  EXPECT_EQ(config.FindPath("orchestrators.grove.enabled")->boolean(), false);
  EXPECT_EQ(config.FindPath("orchestrators.grove.terminationDelay")->string(), "15m");
  EXPECT_EQ(config.FindPath("dra.enabled")->boolean(), false);
  EXPECT_EQ(config.FindPath("discovery.backend")->string(), "kubernetes");
  EXPECT_EQ(config.FindPath("infrastructure.natsAddress")->string(), "nats://here");
  EXPECT_EQ(config.FindPath("leaderElection.id")->string(), "dynamo.nvidia.com");
  EXPECT_EQ(config.FindPath("leaderElection.namespace")->string(), "kube-system");
  EXPECT_EQ(config.FindPath("server.webhook.secretName")->string(), "cert");
  EXPECT_EQ(config.FindPath("server.healthProbe.port")->Int(), 9999);
  EXPECT_EQ(config.FindPath("mpi.sshSecretName")->string(), "ssh");
  // Whoever is told to elect elsewhere may do so, and nothing more there.
  constexpr const char* kRole = "Role hearth-operator-leader-hearth-system";
  EXPECT_EQ(At(objects, kRole, "metadata.namespace"), "kube-system");
  EXPECT_EQ(At(objects, kRole, "rules.0.resources"), R"(["leases"])");
  EXPECT_EQ(At(objects, kRole, "rules.1"), "");
  // What is not said is found out.
  const Value plain = Configuration(Rendered(), "ConfigMap hearth-operator");
  EXPECT_TRUE(plain.FindPath("dra.enabled")->IsNull());
  EXPECT_TRUE(plain.FindPath("orchestrators.grove.enabled")->IsNull());
  // A change of it starts new pods.
  EXPECT_NE(At(objects, kOperator, "spec.template.metadata.annotations"),
            At(Rendered(), kOperator, "spec.template.metadata.annotations"));
}

TEST_F(Chart, ValuesOfTheAgentsChangeThem) {
  const Objects objects = Rendered(R"(
image: {agent: {repository: registry.example/agent, tag: v7}}
daemonset:
  resources: {requests: {cpu: "1"}}
  nodeSelector: {nvidia.com/gpu.present: null, pool: gpu}
  tolerations: []
  runtimeClassName: nvidia
  env: [{name: SNAPSHOT_LOG_LEVEL, value: debug}]
runtime: {type: crio}
storage: {pvc: {name: artifacts, size: 1Ti, storageClass: fast, accessMode: ReadWriteOnce}}
seccomp: {deploy: false}
openshift: {enabled: true}
config: {restore: {otherNamespaces: true}, criu: {ghostLimit: 5}}
serviceAccount: {agent: other, annotations: {note: a}}
)");
  EXPECT_EQ(Container(objects, kAgent, "image"), "registry.example/agent:v7");
  EXPECT_EQ(Container(objects, kAgent, "resources.requests.cpu"), "1");
  EXPECT_EQ(Container(objects, kAgent, "resources.limits.cpu"), "4");
  EXPECT_EQ(Pod(objects, kAgent, "nodeSelector"), R"({"pool":"gpu"})");
  EXPECT_EQ(Pod(objects, kAgent, "tolerations"), "");
  EXPECT_EQ(Pod(objects, kAgent, "runtimeClassName"), "nvidia");
  EXPECT_EQ(Pod(objects, kAgent, "serviceAccountName"), "other");
  EXPECT_EQ(Pod(objects, kAgent, "initContainers"), "");
  EXPECT_FALSE(objects.contains("ConfigMap snapshot-seccomp"));
  EXPECT_EQ(Container(objects, kAgent, "env.2"), R"({"name":"RUNTIME_TYPE","value":"crio"})");
  EXPECT_EQ(Container(objects, kAgent, "env.3.value"), "/run/crio/crio.sock");
  EXPECT_EQ(Container(objects, kAgent, "env.4.name"), "SNAPSHOT_LOG_LEVEL");
  const std::string volumes = Pod(objects, kAgent, "volumes");
  const std::string mounts = Container(objects, kAgent, "volumeMounts");
  for (const char* const path : {"\"/run/crio\"", "\"/var/lib/containers\""}) {
    EXPECT_THAT(volumes, HasSubstr(path));
    EXPECT_THAT(mounts, HasSubstr(path));
  }
  EXPECT_THAT(volumes, testing::Not(HasSubstr("seccomp")));
  EXPECT_THAT(volumes, HasSubstr(R"("claimName":"artifacts")"));
  EXPECT_EQ(At(objects, kAgent, "spec.template.metadata.annotations").find("required-scc") !=
                std::string::npos,
            true);
  EXPECT_EQ(At(objects, "RoleBinding snapshot-agent-privileged", "subjects.0.name"), "other");
  EXPECT_EQ(At(objects, "ClusterRoleBinding snapshot-agent", "subjects.0.name"), "other");
  EXPECT_EQ(At(objects, "ServiceAccount other", "metadata.annotations.note"), "a");
  EXPECT_THAT(Container(objects, kOperator, "args"),
              HasSubstr("--authorizer-exempt=system:serviceaccount:hearth-system:other"));
  constexpr const char* kClaim = "PersistentVolumeClaim artifacts";
  EXPECT_EQ(At(objects, kClaim, "spec.resources.requests.storage"), "1Ti");
  EXPECT_EQ(At(objects, kClaim, "spec.storageClassName"), "fast");
  EXPECT_EQ(At(objects, kClaim, "spec.accessModes"), R"(["ReadWriteOnce"])");
  const Value config = Configuration(objects, "ConfigMap snapshot-agent");
  EXPECT_EQ(config.FindPath("restore.otherNamespaces")->boolean(), true);
  EXPECT_EQ(config.FindPath("restore.restoreTimeoutSeconds")->Int(), 7200);
  EXPECT_EQ(config.FindPath("criu.ghostLimit")->Int(), 5);
  EXPECT_EQ(config.FindPath("storage.basePath")->string(), "/checkpoints");
  EXPECT_EQ(Configuration(objects, "ConfigMap hearth-operator")
                .FindPath("checkpoint.storage.pvc.pvcName")
                ->string(),
            "artifacts");
}

TEST_F(Chart, WhatIsNotWantedIsLeftOut) {
  const Objects objects = Rendered(R"(
crdUpgrade: {enabled: false}
rbac: {create: false}
serviceAccount: {create: false}
podDisruptionBudget: {enabled: false}
checkpoint: {enabled: false}
daemonset: {enabled: false}
)");
  std::set<std::string> names;
  for (const auto& [name, object] : objects) {
    names.insert(name);
  }
  EXPECT_EQ(names, (std::set<std::string>{
                       "ConfigMap hearth-operator", "Deployment hearth-operator",
                       "MutatingWebhookConfiguration hearth-mutating",
                       "MutatingWebhookConfiguration podcliqueset-defaulting-webhook",
                       "Service hearth-webhook",
                       "ValidatingWebhookConfiguration clustertopology-validating-webhook",
                       "ValidatingWebhookConfiguration hearth-validating",
                       "ValidatingWebhookConfiguration podcliqueset-validating-webhook"}));
  EXPECT_EQ(Pod(objects, kOperator, "initContainers"), "");
  EXPECT_THAT(objects.at("MutatingWebhookConfiguration hearth-mutating").Write(),
              testing::Not(HasSubstr("mpodcheckpointrestore")));
}

TEST_F(Chart, MonitorsAndCertificatesOfOthersAreThereWhenAskedFor) {
  const Objects objects = Rendered(R"(
podMonitor: {enabled: true, interval: 15s, labels: {release: prometheus}}
webhook: {certProvisionMode: manual, secretName: cert, annotations: {cert-manager.io/inject-ca-from: ns/cert}}
)");
  for (const char* const name : {"PodMonitor hearth-operator", "PodMonitor snapshot-agent"}) {
    EXPECT_EQ(At(objects, name, "metadata.labels.release"), "prometheus");
    EXPECT_EQ(At(objects, name, "spec.podMetricsEndpoints.0.port"), "health");
  }
  EXPECT_THAT(Pod(objects, kOperator, "volumes"), HasSubstr(R"("secretName":"cert")"));
  EXPECT_THAT(Container(objects, kOperator, "volumeMounts"),
              HasSubstr("/tmp/k8s-webhook-server/serving-certs"));
  EXPECT_THAT(At(objects, "ValidatingWebhookConfiguration hearth-validating", "metadata"),
              HasSubstr("inject-ca-from"));
}

TEST_F(Chart, WebhooksOfOneNamespaceAreThoseOfTheCode) {
  const Objects objects =
      Rendered("namespaceRestriction: {enabled: true, targetNamespace: team}\n");
  for (const Value& expected : admission::webhook::RenderConfigurations(
           {.name_space = "hearth-system", .restricted_to = "team"})) {
    const std::string name = expected.Find("kind")->string() + " " +
                             expected.FindPath("metadata.name")->string() + "-team";
    ASSERT_TRUE(objects.contains(name)) << name;
    EXPECT_TRUE(*objects.at(name).Find("webhooks") == *expected.Find("webhooks")) << name;
  }
}

TEST_F(Chart, RightsOfOneNamespaceAreBoundThere) {
  const Objects objects =
      Rendered("namespaceRestriction: {enabled: true, targetNamespace: team}\n");
  EXPECT_FALSE(objects.contains("ClusterRoleBinding hearth-operator-team"));
  EXPECT_FALSE(objects.contains("ClusterRoleBinding hearth-operator"));
  EXPECT_EQ(At(objects, "RoleBinding hearth-operator-here", "metadata.namespace"), "team");
  EXPECT_EQ(At(objects, "RoleBinding hearth-operator-here", "roleRef.name"),
            "hearth-operator-team");
  EXPECT_EQ(At(objects, "ClusterRoleBinding hearth-operator-cluster-team", "roleRef.name"),
            "hearth-operator-cluster-team");
  EXPECT_EQ(Configuration(objects, "ConfigMap hearth-operator")
                .FindPath("namespace.restricted")
                ->string(),
            "team");
  EXPECT_THAT(Container(objects, kAgent, "env"), HasSubstr("RESTRICTED_NAMESPACE"));
  // Where it works, and where its leases are.
  EXPECT_EQ(At(objects, "RoleBinding snapshot-agent-here", "metadata.namespace"), "hearth-system");
  EXPECT_TRUE(objects.contains("RoleBinding team/snapshot-agent-here"));
}

// operator.md 5.4
TEST_F(Chart, VariablesThatTheChartSetsAreReserved) {
  EXPECT_THAT(Refusal("operator: {env: [{name: DYN_OPERATOR_ALLOW_GMS_SNAPSHOT, value: \"1\"}]}\n"),
              HasSubstr("DYN_OPERATOR_ALLOW_GMS_SNAPSHOT is reserved; use featureGates.gmsSnapshot "
                        "instead"));
  EXPECT_THAT(Refusal("daemonset: {env: [{name: RUNTIME_TYPE, value: crio}]}\n"),
              HasSubstr("RUNTIME_TYPE is reserved; use runtime.type instead"));
}

TEST_F(Chart, WrongValuesAreRefused) {
  EXPECT_THAT(Refusal("replicas: 3\n"), HasSubstr("replicas"));
  EXPECT_THAT(Refusal("daemonset: {nodeSelecter: {}}\n"), HasSubstr("nodeSelecter"));
  EXPECT_THAT(Refusal("runtime: {type: docker}\n"), HasSubstr("/runtime/type"));
  EXPECT_THAT(Refusal("storage: {type: s3}\n"), HasSubstr("/storage/type"));
  EXPECT_THAT(Refusal("storage: {pvc: {basePath: /elsewhere}}\n"), HasSubstr("basePath"));
  EXPECT_THAT(Refusal("replicaCount: 0\n"), HasSubstr("replicaCount"));
  EXPECT_THAT(Refusal("leaderElection: {enabled: false}\n"), HasSubstr("replicaCount must be 1"));
  EXPECT_THAT(Refusal("checkpoint: {enabled: false}\n"),
              HasSubstr("daemonset.enabled needs checkpoint.enabled"));
}

}  // namespace
}  // namespace hearth

// The chart and the kustomizations on a real API server: every object is taken, and the operator
// runs with the configuration, the arguments and the rights that they give it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <memory>
#include <set>

#include "base/file_system.h"
#include "base/process_runner.h"
#include "base/strings.h"
#include "base/testing/status_matchers.h"
#include "eventually.h"
#include "helm_rig.h"
#include "http/client.h"
#include "json/yaml.h"
#include "kube/testing/own_port.h"

namespace hearth {
namespace {

using json::Value;
using testing::HasSubstr;
using testing::Not;

WaitLimit Limit() { return WaitLimit::For(RealClock(), std::chrono::minutes(3)); }

class Installed : public testing::Test {
 protected:
  void SetUp() override {
    std::string why_not;
    plane_ = kube::SharedControlPlane(&why_not);
    if (plane_ == nullptr) {
      GTEST_SKIP() << why_not;
    }
    auto rig = HelmRig::Make(plane_->kubeconfig_path());
    if (rig.status().Is(Code::kNotFound)) {
      GTEST_SKIP() << rig.status().message();
    }
    ASSERT_OK(rig.status());
    rig_ = *std::move(rig);
  }
  void TearDown() override {
    if (rig_ && !name_space_.empty()) {
      EXPECT_OK(
          rig_->Run({"uninstall", "hearth", "--ignore-not-found", "--namespace", name_space_}));
    }
  }

  // A namespace of its own, which the release is in.
  void Choose(const std::string& prefix) {
    ASSERT_OK_AND_ASSIGN(name_space_, plane_->NewNamespace(prefix));
  }
  Result<std::string> Helm(std::vector<std::string> args, const std::string& values = "") {
    args.insert(args.end(), {"--namespace", name_space_});
    return rig_->Run(std::move(args), values);
  }
  std::string Get(const std::string& what, const std::string& path) {
    return plane_
        ->Kubectl({"get", "--namespace", name_space_, what, "--output", "jsonpath=" + path})
        .value_or("");
  }
  Result<Value> Object(const std::string& what) {
    ASSIGN_OR_RETURN(const std::string text, plane_->Kubectl({"get", "--namespace", name_space_,
                                                              what, "--output", "json"}));
    return json::ParseYamlDocument(text);
  }

  kube::TestControlPlane* plane_ = nullptr;
  std::unique_ptr<HelmRig> rig_;
  std::string name_space_;
};

// The operator's container, run here: command, arguments, variables, configuration and rights are
// those of the Deployment in the cluster.
class OperatorOf {
 public:
  OperatorOf(kube::TestControlPlane& plane, std::string name_space, const Value& deployment)
      : plane_(plane),
        name_space_(std::move(name_space)),
        pod_(*deployment.FindPath("spec.template.spec")) {}

  Status Prepare() {
    ASSIGN_OR_RETURN(const std::string config,
                     plane_.Kubectl({"get", "configmap/hearth-operator", "--namespace", name_space_,
                                     "--output", "jsonpath={.data.config\\.yaml}"}));
    RETURN_IF_ERROR(RealFileSystem().Write(directory_ / "config.yaml", config, 0600));
    ASSIGN_OR_RETURN(std::string token,
                     plane_.Kubectl({"create", "token", pod_["serviceAccountName"].string(),
                                     "--namespace", name_space_}));
    token = std::string(Trim(token));
    return RealFileSystem().Write(directory_ / "kubeconfig",
                                  kube::WriteKubeconfig(plane_.config(), token), 0600);
  }
  // Whether its init container ends well.
  Result<ProcessOutcome> ApplyDefinitions() {
    Value& container = pod_["initContainers"].items()[0];
    return RealProcessRunner().Run({.argv = Arguments(container), .env = Variables(container)},
                                   Limit());
  }
  Result<ChildProcess> Start() {
    Value& container = pod_["containers"].items()[0];
    return ChildProcess::Start({.argv = Arguments(container),
                                .env = Variables(container),
                                .log_path = directory_ / "log"});
  }
  std::string Log() { return RealFileSystem().Read(directory_ / "log", 16 << 20).value_or(""); }

 private:
  std::vector<std::string> Arguments(Value& container) {
    std::vector<std::string> argv;
    for (const char* const list : {"command", "args"}) {
      if (container.Find(list) == nullptr) {
        continue;
      }
      for (const Value& item : container[list].items()) {
        argv.push_back(Expanded(item.string()));
      }
    }
    EXPECT_EQ(argv[0], "hearth-operator");
    argv[0] = HEARTH_OPERATOR;
    argv.push_back("--kubeconfig=" + directory_ / "kubeconfig");
    return argv;
  }
  // As a kubelet would have it, and the volume where it is here.
  std::string Expanded(std::string text) {
    for (const auto& [from, to] :
         {std::pair<std::string, std::string>{"$(POD_NAMESPACE)", name_space_},
          {"/etc/hearth/", directory_.path() + "/"}}) {
      if (const size_t at = text.find(from); at != std::string::npos) {
        text.replace(at, from.size(), to);
      }
    }
    return text;
  }
  std::vector<std::pair<std::string, std::string>> Variables(Value& container) {
    std::vector<std::pair<std::string, std::string>> variables;
    for (Value& variable : container["env"].items()) {
      const Value* const field = variable.FindPath("valueFrom.fieldRef.fieldPath");
      const std::string value = field == nullptr ? variable["value"].StringOr("")
                                : field->string() == "metadata.namespace"
                                    ? name_space_
                                    : pod_["serviceAccountName"].string();
      variables.emplace_back(variable["name"].string(), value);
    }
    return variables;
  }

  kube::TestControlPlane& plane_;
  const std::string name_space_;
  Value pod_;
  TempDirectory directory_;
};

// Ports that are free here; the certificate is served by Service, which nobody asks.
struct Ports {
  kube::OwnPort health = kube::OwnPort::Take().value();
  kube::OwnPort webhook = kube::OwnPort::Take().value();

  std::string Values() const {
    return fmt::format(
        "operatorConfiguration: {{server: {{healthProbe: {{bindAddress: 127.0.0.1, port: {}}}, "
        "webhook: {{host: 127.0.0.1, port: {}}}}}}}\n",
        health.number(), webhook.number());
  }
};

bool IsReady(const Ports& ports) {
  net::EventLoop loop("test");
  http::Client client(loop, {.host = "127.0.0.1", .port = ports.health.number()}, nullptr);
  const auto answer = client.Send({.target = "/readyz"}, Limit());
  return answer.ok() && answer->status == 200;
}

TEST_F(Installed, TheReleaseIsInstalledUpgradedAndGone) {
  Choose("release");
  const auto notes = Helm({"install", "hearth", HelmRig::Chart()});
  ASSERT_OK(notes);
  EXPECT_THAT(*notes, HasSubstr("WARNING: the cluster has no default storage class"));
  EXPECT_THAT(*notes, HasSubstr("rollout status deployment/hearth-operator"));
  ASSERT_OK_AND_ASSIGN(const std::string manifest, Helm({"get", "manifest", "hearth"}));
  TempDirectory directory;
  ASSERT_OK(RealFileSystem().Write(directory / "all.yaml", manifest, 0600));
  const auto stored = plane_->Kubectl({"get", "--namespace", name_space_, "--filename",
                                       directory / "all.yaml", "--output", "name"});
  ASSERT_OK(stored);
  EXPECT_EQ(Split(Trim(*stored), '\n').size(), ByName(manifest).size());

  // What the operator writes into objects of the release is none of Helm's business.
  ASSERT_OK(plane_->Kubectl(
      {"patch", "validatingwebhookconfiguration/hearth-validating", "--type=json",
       R"(--patch=[{"op":"add","path":"/webhooks/0/clientConfig/caBundle","value":"Cg=="}])"}));
  ASSERT_OK(Helm({"upgrade", "hearth", HelmRig::Chart()},
                 "replicaCount: 3\nconfig: {limits: {captures: 1}}\n"));
  EXPECT_EQ(Get("deployment/hearth-operator", "{.spec.replicas}"), "3");
  EXPECT_THAT(Get("configmap/snapshot-agent", "{.data}"), HasSubstr("captures: 1"));
  EXPECT_EQ(Get("validatingwebhookconfiguration/hearth-validating",
                "{.webhooks[0].clientConfig.caBundle}"),
            "Cg==");

  ASSERT_OK(Helm({"uninstall", "hearth"}));
  EXPECT_TRUE(Eventually([&] {
    return plane_
               ->Kubectl({"get", "--namespace", name_space_, "--filename", directory / "all.yaml",
                          "--ignore-not-found", "--output", "name"})
               .value_or("?") == "persistentvolumeclaim/snapshot-pvc\n";
  })) << "artifacts stay, nothing else does";
}

TEST_F(Installed, EveryOptionalObjectIsTaken) {
  Choose("optional");
  // Of Prometheus' operator just the name.
  TempDirectory directory;
  ASSERT_OK(RealFileSystem().Write(directory / "crd.yaml", R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: podmonitors.monitoring.coreos.com}
spec:
  group: monitoring.coreos.com
  scope: Namespaced
  names: {kind: PodMonitor, plural: podmonitors, singular: podmonitor}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)",
                                   0600));
  ASSERT_OK(plane_->Kubectl({"apply", "--filename", directory / "crd.yaml"}));
  // Right after it was made there is no status to wait on.
  ASSERT_TRUE(Eventually([&] {
    return plane_
        ->Kubectl({"wait", "--for=condition=Established", "--timeout=20s",
                   "crd/podmonitors.monitoring.coreos.com"})
        .ok();
  }));
  ASSERT_OK(Helm({"install", "hearth", HelmRig::Chart()}, R"(
podMonitor: {enabled: true}
authorizer: {enabled: true}
openshift: {enabled: true}
namespaceRestriction: {enabled: true}
leaderElection: {namespace: kube-system}
runtime: {type: crio}
webhook: {certProvisionMode: manual}
)"));
  EXPECT_EQ(Get("role/hearth-operator-leader-" + name_space_, "{.metadata.name}"), "");
  EXPECT_TRUE(plane_
                  ->Kubectl({"get", "--namespace=kube-system",
                             "role/hearth-operator-leader-" + name_space_})
                  .ok());
}

// The operator's pods need no privileges: a namespace that allows none takes them.
TEST_F(Installed, TheOperatorsPodIsAllowedWhereNothingIs) {
  Choose("restricted");
  ASSERT_OK(plane_->Kubectl(
      {"label", "namespace", name_space_, "pod-security.kubernetes.io/enforce=restricted"}));
  ASSERT_OK(Helm({"install", "hearth", HelmRig::Chart()}));
  const auto pod_of = [&](const std::string& what) {
    auto owner = Object(what);
    EXPECT_OK(owner);
    Value pod = *owner->FindPath("spec.template");
    pod.Set("apiVersion", "v1");
    pod.Set("kind", "Pod");
    pod["metadata"].Set("name", "try");
    pod["metadata"].Set("namespace", name_space_);
    return pod.Write();
  };
  TempDirectory directory;
  ASSERT_OK(RealFileSystem().Write(directory / "operator.json",
                                   pod_of("deployment/hearth-operator"), 0600));
  ASSERT_OK(
      RealFileSystem().Write(directory / "agent.json", pod_of("daemonset/snapshot-agent"), 0600));
  EXPECT_OK(
      plane_->Kubectl({"create", "--dry-run=server", "--filename", directory / "operator.json"}));
  EXPECT_THAT(
      plane_->Kubectl({"create", "--dry-run=server", "--filename", directory / "agent.json"})
          .status()
          .message(),
      HasSubstr("violates PodSecurity"));
}

class InstalledOperator : public Installed {
 protected:
  // Runs what is installed until it is ready and told to end.
  void ExpectRuns(const Ports& ports) {
    const auto deployment = Object("deployment/hearth-operator");
    ASSERT_OK(deployment);
    OperatorOf program(*plane_, name_space_, *deployment);
    ASSERT_OK(program.Prepare());
    const auto applied = program.ApplyDefinitions();
    ASSERT_OK(applied);
    ASSERT_TRUE(applied->ok()) << applied->errors;
    auto process = program.Start();
    ASSERT_OK(process);
    EXPECT_TRUE(Eventually([&] { return IsReady(ports); })) << program.Log();
    EXPECT_TRUE(Eventually([&] {
      return Get("lease/hearth-operator", "{.spec.holderIdentity}") != "";
    })) << "it does not lead";
    ASSERT_OK(process->Signal(SIGTERM));
    const auto ended = process->Wait(Limit());
    ASSERT_OK(ended);
    EXPECT_EQ(ended->exit_code, 0) << program.Log();
    EXPECT_THAT(program.Log(), Not(HasSubstr("orbidden"))) << "a right is missing";
  }
};

TEST_F(InstalledOperator, BecomesReadyWithTheChartsConfigurationAndRights) {
  Choose("whole");
  const Ports ports;
  ASSERT_OK(Helm({"install", "hearth", HelmRig::Chart()}, ports.Values()));
  ExpectRuns(ports);
  EXPECT_NE(Get("validatingwebhookconfiguration/hearth-validating",
                "{.webhooks[0].clientConfig.caBundle}"),
            "")
      << "its authority was not put in";
}

TEST_F(InstalledOperator, BecomesReadyWithTheRightsOfOneNamespace) {
  Choose("one");
  const Ports ports;
  ASSERT_OK(Helm({"install", "hearth", HelmRig::Chart()},
                 ports.Values() + "namespaceRestriction: {enabled: true}\n"));
  ExpectRuns(ports);
  const std::string user = "--as=system:serviceaccount:" + name_space_ + ":hearth-operator";
  EXPECT_OK(plane_->Kubectl({"auth", "can-i", "create", "pods", user, "--namespace", name_space_}));
  EXPECT_FALSE(
      plane_->Kubectl({"auth", "can-i", "create", "pods", user, "--namespace=default"}).ok());
  EXPECT_FALSE(
      plane_->Kubectl({"auth", "can-i", "get", "secrets", user, "--namespace=default"}).ok());
}

using Kustomized = Installed;

TEST_F(Kustomized, EveryObjectOfEveryKustomizationIsTaken) {
  std::map<std::string, std::set<std::string>> in_no_namespace;
  for (const char* const name : {"base", "overlays/without-snapshots", "overlays/one-namespace"}) {
    SCOPED_TRACE(name);
    // Definitions may be there already, applied by an init container.
    EXPECT_OK(plane_->Kubectl({"apply", "--server-side", "--force-conflicts", "--kustomize",
                               std::string(HEARTH_SOURCE_DIR) + "/deploy/" + name}));
    for (const auto& [key, object] : ByName(rig_->Kustomize(name))) {
      if (object.FindPath("metadata.namespace") == nullptr) {
        in_no_namespace[object.Find("kind")->string()].insert(
            object.FindPath("metadata.name")->string());
      }
    }
  }
  // Releases of other tests have objects of these names.
  in_no_namespace.erase("Namespace");
  in_no_namespace.erase("CustomResourceDefinition");
  for (const auto& [kind, names] : in_no_namespace) {
    std::vector<std::string> args = {"delete", "--ignore-not-found", kind};
    args.insert(args.end(), names.begin(), names.end());
    EXPECT_OK(plane_->Kubectl(args));
  }
}

TEST_F(Kustomized, WithoutSnapshotsNothingIsPrivilegedAndNoPodIsAskedAbout) {
  const auto objects = ByName(rig_->Kustomize("overlays/without-snapshots"));
  EXPECT_FALSE(objects.contains("DaemonSet snapshot-agent"));
  EXPECT_FALSE(objects.contains("PersistentVolumeClaim snapshot-pvc"));
  EXPECT_THAT(objects.at("Namespace hearth-system").Write(), HasSubstr("restricted"));
  EXPECT_THAT(objects.at("MutatingWebhookConfiguration hearth-mutating").Write(),
              Not(HasSubstr("mpodcheckpointrestore")));
  EXPECT_THAT(objects.at("Deployment hearth-operator").Write(), HasSubstr("--checkpoints=false"));
}

TEST_F(Kustomized, OneNamespaceIsTheOnlyOneThatIsNamed) {
  const auto objects = ByName(rig_->Kustomize("overlays/one-namespace"));
  for (const auto& [name, object] : objects) {
    EXPECT_THAT(object.Write(), Not(HasSubstr("hearth-system"))) << name;
  }
  EXPECT_FALSE(objects.contains("ClusterRoleBinding hearth-operator"));
  EXPECT_FALSE(objects.contains("ClusterRoleBinding snapshot-agent"));
  EXPECT_THAT(objects.at("Deployment hearth-operator").Write(),
              HasSubstr("--namespace=$(POD_NAMESPACE)"));
  for (const auto& [name, object] : objects) {
    if (name.find("WebhookConfiguration") == std::string::npos) {
      continue;
    }
    for (const Value& webhook : object.Find("webhooks")->items()) {
      EXPECT_EQ(webhook.FindPath("namespaceSelector.matchLabels")->Write(),
                R"({"kubernetes.io/metadata.name":"inference"})")
          << name;
    }
  }
}

}  // namespace
}  // namespace hearth

#include "node_cluster.h"

#include <fmt/format.h>

#include <cstdlib>
#include <functional>
#include <utility>

#include "base/file_system.h"
#include "base/strings.h"
#include "eventually.h"
#include "example_driver.h"
#include "json/parse.h"
#include "json/yaml.h"
#include "private_machine.h"

namespace hearth::node {
namespace {

constexpr const char* kOperatorNamespace = "hearth-system";

kube::TestControlPlane::Options PlaneOptions(const std::vector<std::string>& controllers) {
  kube::TestControlPlane::Options options{
      // There is no proxy: the server itself finds who is behind a Service.
      .apiserver_args = {"--kubelet-preferred-address-types=InternalIP",
                         "--enable-aggregator-routing=true"},
      .controllers = {"garbage-collector-controller", "namespace-controller",
                      "node-lifecycle-controller", "pod-garbage-collector-controller",
                      "resourceclaim-controller"},
      .scheduler = true};
  options.controllers.insert(options.controllers.end(), controllers.begin(), controllers.end());
  return options;
}

// The Service of deploy/operator, and behind it the operator, which is a process of the node.
std::string WebhookService(uint16_t port) {
  return fmt::format(R"(apiVersion: v1
kind: Service
metadata: {{name: hearth-webhook, namespace: {0}}}
spec: {{ports: [{{name: webhook, port: 443, targetPort: {1}}}]}}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata:
  name: hearth-webhook-1
  namespace: {0}
  labels: {{kubernetes.io/service-name: hearth-webhook}}
addressType: IPv4
ports: [{{name: webhook, port: {1}, protocol: TCP}}]
endpoints: [{{addresses: ["{2}"], conditions: {{ready: true}}}}]
)",
                     kOperatorNamespace, port, PrivateMachine::kAddress);
}

// As deploy/agent puts it on nodes.
Result<std::string> SeccompProfile() {
  ASSIGN_OR_RETURN(
      const std::string text,
      RealFileSystem().Read(HEARTH_SOURCE_DIR "/deploy/agent/daemonset.yaml", 1 << 20));
  ASSIGN_OR_RETURN(std::vector<json::Value> documents, json::ParseYaml(text));
  for (json::Value& document : documents) {
    if (const json::Value* const profile = document["data"].Find("block-iouring.json")) {
      return profile->StringOr("");
    }
  }
  return NotFoundError("deploy/agent/daemonset.yaml has no profile for seccomp");
}

std::string TailOf(const std::string& what, const std::string& file) {
  const std::string log = RealFileSystem().Read(file, 64 << 20).value_or("");
  return fmt::format("{}'s log ends:\n{}\n", what,
                     log.substr(log.size() > 6000 ? log.size() - 6000 : 0));
}

}  // namespace

WaitLimit NodeCluster::Limit() { return WaitLimit::For(RealClock(), std::chrono::minutes(3)); }

Result<std::unique_ptr<NodeCluster>> NodeCluster::Start(
    const std::vector<std::string>& controllers) {
  if (ThisPrivateMachine() == nullptr) {
    return NotFoundError("a node needs a machine of its own, and that needs root");
  }
  std::unique_ptr<NodeCluster> cluster(new NodeCluster());
  ASSIGN_OR_RETURN(cluster->plane_, kube::TestControlPlane::Start(PlaneOptions(controllers)));
  ASSIGN_OR_RETURN(cluster->transport_,
                   kube::MakeHttpTransport(cluster->loop_, cluster->plane_->config(),
                                           kube::ConfigSources::Real()));
  cluster->client_ = std::make_unique<kube::Client>(*cluster->transport_, RealClock());
  ASSIGN_OR_RETURN(cluster->node_, KubeletRig::Start(*cluster->plane_));
  return cluster;
}

Status NodeCluster::AddOperator(const OperatorSetup& setup) {
  RETURN_IF_ERROR(Install());
  return StartOperator(setup);
}

NodeCluster::~NodeCluster() {
  for (const auto& program : {std::ref(agent_), std::ref(operator_)}) {
    if (program.get()) {
      program.get()->Stop(std::chrono::seconds(10));
    }
  }
  server_for_pods_.reset();
  node_.reset();
  client_.reset();
  transport_.reset();
}

Status NodeCluster::Install() {
  RETURN_IF_ERROR(Kubectl({"create", "namespace", kOperatorNamespace}));
  RETURN_IF_ERROR(Kubectl({"apply", "--server-side", "-f",
                           std::string(HEARTH_SOURCE_DIR) + "/deploy/operator/rbac.yaml"}));
  ASSIGN_OR_RETURN(const ProcessOutcome applied,
                   RealProcessRunner().Run({.argv = {HEARTH_OPERATOR, "crd-apply",
                                                     "--kubeconfig=" + plane_->kubeconfig_path()}},
                                           Limit()));
  return applied.ok() ? Status::Ok() : InternalError("crd-apply: " + applied.errors);
}

Result<std::string> NodeCluster::MakeKubeconfig(const std::string& account) {
  ASSIGN_OR_RETURN(const std::string token,
                   Kubectl({"create", "token", account, "-n", kOperatorNamespace}));
  const std::string kubeconfig = directory_ / (account + ".kubeconfig");
  RETURN_IF_ERROR(RealFileSystem().Write(
      kubeconfig, kube::WriteKubeconfig(plane_->config(), std::string(Trim(token))), 0600));
  return kubeconfig;
}

Status NodeCluster::StartOperator(const OperatorSetup& setup) {
  ASSIGN_OR_RETURN(const std::string kubeconfig, MakeKubeconfig("hearth-operator"));
  for (int i = 0; i < 2; ++i) {
    ASSIGN_OR_RETURN(kube::OwnPort port, kube::OwnPort::Take());
    ports_.push_back(std::move(port));
  }
  ChildProcess::Spec spec{
      .argv = {HEARTH_OPERATOR, "run", "--kubeconfig=" + kubeconfig,
               fmt::format("--health-address=127.0.0.1:{}", ports_[0].number()),
               fmt::format("--webhook-address={}:{}",
                           setup.webhooks ? PrivateMachine::kAddress : "127.0.0.1",
                           ports_[1].number()),
               std::string("--lease-namespace=") + kOperatorNamespace,
               std::string("--operator-namespace=") + kOperatorNamespace},
      .log_path = directory_ / "operator.log"};
  if (!setup.configuration.empty()) {
    RETURN_IF_ERROR(
        RealFileSystem().Write(directory_ / "operator.yaml", setup.configuration, 0600));
    spec.argv.push_back("--config=" + directory_ / "operator.yaml");
  }
  spec.argv.insert(spec.argv.end(), setup.options.begin(), setup.options.end());
  ASSIGN_OR_RETURN(ChildProcess child, ChildProcess::Start(spec));
  operator_ = std::make_unique<ChildProcess>(std::move(child));
  return setup.webhooks ? InstallWebhooks(ports_[1].number()) : Status::Ok();
}

// Returns when the server believes the operator's certificate.
Status NodeCluster::InstallWebhooks(uint16_t port) {
  RETURN_IF_ERROR(Apply(WebhookService(port)));
  RETURN_IF_ERROR(Kubectl(
      {"apply", "--server-side", "-f", std::string(HEARTH_SOURCE_DIR) + "/deploy/webhooks"}));
  const bool known =
      Eventually([&] { return !operator_->Running() || WithoutBundle().value_or("?").empty(); });
  return known && operator_->Running()
             ? Status::Ok()
             : UnavailableError(fmt::format("the server does not know whom to believe of {}\n{}",
                                            WithoutBundle().value_or("all"), LogTails()));
}

// Names of webhooks.
Result<std::string> NodeCluster::WithoutBundle() {
  ASSIGN_OR_RETURN(const std::string text,
                   Kubectl({"get", "mutatingwebhookconfigurations,validatingwebhookconfigurations",
                            "-o", "json"}));
  ASSIGN_OR_RETURN(const auto list, json::Parse(text));
  std::string names;
  for (const json::View configuration : list.view()["items"].items()) {
    for (const json::View webhook : configuration["webhooks"].items()) {
      if (webhook["clientConfig"]["caBundle"].StringOr("").empty()) {
        names += webhook["name"].StringOr("") + " ";
      }
    }
  }
  return names;
}

Status NodeCluster::AddAgent(const std::string& storage) {
  const char* const criu = std::getenv("HEARTH_CRIU");
  if (criu == nullptr) {
    return NotFoundError("an agent needs HEARTH_CRIU, the directory that tools/criu prints");
  }
  RETURN_IF_ERROR(Kubectl({"apply", "--server-side", "-f",
                           std::string(HEARTH_SOURCE_DIR) + "/deploy/agent/rbac.yaml"}));
  ASSIGN_OR_RETURN(const std::string profile, SeccompProfile());
  const std::string profiles = node_->seccomp_directory() + "/profiles";
  RETURN_IF_ERROR(RealFileSystem().MakeDirectories(profiles, 0755));
  RETURN_IF_ERROR(RealFileSystem().Write(profiles + "/block-iouring.json", profile, 0644));
  ASSIGN_OR_RETURN(const std::string kubeconfig, MakeKubeconfig("snapshot-agent"));
  ASSIGN_OR_RETURN(
      ChildProcess child,
      ChildProcess::Start(
          {.argv = {SNAPSHOT_AGENT, "--kubeconfig=" + kubeconfig,
                    "--node-name=" + node_->node_name(),
                    std::string("--namespace=") + kOperatorNamespace,
                    "--runtime-socket=" + node_->runtime_socket(), "--storage-directory=" + storage,
                    std::string("--binaries=") + criu, "--host-proc=/proc", "--health-address="},
           .log_path = directory_ / "agent.log"}));
  agent_ = std::make_unique<ChildProcess>(std::move(child));
  return Status::Ok();
}

Status NodeCluster::LetPodsReachTheServer() {
  RETURN_IF_ERROR(AddAddress(kube::TestControlPlane::kServiceAddress));
  ASSIGN_OR_RETURN(server_for_pods_, TcpProxy::StartAt(kube::TestControlPlane::kServiceAddress, 443,
                                                       plane_->config().server.port));
  return Status::Ok();
}

Status NodeCluster::Apply(const std::string& yaml) {
  const std::string file = directory_ / "object.yaml";
  RETURN_IF_ERROR(RealFileSystem().Write(file, yaml, 0600));
  return Kubectl({"apply", "-f", file}).status();
}

Status NodeCluster::MakeDeviceClass(const std::string& name) {
  return Apply(fmt::format(R"(apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {{name: {}}}
spec: {{selectors: [{{cel: {{expression: "device.driver == '{}'"}}}}]}}
)",
                           name, ExampleDriver::kName));
}

std::vector<std::pair<std::string, std::string>> NodeCluster::Environment() const {
  const auto folder = [](const std::string& path) { return path.substr(0, path.rfind('/')); };
  const char* const path = std::getenv("PATH");
  const auto binaries = kube::KubeBinaries::Find();
  return {{"KUBECONFIG", plane_->kubeconfig_path()},
          {"PATH", fmt::format("{}:{}:{}", binaries.ok() ? folder(binaries->kubectl) : "",
                               folder(HEARTH_PROGRAM), path == nullptr ? "" : path)}};
}

Result<ProcessOutcome> NodeCluster::Hearth(std::vector<std::string> args) {
  args.insert(args.begin(), HEARTH_PROGRAM);
  args.insert(args.end(), {"--kubeconfig", plane_->kubeconfig_path()});
  return RealProcessRunner().Run({.argv = std::move(args)}, Limit());
}

std::string NodeCluster::LogTails() const {
  return TailOf("hearth-operator", directory_ / "operator.log") +
         (agent_ ? TailOf("snapshot-agent", directory_ / "agent.log") : "") +
         (node_ ? node_->LogTails() : "");
}

}  // namespace hearth::node

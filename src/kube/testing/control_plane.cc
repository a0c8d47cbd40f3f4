#include "kube/testing/control_plane.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include "base/backoff.h"
#include "base/publish.h"
#include "base/testing/temp_directory.h"
#include "http/client.h"
#include "kube/client/client.h"
#include "kube/client/transport.h"
#include "kube/testing/own_port.h"
#include "net/event_loop.h"
#include "net/tls.h"

namespace hearth::kube {
namespace {

using namespace std::chrono_literals;

constexpr Duration kStartTimeout = 3min;
constexpr const char* kServiceRange = "10.0.0.0";

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool IsProgram(const std::string& path) {
  return !path.empty() && ::access(path.c_str(), X_OK) == 0;
}

Result<std::string> AssetDirectory() {
  std::string directory = Environment("KUBEBUILDER_ASSETS");
  if (!directory.empty()) {
    return directory;
  }
  ProcessSpec spec;
  spec.argv = {std::string(HEARTH_SOURCE_DIR) + "/tools/kube-assets"};
  ASSIGN_OR_RETURN(const ProcessOutcome outcome,
                   RealProcessRunner().Run(spec, WaitLimit::For(RealClock(), 30min)));
  if (!outcome.ok()) {
    return NotFoundError("no kube-apiserver to test against: " + outcome.errors);
  }
  directory = outcome.output;
  while (!directory.empty() && directory.back() == '\n') {
    directory.pop_back();
  }
  return directory;
}

// Asks again and again, more and more slowly, until `ready` holds: for processes that announce
// nothing.
Status AwaitReady(const std::string& what, ChildProcess& process, const std::string& log,
                  const std::function<bool()>& ready) {
  const SteadyTime end = RealClock().Now() + kStartTimeout;
  while (!ready()) {
    if (!process.Running() || RealClock().Now() > end) {
      const auto said = RealFileSystem().Read(log, 64 << 20);
      const std::string text = said.ok() ? *said : "";
      return UnavailableError(fmt::format(
          "{} {}; its log ends: {}", what, process.Running() ? "is not ready in time" : "ended",
          text.substr(text.size() > 2000 ? text.size() - 2000 : 0)));
    }
    std::this_thread::sleep_for(20ms);
  }
  return {};
}

}  // namespace

Result<KubeBinaries> KubeBinaries::Find() {
  KubeBinaries found;
  found.apiserver = Environment("TEST_ASSET_KUBE_APISERVER");
  found.etcd = Environment("TEST_ASSET_ETCD");
  found.kubectl = Environment("TEST_ASSET_KUBECTL");
  if (!IsProgram(found.apiserver) || !IsProgram(found.etcd) || !IsProgram(found.kubectl)) {
    ASSIGN_OR_RETURN(const std::string directory, AssetDirectory());
    found = {.apiserver = directory + "/kube-apiserver",
             .etcd = directory + "/etcd",
             .kubectl = directory + "/kubectl",
             .controller_manager = directory + "/kube-controller-manager",
             .scheduler = directory + "/kube-scheduler",
             .kubelet = directory + "/kubelet",
             .example_driver = directory + "/dra-example-kubeletplugin",
             .helm = directory + "/helm"};
  }
  for (const std::string& program : {found.apiserver, found.etcd, found.kubectl}) {
    if (!IsProgram(program)) {
      return NotFoundError(
          program + " is not there; unset KUBEBUILDER_ASSETS to have tools/kube-assets install it");
    }
  }
  return found;
}

struct TestControlPlane::Impl {
  TempDirectory directory;
  Options options;
  KubeBinaries binaries;
  net::CertificatePair ca;
  std::string token;
  std::vector<OwnPort> ports;
  uint16_t etcd_port = 0, etcd_peer_port = 0, port = 0, manager_port = 0, scheduler_port = 0;
  std::optional<ChildProcess> etcd, apiserver, controller_manager, scheduler;
  net::EventLoop loop{"control-plane"};
  std::atomic<int> name_spaces{0};

  std::string File(const std::string& name) const { return directory / name; }

  Status TakePorts() {
    for (uint16_t* number : {&etcd_port, &etcd_peer_port, &port, &manager_port, &scheduler_port}) {
      ASSIGN_OR_RETURN(OwnPort own, OwnPort::Take());
      *number = own.number();
      ports.push_back(std::move(own));
    }
    return {};
  }

  Status WriteFiles() {
    ASSIGN_OR_RETURN(const net::CertificatePair accounts,
                     net::MakeCertificate({.common_name = "service accounts"}, RealClock()));
    token = fmt::format("admin-{:016x}", Random::Seeded().Next());
    FileSystem& files = RealFileSystem();
    RETURN_IF_ERROR(files.Write(File("sa.key"), accounts.private_key_pem, 0600));
    RETURN_IF_ERROR(files.Write(File("sa.crt"), accounts.certificate_pem, 0644));
    RETURN_IF_ERROR(
        files.Write(File("tokens.csv"), token + ",admin,admin-uid,\"system:masters\"\n", 0600));
    RETURN_IF_ERROR(WriteAuthority());
    return WriteServingCertificate().status();
  }

  Status WriteAuthority() {
    ASSIGN_OR_RETURN(
        ca, net::MakeCertificate({.common_name = "hearth test CA", .is_ca = true}, RealClock()));
    RETURN_IF_ERROR(PublishFile(RealFileSystem(), File("ca.crt"), ca.certificate_pem, 0644));
    return PublishFile(RealFileSystem(), File("kubeconfig"), WriteKubeconfig(MakeConfig(), token),
                       0600);
  }

  Result<std::string> WriteServingCertificate() {
    net::CertificateRequest request{.common_name = "kube-apiserver"};
    request.dns_names = {"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"};
    request.ip_addresses = {"127.0.0.1", kServiceAddress};
    ASSIGN_OR_RETURN(const net::CertificatePair pair,
                     net::MakeCertificate(request, RealClock(), &ca));
    RETURN_IF_ERROR(PublishFile(RealFileSystem(), File("serving.key"), pair.private_key_pem, 0600));
    RETURN_IF_ERROR(PublishFile(RealFileSystem(), File("serving.crt"), pair.certificate_pem, 0644));
    return pair.certificate_pem;
  }

  Config MakeConfig() const {
    Config config;
    config.server = {true, "127.0.0.1", port, ""};
    config.ca_pem = ca.certificate_pem;
    config.credentials = StaticToken(token);
    config.origin = "test control plane";
    return config;
  }

  Status StartEtcd() {
    const std::string client = fmt::format("http://127.0.0.1:{}", etcd_port);
    const std::string peer = fmt::format("http://127.0.0.1:{}", etcd_peer_port);
    ChildProcess::Spec spec;
    spec.argv = {binaries.etcd,
                 "--name=t",
                 "--data-dir=" + File("etcd"),
                 "--listen-client-urls=" + client,
                 "--advertise-client-urls=" + client,
                 "--listen-peer-urls=" + peer,
                 "--initial-advertise-peer-urls=" + peer,
                 "--initial-cluster=t=" + peer,
                 "--log-level=warn"};
    if (!options.etcd_fsync) {
      spec.argv.emplace_back("--unsafe-no-fsync");
    }
    spec.log_path = File("etcd.log");
    ASSIGN_OR_RETURN(etcd, ChildProcess::Start(spec));
    return AwaitReady("etcd", *etcd, spec.log_path, [&] {
      return Answers({false, "127.0.0.1", etcd_port, ""}, "/health");
    });
  }

  Status StartApiServer() {
    ChildProcess::Spec spec;
    spec.argv = {binaries.apiserver,
                 fmt::format("--etcd-servers=http://127.0.0.1:{}", etcd_port),
                 fmt::format("--secure-port={}", port),
                 "--bind-address=127.0.0.1",
                 "--tls-cert-file=" + File("serving.crt"),
                 "--tls-private-key-file=" + File("serving.key"),
                 "--client-ca-file=" + File("ca.crt"),
                 "--service-account-key-file=" + File("sa.crt"),
                 "--service-account-signing-key-file=" + File("sa.key"),
                 "--service-account-issuer=https://kubernetes.default.svc",
                 "--token-auth-file=" + File("tokens.csv"),
                 "--authorization-mode=RBAC",
                 fmt::format("--service-cluster-ip-range={}/24", kServiceRange),
                 "--allow-privileged=true",
                 "--disable-admission-plugins=ServiceAccount",
                 "--cert-dir=" + File("certs")};
    spec.argv.insert(spec.argv.end(), options.apiserver_args.begin(), options.apiserver_args.end());
    spec.log_path = File("kube-apiserver.log");
    ASSIGN_OR_RETURN(apiserver, ChildProcess::Start(spec));
    return AwaitReady("kube-apiserver", *apiserver, spec.log_path, [&] {
      return Answers({true, "127.0.0.1", port, ""}, "/readyz");
    });
  }

  Status StartControllerManager() {
    if (options.controllers.empty()) {
      return {};
    }
    std::string controllers;
    for (const std::string& name : options.controllers) {
      controllers += (controllers.empty() ? "" : ",") + name;
    }
    ChildProcess::Spec spec;
    spec.argv = {
        binaries.controller_manager,        "--kubeconfig=" + File("kubeconfig"),
        "--controllers=" + controllers,     "--leader-elect=false",
        "--bind-address=127.0.0.1",         fmt::format("--secure-port={}", manager_port),
        "--root-ca-file=" + File("ca.crt"), "--service-account-private-key-file=" + File("sa.key"),
        "--cert-dir=" + File("kcm-certs")};
    spec.log_path = File("kube-controller-manager.log");
    ASSIGN_OR_RETURN(controller_manager, ChildProcess::Start(spec));
    return {};
  }

  Status StartScheduler() {
    if (!options.scheduler) {
      return {};
    }
    if (!IsProgram(binaries.scheduler)) {
      return NotFoundError(binaries.scheduler +
                           " is not there; tools/kube-assets kube-scheduler builds it");
    }
    ChildProcess::Spec spec;
    spec.argv = {binaries.scheduler,
                 "--kubeconfig=" + File("kubeconfig"),
                 "--leader-elect=false",
                 "--bind-address=127.0.0.1",
                 fmt::format("--secure-port={}", scheduler_port),
                 "--tls-cert-file=" + File("serving.crt"),
                 "--tls-private-key-file=" + File("serving.key")};
    spec.log_path = File("kube-scheduler.log");
    ASSIGN_OR_RETURN(scheduler, ChildProcess::Start(spec));
    return AwaitReady("kube-scheduler", *scheduler, spec.log_path, [&] {
      return Answers({true, "127.0.0.1", scheduler_port, ""}, "/readyz");
    });
  }

  bool Answers(const net::Endpoint& endpoint, const std::string& path) {
    std::shared_ptr<net::TlsContext> tls;
    if (endpoint.tls) {
      auto context = net::TlsContext::Create({.ca_pem = ca.certificate_pem}, {});
      if (!context.ok()) {
        return false;
      }
      tls = *std::move(context);
    }
    http::Client client(loop, endpoint, std::move(tls));
    http::Request request;
    request.target = path;
    request.headers.Set("Authorization", "Bearer " + token);
    const auto response = client.Send(std::move(request), WaitLimit::For(RealClock(), 2s));
    return response.ok() && response->status == 200;
  }
};

TestControlPlane::TestControlPlane(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

TestControlPlane::~TestControlPlane() {
  // SIGKILL to all: nothing of them is kept.
  for (auto* process :
       {&impl_->scheduler, &impl_->controller_manager, &impl_->apiserver, &impl_->etcd}) {
    process->reset();
  }
}

Result<std::unique_ptr<TestControlPlane>> TestControlPlane::Start(Options options) {
  ASSIGN_OR_RETURN(KubeBinaries binaries, KubeBinaries::Find());
  auto impl = std::make_unique<Impl>();
  impl->options = std::move(options);
  impl->binaries = std::move(binaries);
  RETURN_IF_ERROR(impl->TakePorts());
  RETURN_IF_ERROR(impl->WriteFiles());
  RETURN_IF_ERROR(impl->StartEtcd());
  RETURN_IF_ERROR(impl->StartApiServer());
  RETURN_IF_ERROR(impl->StartControllerManager());
  RETURN_IF_ERROR(impl->StartScheduler());
  return std::unique_ptr<TestControlPlane>(new TestControlPlane(std::move(impl)));
}

Config TestControlPlane::config() const { return impl_->MakeConfig(); }
const std::string& TestControlPlane::token() const { return impl_->token; }
std::string TestControlPlane::server_url() const {
  return fmt::format("https://127.0.0.1:{}", impl_->port);
}
std::string TestControlPlane::ca_file() const { return impl_->File("ca.crt"); }
std::string TestControlPlane::kubeconfig_path() const { return impl_->File("kubeconfig"); }
int TestControlPlane::apiserver_pid() const {
  return impl_->apiserver ? impl_->apiserver->pid() : -1;
}

Result<std::string> TestControlPlane::NewNamespace(const std::string& prefix) {
  const std::string name = fmt::format("{}-{}", prefix, ++impl_->name_spaces);
  ASSIGN_OR_RETURN(const auto transport,
                   MakeHttpTransport(impl_->loop, config(), ConfigSources::Real()));
  Client client(*transport, RealClock());
  const json::Blob body = NewObject(types::Namespaces(), {"", name}).ToBlob();
  RETURN_IF_ERROR(
      client.Create(types::Namespaces(), "", body.view(), WaitLimit::For(RealClock(), 3min)));
  return name;
}

Result<std::string> TestControlPlane::Kubectl(std::vector<std::string> args) {
  ASSIGN_OR_RETURN(ProcessOutcome outcome, RunKubectl(args));
  if (!outcome.ok()) {
    return InvalidError("kubectl " + (args.empty() ? std::string() : args.front()) + ": " +
                        outcome.errors);
  }
  return std::move(outcome.output);
}

Result<ProcessOutcome> TestControlPlane::RunKubectl(const std::vector<std::string>& args) {
  ProcessSpec spec;
  spec.argv = {impl_->binaries.kubectl, "--kubeconfig=" + kubeconfig_path(),
               "--cache-dir=" + impl_->File("kubectl-cache")};
  spec.argv.insert(spec.argv.end(), args.begin(), args.end());
  spec.output_limit = 64 << 20;
  return RealProcessRunner().Run(spec, WaitLimit::For(RealClock(), 3min));
}

void TestControlPlane::KillApiServer() { impl_->apiserver.reset(); }
Status TestControlPlane::StartApiServer() { return impl_->StartApiServer(); }
void TestControlPlane::PauseApiServer() { (void)impl_->apiserver->Signal(SIGSTOP); }
void TestControlPlane::ResumeApiServer() { (void)impl_->apiserver->Signal(SIGCONT); }

Status TestControlPlane::ReplaceServingCertificate() {
  ASSIGN_OR_RETURN(const std::string certificate, impl_->WriteServingCertificate());
  ProcessSpec spec;
  spec.argv = {"openssl", "s_client", "-connect", fmt::format("127.0.0.1:{}", impl_->port)};
  return AwaitReady(
      "kube-apiserver's new certificate", *impl_->apiserver, impl_->File("kube-apiserver.log"),
      [&] {
        const auto shown = RealProcessRunner().Run(spec, WaitLimit::For(RealClock(), 5s));
        return shown.ok() && shown->output.find(certificate.substr(
                                 0, certificate.find("-----END"))) != std::string::npos;
      });
}

Status TestControlPlane::ReplaceAuthority() {
  RETURN_IF_ERROR(impl_->WriteAuthority());
  return ReplaceServingCertificate();
}

namespace {

// Owned here rather than by a static, so that it ends before the program's other statics do.
class SharedPlane : public testing::Environment {
 public:
  void TearDown() override { plane.reset(); }
  std::unique_ptr<TestControlPlane> plane;
  Status failure;
  bool tried = false;
};

}  // namespace

TestControlPlane* SharedControlPlane(std::string* why_not,
                                     const TestControlPlane::Options& options) {
  static auto* shared =
      static_cast<SharedPlane*>(testing::AddGlobalTestEnvironment(new SharedPlane));
  if (!shared->tried) {
    shared->tried = true;
    auto started = TestControlPlane::Start(options);
    if (started.ok()) {
      shared->plane = *std::move(started);
    } else {
      shared->failure = started.status();
    }
  }
  if (!shared->plane) {
    *why_not = shared->failure.ToString();
    if (!shared->failure.Is(Code::kNotFound)) {
      ADD_FAILURE() << *why_not;  // it is there but does not work: no reason to skip
    }
  }
  return shared->plane.get();
}

}  // namespace hearth::kube

#include "operator_process.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <utility>

#include "base/file_system.h"
#include "base/strings.h"
#include "first_request.h"
#include "http/client.h"
#include "net/event_loop.h"
#include "net/tls.h"
#include "scratch.h"

namespace hearth::bench {
namespace {

constexpr auto kReadyTimeout = std::chrono::seconds(60);
constexpr auto kProbeTimeout = std::chrono::seconds(2);
constexpr auto kLookAgain = std::chrono::milliseconds(20);
constexpr auto kStopGrace = std::chrono::seconds(10);

// Upstream's configuration file: everything as it comes, but for addresses, and the client's limit
// when that is to be off.
constexpr const char* kConfiguration = R"(apiVersion: operator.config.grove.io/v1alpha1
kind: OperatorConfiguration
{}leaderElection:
  enabled: false
server:
  webhooks:
    bindAddress: 127.0.0.1
    port: {}
    serverCertDir: {}
    certProvisionMode: manual
  healthProbes:
    bindAddress: 127.0.0.1
    port: {}
  metrics:
    bindAddress: 127.0.0.1
    port: {}
)";
constexpr const char* kNoLimit = "runtimeClientConnection: {qps: -1, burst: 1000}\n";

// The webhooks' certificate; nobody will ask for it.
Status WriteCertificate(const std::string& directory) {
  ASSIGN_OR_RETURN(const net::CertificatePair pair,
                   net::MakeCertificate({.common_name = "webhooks"}, RealClock()));
  RETURN_IF_ERROR(RealFileSystem().Write(directory + "/tls.key", pair.private_key_pem, 0600));
  return RealFileSystem().Write(directory + "/tls.crt", pair.certificate_pem, 0644);
}

std::string EndOfFile(const std::string& path) {
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  constexpr size_t kShown = 500;
  return Excerpt(Trim(text.size() > kShown ? text.substr(text.size() - kShown) : text), kShown);
}

}  // namespace

Result<std::unique_ptr<OperatorProcess>> OperatorProcess::Start(const Contestant& contestant,
                                                                const std::string& kubeconfig,
                                                                const std::string& directory) {
  std::unique_ptr<OperatorProcess> made(new OperatorProcess(contestant, directory));
  RETURN_IF_ERROR(made->Launch(kubeconfig));
  RETURN_IF_ERROR(made->AwaitReady());
  return made;
}

OperatorProcess::~OperatorProcess() {
  if (process_ != nullptr) {
    process_->Stop(kStopGrace);
  }
}

Status OperatorProcess::Launch(const std::string& kubeconfig) {
  for (int i = 0; i < 3; ++i) {
    ASSIGN_OR_RETURN(kube::OwnPort port, kube::OwnPort::Take());
    ports_.push_back(std::move(port));
  }
  ChildProcess::Spec spec;
  spec.log_path = directory_ + "/" + contestant_.name + ".log";
  if (contestant_.kind == Contestant::Kind::kHearth) {
    spec.argv = {contestant_.program,
                 "run",
                 "--kubeconfig=" + kubeconfig,
                 "--leader-elect=false",
                 "--webhooks=false",
                 fmt::format("--health-address=127.0.0.1:{}", ports_[0].number())};
  } else {
    const std::string file = directory_ + "/" + contestant_.name + ".yaml";
    const bool unlimited = contestant_.kind == Contestant::Kind::kUpstreamUnlimited;
    RETURN_IF_ERROR(WriteCertificate(directory_));
    RETURN_IF_ERROR(RealFileSystem().Write(
        file,
        fmt::format(kConfiguration, unlimited ? kNoLimit : "", ports_[2].number(), directory_,
                    ports_[0].number(), ports_[1].number()),
        0644));
    spec.argv = {contestant_.program, "--config=" + file};
    spec.env = {{"KUBECONFIG", kubeconfig}, {"GROVE_INIT_CONTAINER_IMAGE", "grove-initc"}};
  }
  started_ = RealClock().Now();
  ASSIGN_OR_RETURN(ChildProcess process, ChildProcess::Start(spec));
  process_ = std::make_unique<ChildProcess>(std::move(process));
  return {};
}

Status OperatorProcess::AwaitReady() {
  net::EventLoop loop("ready");
  http::Client client(loop, {false, "127.0.0.1", ports_[0].number(), ""}, nullptr);
  const SteadyTime end = RealClock().Now() + kReadyTimeout;
  while (true) {
    http::Request request;
    request.target = "/readyz";
    const auto answer = client.Send(std::move(request), WaitLimit::For(RealClock(), kProbeTimeout));
    if (answer.ok() && answer->status == 200) {
      return {};
    }
    if (!process_->Running()) {
      return Failed("ended");
    }
    if (RealClock().Now() > end) {
      return Failed("did not become ready");
    }
    SleepFor(RealClock(), kLookAgain, {});
  }
}

Status OperatorProcess::Failed(const std::string& what) const {
  return UnavailableError(fmt::format("{} {}; the end of its log: {}", contestant_.name, what,
                                      EndOfFile(directory_ + "/" + contestant_.name + ".log")));
}

Result<Memory> OperatorProcess::ReadMemory() const {
  auto memory = MemoryOf(process_->pid());
  return memory.ok() ? memory : Failed(std::string(memory.status().message()));
}

Result<double> OperatorProcess::CpuSeconds() const {
  auto seconds = CpuSecondsOf(process_->pid());
  return seconds.ok() ? seconds : Failed(std::string(seconds.status().message()));
}

Result<double> OperatorProcess::SecondsToFirstRequest(const Contestant& contestant,
                                                      const std::string& directory) {
  ASSIGN_OR_RETURN(const FirstRequest request, FirstRequest::Listen(directory));
  OperatorProcess operator_process(contestant, directory);
  RETURN_IF_ERROR(operator_process.Launch(request.kubeconfig()));
  RETURN_IF_ERROR(request.Await(contestant.name));
  const double seconds = SecondsSince(operator_process.started_);
  operator_process.process_.reset();  // killed: it has nobody to say good-bye to
  return seconds;
}

}  // namespace hearth::bench

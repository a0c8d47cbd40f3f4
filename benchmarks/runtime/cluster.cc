#include "cluster.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "base/clock.h"
#include "base/process_runner.h"
#include "kube/client/transport.h"
#include "kube/testing/control_plane.h"
#include "net/event_loop.h"

namespace hearth::bench {
namespace {

// As many as threads that write, so that no connection is made twice.
constexpr int kConnections = 64;
constexpr auto kCurlTimeout = std::chrono::seconds(60);

}  // namespace

struct Cluster::Impl {
  std::unique_ptr<kube::TestControlPlane> control_plane;
  std::string kubeconfig;
  net::EventLoop loop{"bench"};
  std::unique_ptr<kube::Transport> transport;
  std::unique_ptr<kube::Client> client;
};

Cluster::Cluster(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Cluster::~Cluster() = default;

Result<std::unique_ptr<Cluster>> Cluster::Start() {
  auto impl = std::make_unique<Impl>();
  ASSIGN_OR_RETURN(impl->control_plane, kube::TestControlPlane::Start({}));
  impl->kubeconfig = impl->control_plane->kubeconfig_path();
  kube::HttpTransportOptions options;
  options.http.max_idle_connections = kConnections;
  options.http.max_connections = kConnections;
  ASSIGN_OR_RETURN(impl->transport,
                   kube::MakeHttpTransport(impl->loop, impl->control_plane->config(),
                                           kube::ConfigSources::Real(), options));
  impl->client = std::make_unique<kube::Client>(*impl->transport, RealClock());
  return std::unique_ptr<Cluster>(new Cluster(std::move(impl)));
}

kube::Client& Cluster::client() { return *impl_->client; }
const std::string& Cluster::kubeconfig() const { return impl_->kubeconfig; }

Result<Cluster::ListTime> Cluster::CurlPods(const std::string& name_space) {
  const ProcessSpec curl{
      .argv = {"curl", "-sSk", "--fail", "-o", "/dev/null", "-w", "%{size_download}", "-H",
               "Authorization: Bearer " + impl_->control_plane->token(),
               fmt::format("{}/api/v1/namespaces/{}/pods?resourceVersion=0&pretty=false",
                           impl_->control_plane->server_url(), name_space)}};
  const SteadyTime begin = RealClock().Now();
  ASSIGN_OR_RETURN(const ProcessOutcome done,
                   RealProcessRunner().Run(curl, WaitLimit::For(RealClock(), kCurlTimeout)));
  ListTime time{.seconds = std::chrono::duration<double>(RealClock().Now() - begin).count()};
  if (!done.ok()) {
    return UnavailableError(fmt::format("curl could not list Pods: {}", done.errors));
  }
  std::from_chars(done.output.data(), done.output.data() + done.output.size(), time.bytes);
  return time;
}

}  // namespace hearth::bench

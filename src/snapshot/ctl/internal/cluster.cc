#include "snapshot/ctl/internal/cluster.h"

namespace hearth::snapshot::ctl {

const kube::ResourceType& PodSnapshots() {
  static const kube::ResourceType type{"nvidia.com", "v1alpha1", "podsnapshots", "PodSnapshot",
                                       true};
  return type;
}

const kube::ResourceType& Jobs() {
  static const kube::ResourceType type{"batch", "v1", "jobs", "Job", true};
  return type;
}

Result<std::unique_ptr<Cluster>> Cluster::Connect(const kube::ConfigRequest& request) {
  const kube::ConfigSources sources = kube::ConfigSources::Real();
  ASSIGN_OR_RETURN(const kube::Config config, kube::LoadConfig(request, sources));
  std::unique_ptr<Cluster> cluster(
      new Cluster(config.name_space.empty() ? "default" : config.name_space));
  ASSIGN_OR_RETURN(cluster->transport_,
                   kube::MakeHttpTransport(cluster->loop_, config, sources,
                                           {.http = {}, .user_agent = "snapshotctl"}));
  cluster->client_ = std::make_unique<kube::Client>(
      *cluster->transport_, RealClock(), kube::ClientOptions{.field_manager = "snapshotctl"});
  return cluster;
}

Status Cluster::Await(const kube::ResourceType& type, std::string_view name_space,
                      const kube::ListOptions& which, IfNone if_none, const WaitLimit& limit,
                      const std::function<Result<bool>(const kube::Object&)>& done) {
  return kube::Await(*client_, type, name_space, which, if_none, limit, done);
}

}  // namespace hearth::snapshot::ctl

#include "cli/cluster.h"

namespace hearth::cli {

Result<std::unique_ptr<Cluster>> Cluster::Connect(const kube::ConfigRequest& request) {
  const kube::ConfigSources sources = kube::ConfigSources::Real();
  ASSIGN_OR_RETURN(const kube::Config config, kube::LoadConfig(request, sources));
  std::unique_ptr<Cluster> cluster(
      new Cluster(config.name_space.empty() ? "default" : config.name_space));
  cluster->server_ = config.server.ToString();
  ASSIGN_OR_RETURN(cluster->transport_, kube::MakeHttpTransport(cluster->loop_, config, sources));
  cluster->client_ = std::make_unique<kube::Client>(*cluster->transport_, RealClock());
  return cluster;
}

void ClusterOptions::AddTo(OptionTable& table, const std::string& timeout_help) {
  table.Add({.name = "kubeconfig",
             .help = "Kubeconfig; $KUBECONFIG, the pod's service account or ~/.kube/config "
                     "without it",
             .target = &request.kubeconfig,
             .value_name = "file"});
  table.Add({.name = "context",
             .help = "Context of the kubeconfig; its current one without it",
             .target = &request.context,
             .value_name = "name"});
  table.Add({.name = "timeout", .help = timeout_help, .target = &timeout, .check = Positive()});
}

}  // namespace hearth::cli

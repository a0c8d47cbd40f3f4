#include <fmt/format.h>

#include <charconv>

#include "base/strings.h"
#include "kube/config/config.h"

namespace hearth::kube {
namespace {

constexpr std::string_view kDirectory = "/var/run/secrets/kubernetes.io/serviceaccount/";
constexpr uint64_t kMaxBytes = 4 << 20;

Status NotInCluster(std::string_view why) {
  return Status(Code::kNotFound, "NotInCluster", fmt::format("not in a pod: {}", why));
}

Result<net::Endpoint> ServerOf(const ConfigSources& sources) {
  net::Endpoint server;
  server.tls = true;
  server.host = sources.environment("KUBERNETES_SERVICE_HOST");
  const std::string port = sources.environment("KUBERNETES_SERVICE_PORT");
  if (server.host.empty() || port.empty()) {
    return NotInCluster("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set");
  }
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), server.port);
  if (error != std::errc() || end != port.data() + port.size() || server.port == 0) {
    return InvalidError(
        fmt::format("KUBERNETES_SERVICE_PORT is \"{}\", not a port", Excerpt(port, 40)));
  }
  return server;
}

}  // namespace

Result<Config> InClusterConfig(const ConfigSources& sources) {
  Config config;
  ASSIGN_OR_RETURN(config.server, ServerOf(sources));
  const std::string directory(kDirectory);
  const std::string token_file = directory + "token";
  if (auto token = sources.files->Stat(token_file); !token.ok()) {
    return token.status().Is(Code::kNotFound)
               ? NotInCluster("no service account token is mounted: " +
                              std::string(token.status().message()))
               : token.status();
  }
  config.ca_file = directory + "ca.crt";
  ASSIGN_OR_RETURN(
      config.ca_pem,
      sources.files->Read(config.ca_file, kMaxBytes).WithContext("CA certificate of the cluster"));
  auto name_space = sources.files->Read(directory + "namespace", kMaxBytes);
  if (name_space.ok() && !Trim(*name_space).empty()) {
    config.name_space = Trim(*name_space);
  }
  config.credentials = TokenFile(token_file, *sources.files, *sources.clock);
  config.origin = "in-cluster";
  return config;
}

}  // namespace hearth::kube

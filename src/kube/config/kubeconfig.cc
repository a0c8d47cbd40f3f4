#include <fmt/format.h>

#include <utility>

#include "base/strings.h"
#include "kube/config/config.h"
#include "kube/config/internal/kubeconfig_document.h"
#include "kube/config/internal/kubeconfig_user.h"

namespace hearth::kube {
namespace {

using internal::KubeconfigDocument;
using internal::KubeconfigEntry;

Result<const KubeconfigEntry*> ChooseContext(const KubeconfigDocument& document,
                                             const std::string& asked) {
  const std::string& name = asked.empty() ? document.current_context() : asked;
  const KubeconfigEntry* context = document.context(name);
  if (context != nullptr) {
    return context;
  }
  const std::vector<std::string> names = document.ContextNames();
  const std::string known =
      names.empty() ? "there are no contexts in it" : "it has: " + Join(names, ", ");
  if (name.empty()) {
    return NotFoundError(fmt::format(
        "kubeconfig {}: current-context is not set; choose one with --context or \"kubectl config "
        "use-context\" ({})",
        document.Files(), known));
  }
  return NotFoundError(
      fmt::format("kubeconfig {}: there is no context {} ({})", document.Files(), name, known));
}

Status ReadServer(const KubeconfigEntry& cluster, Config& config) {
  ASSIGN_OR_RETURN(const std::string url, cluster.Text("server"));
  if (url.empty()) {
    return cluster.Error(Code::kInvalid,
                         "server is missing: give the URL of the API server, https://host:6443");
  }
  auto server = net::Endpoint::ParseUrl(url, &config.path_prefix);
  if (!server.ok()) {
    return cluster.Error(Code::kInvalid, fmt::format("server: {}", server.status().message()));
  }
  config.server = *std::move(server);
  while (config.path_prefix.ends_with('/')) {
    config.path_prefix.pop_back();
  }
  return Status::Ok();
}

Status ReadTls(const KubeconfigEntry& cluster, FileSystem& files, Config& config) {
  RETURN_IF_ERROR(
      internal::ReadPem(cluster, "certificate-authority", files, config.ca_pem, config.ca_file));
  ASSIGN_OR_RETURN(config.server_name, cluster.Text("tls-server-name"));
  ASSIGN_OR_RETURN(config.insecure_skip_verify, cluster.Flag("insecure-skip-tls-verify", false));
  if (config.insecure_skip_verify && !config.ca_pem.empty()) {
    return cluster.Error(Code::kInvalid,
                         "insecure-skip-tls-verify and certificate-authority contradict each "
                         "other; remove insecure-skip-tls-verify");
  }
  return Status::Ok();
}

Status ReadCluster(const KubeconfigEntry& cluster, FileSystem& files, Config& config) {
  if (cluster.Has("proxy-url")) {
    return cluster.Error(Code::kUnsupported,
                         "proxy-url is not supported; connect to the API server directly, or "
                         "through a tunnel whose local address is given as the server");
  }
  RETURN_IF_ERROR(ReadServer(cluster, config));
  RETURN_IF_ERROR(ReadTls(cluster, files, config));
  ASSIGN_OR_RETURN(const bool plain, cluster.Flag("disable-compression", true));
  config.compress = !plain;
  return Status::Ok();
}

Result<const KubeconfigEntry*> Referred(const KubeconfigEntry& context, std::string_view what,
                                        const std::string& name, const KubeconfigEntry* found) {
  if (found == nullptr) {
    return context.Error(Code::kNotFound,
                         name.empty()
                             ? fmt::format("it names no {}", what)
                             : fmt::format("it names {} {}, which is not there", what, name));
  }
  return found;
}

// What a context leads to.
struct Choice {
  const KubeconfigEntry* context = nullptr;
  const KubeconfigEntry* cluster = nullptr;
  const KubeconfigEntry* user = nullptr;  // null: anonymous
};

Result<Choice> Choose(const KubeconfigDocument& document, const std::string& asked) {
  Choice choice;
  ASSIGN_OR_RETURN(choice.context, ChooseContext(document, asked));
  const KubeconfigEntry& context = *choice.context;
  ASSIGN_OR_RETURN(const std::string cluster, context.Text("cluster"));
  ASSIGN_OR_RETURN(choice.cluster,
                   Referred(context, "cluster", cluster, document.cluster(cluster)));
  ASSIGN_OR_RETURN(const std::string user, context.Text("user"));
  if (!user.empty()) {
    ASSIGN_OR_RETURN(choice.user, Referred(context, "user", user, document.user(user)));
  }
  return choice;
}

}  // namespace

Result<Config> ParseKubeconfig(const std::vector<KubeconfigFile>& files, const std::string& context,
                               const ConfigSources& sources) {
  KubeconfigDocument document;
  for (const KubeconfigFile& file : files) {
    RETURN_IF_ERROR(document.Add(file));
  }
  ASSIGN_OR_RETURN(const Choice choice, Choose(document, context));
  // A cluster's or user's place in the file does not say which context led there.
  const std::string led = "context " + choice.context->name();
  Config config;
  config.origin = fmt::format("{} of {}", led, choice.context->file());
  ASSIGN_OR_RETURN(const std::string name_space, choice.context->Text("namespace"));
  config.name_space = name_space.empty() ? "default" : name_space;
  RETURN_IF_ERROR(ReadCluster(*choice.cluster, *sources.files, config).WithContext(led));
  config.credentials = NoCredentials();
  if (choice.user != nullptr) {
    RETURN_IF_ERROR(
        internal::ReadUser(*choice.user, *choice.cluster, sources, config).WithContext(led));
  }
  return config;
}

}  // namespace hearth::kube

#include "kube/config/internal/kubeconfig_user.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/base64.h"
#include "base/strings.h"
#include "json/builder.h"
#include "kube/config/internal/kubeconfig_exec.h"

namespace hearth::kube::internal {
namespace {

constexpr uint64_t kMaxPemBytes = 4 << 20;

// Ignoring one of these would act with other rights than the user meant.
Status RefuseUnsupported(const KubeconfigEntry& user) {
  if (user.Has("auth-provider")) {
    return user.Error(
        Code::kUnsupported,
        "auth-provider is no longer part of Kubernetes; use an exec plugin instead (for example "
        "gke-gcloud-auth-plugin, kubelogin), which the cloud's own tool writes into the "
        "kubeconfig");
  }
  for (const char* member : {"as", "as-uid", "as-groups", "as-user-extra"}) {
    if (user.Has(member)) {
      return user.Error(Code::kUnsupported,
                        fmt::format("impersonation ({}) is not supported; use credentials of the "
                                    "account itself",
                                    member));
    }
  }
  return Status::Ok();
}

Status ReadCertificate(const KubeconfigEntry& user, FileSystem& files, Config& config) {
  RETURN_IF_ERROR(
      ReadPem(user, "client-certificate", files, config.certificate_pem, config.certificate_file));
  RETURN_IF_ERROR(
      ReadPem(user, "client-key", files, config.private_key_pem, config.private_key_file));
  if (config.certificate_pem.empty() != config.private_key_pem.empty()) {
    return user.Error(Code::kInvalid,
                      "client-certificate and client-key must be given together; one is missing");
  }
  return Status::Ok();
}

Result<std::shared_ptr<Credentials>> ReadBasic(const KubeconfigEntry& user) {
  ASSIGN_OR_RETURN(const std::string name, user.Text("username"));
  ASSIGN_OR_RETURN(const std::string password, user.Text("password"));
  return std::shared_ptr<Credentials>(BasicAuth(name, password));
}

Result<std::shared_ptr<Credentials>> ReadToken(const KubeconfigEntry& user,
                                               const ConfigSources& sources) {
  ASSIGN_OR_RETURN(const std::string path, user.Path("tokenFile"));
  ASSIGN_OR_RETURN(const std::string token, user.Text("token"));
  return std::shared_ptr<Credentials>(
      path.empty() ? StaticToken(token) : TokenFile(path, *sources.files, *sources.clock, token));
}

Result<std::shared_ptr<Credentials>> ReadCredentials(const KubeconfigEntry& user,
                                                     const KubeconfigEntry& cluster,
                                                     const ConfigSources& sources,
                                                     const Config& config) {
  const bool token = user.Has("token") || user.Has("tokenFile");
  const bool basic = user.Has("username") || user.Has("password");
  if (token && basic) {
    return user.Error(Code::kInvalid,
                      "both a token and a user name with password are given; remove one");
  }
  if (token) {
    return ReadToken(user, sources);
  }
  if (basic) {
    return ReadBasic(user);
  }
  const json::Value* exec = user.body().Find("exec");
  if (exec != nullptr && !exec->IsNull()) {  // an empty one lacks its command and is told so
    ASSIGN_OR_RETURN(ExecPlugin plugin, ReadExec(user, cluster, config));
    return std::shared_ptr<Credentials>(
        ExecCredentials(std::move(plugin), *sources.processes, *sources.clock));
  }
  return std::shared_ptr<Credentials>(NoCredentials());
}

}  // namespace

Status ReadUser(const KubeconfigEntry& user, const KubeconfigEntry& cluster,
                const ConfigSources& sources, Config& config) {
  RETURN_IF_ERROR(RefuseUnsupported(user));
  RETURN_IF_ERROR(ReadCertificate(user, *sources.files, config));
  ASSIGN_OR_RETURN(config.credentials, ReadCredentials(user, cluster, sources, config));
  return Status::Ok();
}

Status ReadPem(const KubeconfigEntry& entry, std::string_view member, FileSystem& files,
               std::string& pem, std::string& file) {
  const std::string data_member = std::string(member) + "-data";
  ASSIGN_OR_RETURN(pem, entry.Base64(data_member));
  ASSIGN_OR_RETURN(const std::string path, entry.Path(member));
  if (pem.empty() && path.empty()) {
    return Status::Ok();
  }
  const bool inline_wins = !pem.empty();
  if (!inline_wins) {
    auto text = files.Read(path, kMaxPemBytes);
    if (!text.ok()) {
      return entry.Error(text.status().code(),
                         fmt::format("{}: {}", member, text.status().message()));
    }
    pem = *std::move(text);
    file = path;
  }
  if (pem.find("-----BEGIN ") == std::string::npos) {
    return entry.Error(Code::kInvalid, fmt::format("{} holds no PEM text (-----BEGIN ...)",
                                                   inline_wins ? data_member : path));
  }
  return Status::Ok();
}

}  // namespace hearth::kube::internal

#include "kube/client/internal/server_access.h"

#include <optional>
#include <utility>

namespace hearth::kube::internal {
namespace {

bool Same(const Credentials::Current& a, const Credentials::Current& b) {
  return a.authorization == b.authorization && a.certificate_pem == b.certificate_pem &&
         a.private_key_pem == b.private_key_pem;
}

std::shared_ptr<Credentials> CredentialsOf(const Config& config) {
  return config.credentials != nullptr ? config.credentials
                                       : std::shared_ptr<Credentials>(NoCredentials());
}

}  // namespace

bool ServerAccess::Standing::SameAs(const Standing& other) const {
  return certificates == other.certificates && Same(credentials, other.credentials);
}

ServerAccess::ServerAccess(net::EventLoop& loop, const Config& config, const ConfigSources& sources,
                           std::shared_ptr<net::TlsContext> tls, const http::ClientOptions& http,
                           std::string user_agent)
    : path_prefix_(config.path_prefix),
      user_agent_(std::move(user_agent)),
      credentials_(CredentialsOf(config)),
      client_(loop, config.server, tls, http),
      certificates_(config, *sources.files, *sources.clock, tls, client_) {}

Result<ServerAccess::Standing> ServerAccess::Get(const WaitLimit& limit) {
  return Look(limit, false);
}

Result<ServerAccess::Standing> ServerAccess::Look(const WaitLimit& limit, bool look_now) {
  Standing standing;
  ASSIGN_OR_RETURN(standing.credentials, credentials_->Get(limit));
  standing.certificates = certificates_.Refresh(standing.credentials, look_now);
  std::lock_guard lock(mutex_);
  if (!Same(latest_, standing.credentials)) {
    latest_ = standing.credentials;
  }
  return standing;
}

http::Request ServerAccess::Sign(http::Request request, const Standing& standing) const {
  if (!path_prefix_.empty()) {
    request.target.insert(0, path_prefix_);
  }
  request.headers.Set("User-Agent", user_agent_);
  if (!standing.credentials.authorization.empty()) {
    request.headers.Set("Authorization", standing.credentials.authorization);
  }
  return request;
}

Result<std::optional<ServerAccess::Standing>> ServerAccess::GetAnother(const Standing& used,
                                                                       const WaitLimit& limit) {
  bool still_latest = false;
  {
    std::lock_guard lock(mutex_);
    still_latest = Same(latest_, used.credentials);
  }
  // A request that went out before others fetched new credentials must not have those thrown away.
  if (still_latest) {
    credentials_->Rejected();
  }
  ASSIGN_OR_RETURN(Standing standing, Look(limit, true));
  if (standing.SameAs(used)) {
    return std::optional<Standing>();
  }
  return std::optional<Standing>(std::move(standing));
}

}  // namespace hearth::kube::internal

#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/wait_limit.h"
#include "http/client.h"
#include "kube/client/internal/certificate_keeper.h"
#include "kube/config/config.h"
#include "net/event_loop.h"

namespace hearth::kube::internal {

// An HTTP client for one API server, and what its requests need to be let in. Thread-safe.
class ServerAccess {
 public:
  // What a request goes out with.
  struct Standing {
    Credentials::Current credentials;
    uint64_t certificates = 0;  // changes with the TLS material
    bool SameAs(const Standing& other) const;
  };

  ServerAccess(net::EventLoop& loop, const Config& config, const ConfigSources& sources,
               std::shared_ptr<net::TlsContext> tls, const http::ClientOptions& http,
               std::string user_agent);

  // Whether asking for the standing may block, and whether asking again may bring another one.
  bool MayChange() const { return credentials_->MayBlock() || certificates_.has_files(); }
  // The standing of now; certificates are in place when it returns.
  Result<Standing> Get(const WaitLimit& limit);
  // The request as it goes out: under the server's path, signed.
  http::Request Sign(http::Request request, const Standing& standing) const;

  // Whether an answer means that `used` is not good any more: 401, or a certificate refused by
  // either side.
  static bool Refused(int http_status) { return http_status == 401; }
  static bool Refused(const Status& status) { return status.reason() == "CertificateInvalid"; }
  // After such an answer: looks afresh. Nothing when that brings no other standing.
  Result<std::optional<Standing>> GetAnother(const Standing& used, const WaitLimit& limit);

  http::Client& client() { return client_; }

 private:
  Result<Standing> Look(const WaitLimit& limit, bool look_now);

  const std::string path_prefix_;
  const std::string user_agent_;
  const std::shared_ptr<Credentials> credentials_;
  http::Client client_;
  CertificateKeeper certificates_;
  std::mutex mutex_;
  Credentials::Current latest_;  // what the credentials gave last
};

}  // namespace hearth::kube::internal

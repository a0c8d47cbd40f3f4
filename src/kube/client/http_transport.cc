#include <utility>

#include "kube/client/internal/server_access.h"
#include "kube/client/internal/signed_stream.h"
#include "kube/client/internal/task_threads.h"
#include "kube/client/transport.h"

namespace hearth::kube {
namespace {

using internal::ServerAccess;
using internal::TaskThreads;

class HttpTransport : public Transport {
 public:
  HttpTransport(net::EventLoop& loop, const Config& config, const ConfigSources& sources,
                std::shared_ptr<net::TlsContext> tls, const HttpTransportOptions& options)
      : loop_(loop),
        access_(loop, config, sources, std::move(tls), options.http, options.user_agent) {}

  // Tasks use the access, so they must be over first. Streams hold on to the threads only.
  ~HttpTransport() override { threads_->Stop(); }

  Result<http::Response> Send(http::Request request, const WaitLimit& limit) override {
    ASSIGN_OR_RETURN(const ServerAccess::Standing standing, access_.Get(limit));
    if (!access_.MayChange()) {
      return access_.client().Send(access_.Sign(std::move(request), standing), limit);
    }
    auto answer = access_.client().Send(access_.Sign(request, standing), limit);
    const bool refused = answer.ok() ? ServerAccess::Refused(answer->status)
                                     : ServerAccess::Refused(answer.status());
    if (!refused) {
      return answer;
    }
    const auto another = access_.GetAnother(standing, limit);
    if (!another.ok() || !another->has_value()) {
      return answer;
    }
    return access_.client().Send(access_.Sign(std::move(request), **another), limit);
  }

  std::unique_ptr<http::Stream> Start(http::Request request, http::StreamHandler& handler,
                                      const http::StreamOptions& options) override {
    return internal::StartSigned(loop_, access_, threads_, std::move(request), handler, options);
  }

  net::EventLoop& loop() override { return loop_; }

 private:
  net::EventLoop& loop_;
  const std::shared_ptr<TaskThreads> threads_ = std::make_shared<TaskThreads>("credentials", 1);
  ServerAccess access_;
};

}  // namespace

Result<std::unique_ptr<Transport>> MakeHttpTransport(net::EventLoop& loop, const Config& config,
                                                     const ConfigSources& sources,
                                                     HttpTransportOptions options) {
  std::shared_ptr<net::TlsContext> tls;
  if (config.server.tls) {
    net::TlsContext::Options tls_options;
    tls_options.verify_peer = !config.insecure_skip_verify;
    tls_options.server_name = config.server_name;
    auto made =
        net::TlsContext::Create(internal::CertificateKeeper::MaterialOf(config), tls_options);
    if (!made.ok()) {
      return made.status().WithContext("TLS of " + config.origin);
    }
    tls = *std::move(made);
  }
  options.http.accept_gzip = options.http.accept_gzip || config.compress;
  return std::unique_ptr<Transport>(
      std::make_unique<HttpTransport>(loop, config, sources, std::move(tls), options));
}

}  // namespace hearth::kube

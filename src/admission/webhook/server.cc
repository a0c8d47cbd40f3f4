#include "admission/webhook/server.h"

#include <algorithm>
#include <utility>

#include "admission/webhook/internal/large_reviews.h"
#include "admission/webhook/internal/questions.h"
#include "admission/webhook/internal/server_metrics.h"
#include "admission/webhook/review.h"
#include "base/guarded.h"
#include "http/server.h"

namespace hearth::admission::webhook {
namespace {

// Longer than the API server keeps an idle connection (90 s): were ours shorter, a review could
// arrive on a connection that is just being closed, and fail.
constexpr Duration kIdleTimeout = std::chrono::minutes(2);

// What is read from a review takes many times its bytes, and the answer again: what is larger is
// looked at alone.
constexpr size_t kLargeBytes = size_t{256} << 10;

// The API server sends it again by itself when it is told when.
Answer TooManyLarge() {
  Answer answer = HttpFailure(
      503,
      UnavailableError("too many reviews of more than 256 KiB wait for their turn; try again"));
  answer.response.headers.Set("Retry-After", "1");
  return answer;
}

struct State {
  std::shared_ptr<net::TlsContext> tls;
  std::unique_ptr<http::Server> server;
  WallTime not_after;
  bool stopped = false;
};

}  // namespace

struct WebhookServer::Impl {
  Impl(net::EventLoop& the_loop, Clock& the_clock, WebhookServerOptions the_options,
       Services the_services, Metrics& the_metrics, Logger the_logger)
      : loop(the_loop),
        clock(the_clock),
        options(std::move(the_options)),
        services(std::move(the_services)),
        logger(std::move(the_logger)),
        metrics(the_metrics),
        large_reviews(std::max(1, options.workers / 2)) {}

  http::Response Handle(const http::ServerRequest& request);
  Answer RespondInTurn(const http::Request& request);
  void Tell(const http::Request& request, const Answer& answer) const;
  Status Open(State& to, const net::TlsMaterial& material);

  net::EventLoop& loop;
  Clock& clock;
  const WebhookServerOptions options;
  const Services services;
  const Logger logger;
  internal::ServerMetrics metrics;
  internal::LargeReviews large_reviews;  // leave half of the workers to small ones
  Guarded<State> state;                  // last: the server's handlers use all of the above
};

Answer WebhookServer::Impl::RespondInTurn(const http::Request& request) {
  if (request.body.size() <= kLargeBytes) {
    return Respond(request, services);
  }
  internal::Questions questions(services);
  auto answer = large_reviews.InTurn([&] { return Respond(request, questions.services()); },
                                     [&] { return questions.Ask(); });
  return answer ? *std::move(answer) : TooManyLarge();
}

http::Response WebhookServer::Impl::Handle(const http::ServerRequest& request) {
  const SteadyTime begun = clock.Now();
  metrics.Begin();
  Answer answer = RespondInTurn(request.message);
  metrics.End(request.message.target, answer, clock.Now() - begun);
  Tell(request.message, answer);
  return std::move(answer.response);
}

void WebhookServer::Impl::Tell(const http::Request& request, const Answer& answer) const {
  const std::string_view path =
      std::string_view(request.target).substr(0, request.target.find('?'));
  if (answer.verdict == Verdict::kFailed) {
    logger.Warning("a review failed", {{"path", path}, {"error", answer.cause}});
  } else if (answer.verdict == Verdict::kDenied) {
    logger.Info("denied", {{"path", path}, {"why", answer.cause}});
  }
  if (!answer.cold_start || answer.cold_start->dry_run) {
    return;
  }
  const pod_restore::Unchanged& why = answer.cold_start->why;
  if (pod_restore::IsTrouble(why.skip)) {
    logger.Warning("a pod that was to be restored starts cold",
                   {{"namespace", answer.cold_start->name_space},
                    {"reason", pod_restore::SkipReason(why.skip)},
                    {"detail", why.detail}});
  }
  if (options.on_cold_start) {
    options.on_cold_start(*answer.cold_start);
  }
}

Status WebhookServer::Impl::Open(State& to, const net::TlsMaterial& material) {
  ASSIGN_OR_RETURN(to.tls, net::TlsContext::Create(material, {.server = true}));
  http::ServerOptions server{.listen = options.listen, .tls = to.tls, .workers = options.workers};
  server.max_connections = options.max_connections;
  server.max_body_bytes = kMaxConversionBytes;
  server.max_held_bytes = options.max_held_bytes;
  server.make_room = true;
  server.idle_timeout = kIdleTimeout;
  ASSIGN_OR_RETURN(
      to.server,
      http::Server::Start(
          loop, std::move(server),
          [this](const http::ServerRequest& request) { return Handle(request); }, logger));
  logger.Info("webhooks are served", {{"address", to.server->endpoint().ToString()}});
  return Status::Ok();
}

WebhookServer::WebhookServer(net::EventLoop& loop, Clock& clock, WebhookServerOptions options,
                             Services services, Metrics& metrics, Logger logger)
    : impl_(std::make_unique<Impl>(loop, clock, std::move(options), std::move(services), metrics,
                                   std::move(logger))) {}

WebhookServer::~WebhookServer() = default;

Status WebhookServer::Serve(const net::TlsMaterial& material) {
  ASSIGN_OR_RETURN(const WallTime not_after, net::CertificateExpiry(material.certificate_pem));
  auto state = impl_->state.Lock();
  if (state->stopped) {
    return CancelledError("the webhook server has been stopped");
  }
  if (state->server != nullptr) {
    RETURN_IF_ERROR(state->tls->Replace(material));
  } else {
    RETURN_IF_ERROR(impl_->Open(*state, material));
  }
  state->not_after = not_after;
  return Status::Ok();
}

void WebhookServer::Stop(const WaitLimit& limit) {
  std::unique_ptr<http::Server> server;
  {
    auto state = impl_->state.Lock();
    state->stopped = true;
    server = std::move(state->server);
  }
  if (server != nullptr) {
    server->Stop(limit);
  }
}

Status WebhookServer::Ready() const {
  auto state = impl_->state.Lock();
  if (state->server == nullptr) {
    return UnavailableError(state->stopped ? "the webhook server has been stopped"
                                           : "the webhook server waits for its certificate");
  }
  return impl_->clock.WallNow() < state->not_after
             ? Status::Ok()
             : UnavailableError("the webhook server's certificate has expired");
}

std::optional<net::Endpoint> WebhookServer::endpoint() const {
  auto state = impl_->state.Lock();
  return state->server != nullptr ? std::optional(state->server->endpoint()) : std::nullopt;
}

}  // namespace hearth::admission::webhook

#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "admission/webhook/routes.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/result.h"
#include "base/wait_limit.h"
#include "net/endpoint.h"
#include "net/event_loop.h"
#include "net/tls.h"

namespace hearth::admission::webhook {

struct WebhookServerOptions {
  net::Endpoint listen{.tls = true, .host = "0.0.0.0", .port = 9443};
  // Reviews answered at once. Large ones are looked at one by one and take half of the workers at
  // most; more of them are answered 503.
  int workers = 8;
  // Anybody in the cluster may connect: who keeps it waiting longest goes when these are reached.
  int max_connections = 1024;
  uint64_t max_held_bytes = uint64_t{128} << 20;  // of all reviews together
  // Told of every pod that was looked at and starts cold, but not of dry runs: for an event on the
  // pod's owner. Called on the workers.
  std::function<void(const Answer::ColdStart& cold_start)> on_cold_start;
};

// Answers the API server over TLS, from the moment there is a certificate. Counts what it does:
//   dynamo_operator_webhook_requests_total{path,verdict}, _webhook_duration_seconds{path},
//   _webhook_in_flight, _webhook_denials_total{rule}, and hearth_restore_skipped_total{reason}
// Thread-safe.
class WebhookServer {
 public:
  // What is borrowed must outlive it.
  WebhookServer(net::EventLoop& loop, Clock& clock, WebhookServerOptions options, Services services,
                Metrics& metrics, Logger logger);
  ~WebhookServer();  // as Stop with no grace

  // The first certificate opens the socket; with a later one new connections are answered, while
  // those that exist go on. kInvalid: the material cannot be used, and the old stays in use.
  Status Serve(const net::TlsMaterial& material);
  // Requests under way may finish within the limit. It cannot be started again.
  void Stop(const WaitLimit& limit);

  // For /readyz: the socket is open and the certificate valid.
  Status Ready() const;
  // Where it listens; nothing before the first certificate.
  std::optional<net::Endpoint> endpoint() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hearth::admission::webhook

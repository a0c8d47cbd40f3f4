#include "gms/server/internal/server_metrics.h"

#include "gms/server/internal/domain_service.h"
#include "gms/server/internal/session.h"

namespace hearth::gms::server {
namespace {

// A request that is answered at once takes microseconds, a lease may be waited for hours.
const std::vector<double>& RequestBounds() {
  static const std::vector<double> bounds = {1e-6, 4e-6, 16e-6, 64e-6, 256e-6, 1e-3, 4e-3, 16e-3};
  return bounds;
}

// The series of a name with one label, made when it is first counted.
template <typename Make>
Counter& Labelled(std::map<std::string, Counter, std::less<>>& series, std::string_view value,
                  Make make) {
  auto it = series.find(value);
  if (it == series.end()) {
    it = series.emplace(std::string(value), make(std::string(value))).first;
  }
  return it->second;
}

}  // namespace

ServerMetrics::ServerMetrics() {
  connections = metrics_.counter("gms_connections_total", "Connections that were accepted");
  refused_connections =
      metrics_.counter("gms_refused_connections_total", "Connections refused by policy or number");
  memory_waits =
      metrics_.counter("gms_memory_waits_total", "Allocations that had to wait for memory");
  memory_wait_timeouts = metrics_.counter("gms_memory_wait_timeouts_total",
                                          "Allocations that waited for memory in vain");
  evictions = metrics_.counter("gms_evictions_total", "Sessions ended by the administration");
  request_seconds_ = metrics_.histogram(
      "gms_request_seconds", "Time on the loop per request of a session", {}, RequestBounds());
  wait_seconds_ =
      metrics_.histogram("gms_lease_wait_seconds", "From connecting until the lease was granted",
                         {}, Metrics::DurationBounds());
}

void ServerMetrics::Request(std::string_view type, double seconds) {
  // Types are the client's words; only so many are told apart.
  if (requests_.size() > 64 && requests_.find(type) == requests_.end()) {
    type = "other";
  }
  Labelled(requests_, type, [this](const std::string& value) {
    return metrics_.counter("gms_requests_total", "Requests of sessions", {{"type", value}});
  }).Add();
  request_seconds_.Observe(seconds);
}

void ServerMetrics::Error(std::string_view reason) {
  Labelled(errors_, reason, [this](const std::string& value) {
    return metrics_.counter("gms_errors_total", "Errors answered", {{"reason", value}});
  }).Add();
}

void ServerMetrics::Granted(std::string_view grant, double waited_seconds) {
  Labelled(grants_, grant, [this](const std::string& value) {
    return metrics_.counter("gms_leases_granted_total", "Leases granted", {{"grant", value}});
  }).Add();
  wait_seconds_.Observe(waited_seconds);
}

std::string ServerMetrics::Expose(ServerState& state) {
  metrics_.gauge("gms_sessions", "Connections to domains")
      .Set(static_cast<double>(state.sessions.size()));
  for (const auto& device : state.devices) {
    const std::string& uuid = device->device().facts().uuid;
    metrics_.gauge("gms_device_free_bytes", "Memory not given out", {{"gpu_uuid", uuid}})
        .Set(static_cast<double>(device->device().free_bytes()));
    for (DomainService* service : {&device->weights(), &device->kv_cache()}) {
      const Domain::Facts facts = service->domain().Look();
      const MetricLabels labels = {{"gpu_uuid", uuid}, {"domain", service->tag()}};
      const auto set = [&](const char* name, const char* help, double value) {
        metrics_.gauge(name, help, labels).Set(value);
      };
      set("gms_bytes", "Bytes of what readers or the writer see", static_cast<double>(facts.bytes));
      set("gms_kept_bytes", "Bytes of all generations", static_cast<double>(facts.kept_bytes));
      set("gms_generations", "Generations kept", static_cast<double>(facts.generations));
      set("gms_generation", "The newest generation", static_cast<double>(facts.generation));
      set("gms_allocations", "Allocations seen", static_cast<double>(facts.allocations));
      set("gms_readers", "Leases to read", static_cast<double>(facts.readers));
      set("gms_writers", "Leases to write", facts.has_writer ? 1 : 0);
      set("gms_waiting", "Requests for a lease that wait", static_cast<double>(facts.waiting));
      set("gms_committed", "1 when readers are served", facts.committed ? 1 : 0);
      set("gms_fenced", "1 while a checkpoint keeps everybody out", facts.fenced ? 1 : 0);
    }
  }
  return metrics_.Expose();
}

}  // namespace hearth::gms::server

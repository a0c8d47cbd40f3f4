#include "gms/server/internal/server_metrics.h"

#include <fmt/format.h>

#include <iterator>

#include "gms/server/internal/domain_service.h"
#include "gms/server/internal/session.h"

namespace hearth::gms::server {
namespace {

// Types are the client's words; only so many are told apart.
constexpr size_t kMostLabels = 64;

class Page {
 public:
  void Begin(const char* name, const char* kind, const char* help) {
    name_ = name;
    fmt::format_to(std::back_inserter(text_), "# HELP {} {}\n# TYPE {} {}\n", name, help, name,
                   kind);
  }
  void Line(std::string_view labels, double value, const char* suffix = "") {
    fmt::format_to(std::back_inserter(text_), "{}{}{}{}{} {}\n", name_, suffix,
                   labels.empty() ? "" : "{", labels, labels.empty() ? "" : "}", value);
  }
  void One(const char* name, const char* kind, const char* help, double value) {
    Begin(name, kind, help);
    Line("", value);
  }
  void Histogram(const char* name, const char* help, const LatencyHistogram& histogram) {
    Begin(name, "histogram", help);
    for (size_t i = 0; i < LatencyHistogram::kBounds.size(); ++i) {
      Line(fmt::format("le=\"{}\"", LatencyHistogram::kBounds[i]),
           static_cast<double>(histogram.counts()[i]), "_bucket");
    }
    Line("le=\"+Inf\"", static_cast<double>(histogram.count()), "_bucket");
    Line("", histogram.sum(), "_sum");
    Line("", static_cast<double>(histogram.count()), "_count");
  }
  std::string Take() { return std::move(text_); }

 private:
  const char* name_ = "";
  std::string text_;
};

void Labelled(Page& page, const char* name, const char* help, const char* label,
              const std::map<std::string, uint64_t, std::less<>>& counters) {
  page.Begin(name, "counter", help);
  for (const auto& [value, count] : counters) {
    page.Line(fmt::format("{}=\"{}\"", label, value), static_cast<double>(count));
  }
}

struct DomainGauge {
  const char* name;
  const char* help;
  double (*value)(const Domain::Facts&);
};

constexpr auto kDomainGauges = std::to_array<DomainGauge>({
    {"gms_bytes", "Bytes of what readers or the writer see",
     [](const Domain::Facts& facts) { return static_cast<double>(facts.bytes); }},
    {"gms_kept_bytes", "Bytes of all generations",
     [](const Domain::Facts& facts) { return static_cast<double>(facts.kept_bytes); }},
    {"gms_generations", "Generations kept",
     [](const Domain::Facts& facts) { return static_cast<double>(facts.generations); }},
    {"gms_generation", "The generation that is seen",
     [](const Domain::Facts& facts) { return static_cast<double>(facts.generation); }},
    {"gms_allocations", "Allocations seen",
     [](const Domain::Facts& facts) { return static_cast<double>(facts.allocations); }},
    {"gms_readers", "Leases to read",
     [](const Domain::Facts& facts) { return static_cast<double>(facts.readers); }},
    {"gms_writers", "Leases to write",
     [](const Domain::Facts& facts) { return facts.has_writer ? 1.0 : 0.0; }},
    {"gms_waiting", "Requests for a lease that wait",
     [](const Domain::Facts& facts) { return static_cast<double>(facts.waiting); }},
    {"gms_committed", "1 when readers are served",
     [](const Domain::Facts& facts) { return facts.committed ? 1.0 : 0.0; }},
    {"gms_fenced", "1 while a checkpoint keeps everybody out",
     [](const Domain::Facts& facts) { return facts.fenced ? 1.0 : 0.0; }},
});

void Domains(Page& page, ServerState& state) {
  for (const DomainGauge& gauge : kDomainGauges) {
    page.Begin(gauge.name, "gauge", gauge.help);
    for (const auto& device : state.devices) {
      for (DomainService* service : {&device->weights(), &device->kv_cache()}) {
        page.Line(fmt::format("domain=\"{}\",gpu_uuid=\"{}\"", service->tag(),
                              device->device().facts().uuid),
                  gauge.value(service->domain().Look()));
      }
    }
  }
  page.Begin("gms_device_free_bytes", "gauge", "Memory not given out");
  for (const auto& device : state.devices) {
    page.Line(fmt::format("gpu_uuid=\"{}\"", device->device().facts().uuid),
              static_cast<double>(device->device().free_bytes()));
  }
}

}  // namespace

void LatencyHistogram::Observe(double seconds) {
  for (size_t i = 0; i < kBounds.size(); ++i) {
    counts_[i] += seconds <= kBounds[i] ? 1 : 0;
  }
  ++counts_.back();
  sum_ += seconds;
}

uint64_t& ServerMetrics::Of(ByLabel& counters, std::string_view label) {
  const auto it = counters.find(label);
  if (it != counters.end()) {
    return it->second;
  }
  return counters[std::string(counters.size() < kMostLabels ? label : "other")];
}

void ServerMetrics::Request(std::string_view type, double seconds) {
  ++Of(requests_, type);
  request_seconds_.Observe(seconds);
}

void ServerMetrics::Granted(std::string_view grant, double waited_seconds) {
  ++Of(grants_, grant);
  wait_seconds_.Observe(waited_seconds);
}

std::string ServerMetrics::Expose(ServerState& state) const {
  Page page;
  const auto counter = [&](const char* name, const char* help, uint64_t value) {
    page.One(name, "counter", help, static_cast<double>(value));
  };
  counter("gms_connections_total", "Connections that were accepted", connections);
  counter("gms_refused_connections_total", "Connections refused by policy or number",
          refused_connections);
  counter("gms_memory_waits_total", "Allocations that had to wait for memory", memory_waits);
  counter("gms_memory_wait_timeouts_total", "Allocations that waited for memory in vain",
          memory_wait_timeouts);
  counter("gms_evictions_total", "Sessions ended by the administration", evictions);
  Labelled(page, "gms_requests_total", "Requests of sessions", "type", requests_);
  Labelled(page, "gms_errors_total", "Errors answered", "reason", errors_);
  Labelled(page, "gms_leases_granted_total", "Leases granted", "grant", grants_);
  page.Histogram("gms_request_seconds", "Time on the loop per request of a session",
                 request_seconds_);
  page.Histogram("gms_lease_wait_seconds", "From connecting until the lease was granted",
                 wait_seconds_);
  page.One("gms_sessions", "gauge", "Connections to domains",
           static_cast<double>(state.sessions.size()));
  Domains(page, state);
  return page.Take();
}

}  // namespace hearth::gms::server

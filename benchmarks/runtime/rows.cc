#include "rows.h"

#include <fmt/format.h>

#include <algorithm>

namespace hearth::bench {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;
constexpr double kMicro = 1e6;
constexpr double kNano = 1e9;

const std::vector<std::string> kPeers = {names::kGo, names::kGoUnstructured, names::kRust};

// A metric and how it is told.
struct Told {
  std::string metric;
  std::string unit;
  double scale = 1;  // from the metric to the unit
};

class RowMaker {
 public:
  RowMaker(const Samples& samples, const std::vector<Contestant>& contestants)
      : samples_(samples), contestants_(contestants) {}

  // An absolute limit: at most `budget`.
  void Budget(std::string bench, std::string what, const std::string& who, const Told& told,
              double budget) {
    const std::vector<double>& ours = samples_.Get(who, told.metric);
    Row row{.bench = std::move(bench), .what = std::move(what), .goal = 1};
    row.peer_name = "budget";
    Fill(row, Scaled(ours, told.scale), std::vector<double>(ours.size(), budget), told.unit, who);
  }

  // One of our own figures as a part of another, both in the same unit.
  void Part(std::string bench, std::string what, const std::string& who, const Told& told,
            const std::string& of_metric, const std::string& of_name, std::optional<double> goal) {
    Row row{.bench = std::move(bench), .what = std::move(what), .goal = goal, .peer_name = of_name};
    Fill(row, Scaled(samples_.Get(who, told.metric), told.scale),
         Scaled(samples_.Get(who, of_metric), told.scale), told.unit, who);
  }

  // How many times less than a peer, or for rates how many times more.
  void Against(const std::string& bench, std::string what, const std::string& peer,
               const Told& told, std::optional<double> goal, bool more_is_good = false) {
    Row row{.bench = bench,
            .what = std::move(what),
            .better = Better::kHigher,
            .goal = goal,
            .peer_name = peer};
    Fill(row, Scaled(samples_.Get(names::kOurs, told.metric), told.scale),
         Scaled(samples_.Get(peer, told.metric), told.scale), told.unit, peer, !more_is_good);
  }

  void AgainstEach(const std::string& bench, const std::string& what,
                   const std::vector<std::string>& peers, const Told& told,
                   std::optional<double> goal, bool more_is_good = false) {
    for (const std::string& peer : peers) {
      Against(bench + "." + peer, what, peer, told, goal, more_is_good);
    }
  }

  std::vector<Row> Take() { return std::move(rows_); }

 private:
  static std::vector<double> Scaled(std::vector<double> values, double scale) {
    for (double& value : values) {
      value *= scale;
    }
    return values;
  }

  // `who` is the one whose absence explains a missing figure.
  void Fill(Row row, const std::vector<double>& ours, const std::vector<double>& peer,
            const std::string& unit, const std::string& who, bool inverse = false) {
    row.unit = unit;
    const std::vector<double> ratios = inverse ? Ratios(peer, ours) : Ratios(ours, peer);
    if (ratios.empty()) {
      row.not_run = WhyNot(who);
    } else {
      row.ratio = Summarize(ratios);
      row.ours = Summarize(ours).median;
      row.peer = Summarize(peer).median;
    }
    rows_.push_back(std::move(row));
  }

  std::string WhyNot(const std::string& who) const {
    for (const Contestant& contestant : contestants_) {
      if (!contestant.not_run.empty() &&
          (contestant.name == who || contestant.name == names::kOurs)) {
        return contestant.not_run;
      }
    }
    return "not measured";
  }

  const Samples& samples_;
  const std::vector<Contestant>& contestants_;
  std::vector<Row> rows_;
};

void AddMemory(RowMaker& rows) {
  const Told per_pod{metric::kBytesPerPod, "B/Pod"};
  rows.Budget("runtime.rss_per_pod", "memory for one more cached Pod, ten fields read",
              names::kOurs, per_pod, 700);
  rows.Against("D8", "memory for one more cached Pod", names::kGo, per_pod, 10);
  rows.AgainstEach("runtime.rss_per_pod", "memory for one more cached Pod",
                   {names::kGoUnstructured, names::kRust}, per_pod, 4);
  rows.AgainstEach("runtime.rss", "resident memory with all Pods", kPeers,
                   {metric::kResidentBytes, "MiB", 1 / kMiB}, 4);
  rows.Part("runtime.keep_all", "memory per Pod when everything but managedFields is kept",
            names::kOursWhole, per_pod, metric::kListedBytesPerPod, "its JSON as listed", 0.6);
  rows.Part("D10", "peak memory of the first filling", names::kOurs,
            {metric::kPeakBytes, "MiB", 1 / kMiB}, metric::kResidentBytes, "at rest", 1.2);
  rows.AgainstEach("runtime.peak_rss", "peak memory of the first filling", kPeers,
                   {metric::kPeakBytes, "MiB", 1 / kMiB}, {});
}

void AddStart(RowMaker& rows) {
  const Told sync{metric::kSyncSeconds, "ms", 1e3};
  rows.Part("D7", "start until synced, against curl listing the same", names::kOurs, sync,
            metric::kCurlSeconds, "curl", 1.1);
  rows.AgainstEach("D7", "start until synced", kPeers, sync, 2);
  const Told start{metric::kStartSeconds, "ms", 1e3};
  rows.Budget("runtime.start", "start until the first request", names::kOurs, start, 10);
  rows.AgainstEach("D9.start", "start until the first request", {names::kGo, names::kRust}, start,
                   10);
  const Told idle{metric::kIdleBytes, "MiB", 1 / kMiB};
  rows.Budget("runtime.idle_rss", "resident memory with nothing to watch", names::kOurs, idle, 8);
  rows.Against("D9", "resident memory with nothing to watch", names::kGo, idle, 6);
  rows.Against("D9.kube-rs", "resident memory with nothing to watch", names::kRust, idle, {});
}

void AddEvents(RowMaker& rows, const Plan& plan) {
  const int fastest = plan.phases.back().per_second;
  const Told cpu{metric::At(metric::kCpuPerEvent, fastest), "us/event", kMicro};
  const std::string at_rate = fmt::format(" at {}/s", fastest);
  rows.Budget("runtime.cpu_per_event", "a change from the bytes read to the cache", names::kOurs,
              {metric::kDecodeSeconds, "us/event", kMicro}, 5);
  const Told burst{metric::kCpuPerBurstEvent, "us/event", kMicro};
  rows.Budget("runtime.cpu_per_burst_event",
              "CPU time until a change is in the cache, TLS and kernel included, in bursts",
              names::kOursCache, burst, 5);
  rows.AgainstEach("runtime.cpu_per_burst_event",
                   "CPU time until a change is reconciled, in bursts", kPeers, burst, 5);
  rows.Budget("runtime.cpu_per_lone_event", "CPU time until a change is in the cache" + at_rate,
              names::kOursCache, cpu, 5);
  rows.AgainstEach("runtime.cpu_per_lone_event", "CPU time until a change is reconciled" + at_rate,
                   kPeers, cpu, 5);
  rows.Part("runtime.latency_tail", "change sent until reconciled, p99.9 against p99" + at_rate,
            names::kOurs, {metric::At(metric::kLatencyP999, fastest), "us"},
            metric::At(metric::kLatencyP99, fastest), "p99", 3);
  for (const EventPhase& phase : plan.phases) {
    for (const char* quantile : {metric::kLatencyP50, metric::kLatencyP99, metric::kLatencyP999}) {
      rows.AgainstEach(fmt::format("runtime.latency.{}", metric::At(quantile, phase.per_second)),
                       fmt::format("change sent until reconciled, at {}/s", phase.per_second),
                       {names::kGo, names::kRust}, {metric::At(quantile, phase.per_second), "us"},
                       {});
    }
  }
}

void AddReconciling(RowMaker& rows) {
  rows.AgainstEach("runtime.reconciles", "reconciles with a get and an indexed list of 100", kPeers,
                   {metric::kReconcilesPerSecond, "/s"}, 1, true);
  const Told queue{metric::kQueueSeconds, "ns/item", kNano};
  rows.Budget("runtime.queue", "a key through the work queue", names::kOurs, queue, 100);
  rows.Against("runtime.queue.controller-runtime", "a key through the work queue", names::kGo,
               queue, {});
}

void AddValidate(RowMaker& rows, const Plan& plan) {
  rows.Budget("api.validate_start", "hearth validate of one manifest, from start to end",
              names::kOurs, {metric::kValidateOneSeconds, "ms", 1e3}, 10);
  rows.Against("api.validate", fmt::format("{} manifests checked", plan.manifests), names::kKubectl,
               {metric::kValidateSeconds, "ms", 1e3}, 20);
}

void AddDoor(RowMaker& rows) {
  const Told admission{metric::kAdmissionP99Seconds, "us", kMicro};
  const std::string set = "defaults and rules of a set of 1,000 pods, p99, in process";
  rows.Budget("api.admission", set, names::kOurs, admission, 1000);
  rows.Against("D12", set, names::kUpstream, admission, 5);
  const Told to_beta{metric::kToBetaSeconds, "us", kMicro};
  const std::string graph = "a full graph of 13 KB from v1alpha1 to v1beta1, in process";
  rows.Budget("api.conversion", graph, names::kOurs, to_beta, 50);
  rows.Budget("api.conversion_back", "and back, with all that was saved", names::kOurs,
              {metric::kToAlphaSeconds, "us", kMicro}, 50);
  rows.Against("api.conversion.upstream", graph, names::kUpstream, to_beta, {});
}

}  // namespace

std::vector<Row> MakeRows(const Samples& samples, const Plan& plan,
                          const std::vector<Contestant>& contestants) {
  RowMaker rows(samples, contestants);
  AddMemory(rows);
  AddStart(rows);
  AddEvents(rows, plan);
  AddReconciling(rows);
  AddValidate(rows, plan);
  AddDoor(rows);
  return rows.Take();
}

}  // namespace hearth::bench

#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/file_system.h"
#include "base/log.h"
#include "base/metrics.h"
#include "gms/failover/shadow_sequence.h"

namespace hearth::gms {

// What an engine tells about its failovers, under the names that Dynamo's dashboards ask for:
// dynamo_component_engine_failover_*. The two counters of switches outlive the engine: they are
// written through to failover_metrics_engine-<id>.json beside the lock file, old or new but never
// half, and read again by the next start. Thread-safe.
class FailoverMetrics {
 public:
  struct Options {
    std::string engine_id;
    std::string model;
    std::string component;
    std::string lock_path;
  };
  // Registers every series with its zero. A file of counters that cannot be read is told in the
  // log, and counting begins anew.
  FailoverMetrics(Options options, Metrics& metrics, FileSystem& files, Clock& clock,
                  Logger logger);

  // The engine is in this state from now on. The same state again is no transition.
  void Enter(EngineState state);
  // By name, as engines in other languages say it; an unknown one is told in the log and ignored.
  void Enter(std::string_view state);

  // The engine won the lock from another. Returns when the count is durable; if it cannot be
  // written it is counted all the same and the log tells why.
  void CountSwitchAttempt();
  // The engine serves. Counts only what was counted as an attempt: never on a first start, never
  // twice, so that attempts minus successes are the failures.
  void CountSwitchSuccess();

  // All of `metrics` in Prometheus' text, never between two halves of a change.
  std::string Expose() const;
  std::string counters_path() const;

 private:
  MetricLabels With(MetricLabels more = {}) const;
  void Restore();
  void Persist();
  void LeaveState(double now);

  const Options options_;
  Metrics& metrics_;
  FileSystem& files_;
  Clock& clock_;
  const Logger logger_;
  mutable std::mutex mutex_;
  std::map<EngineState, Gauge> states_;
  Gauge entered_;
  Counter attempts_;
  Counter successes_;
  std::optional<EngineState> state_;
  double since_ = 0;  // wall clock, seconds
  bool switch_pending_ = false;
};

}  // namespace hearth::gms

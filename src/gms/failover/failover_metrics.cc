#include "gms/failover/failover_metrics.h"

#include <array>

#include "base/publish.h"
#include "base/strings.h"
#include "json/builder.h"
#include "json/parse.h"

namespace hearth::gms {
namespace {

constexpr char kPrefix[] = "dynamo_component_engine_failover";
constexpr uint64_t kCountersLimit = 64 << 10;
constexpr std::array kStates = {EngineState::kInit, EngineState::kStandby, EngineState::kWaking,
                                EngineState::kActive};

std::string Name(const char* suffix) { return std::string(kPrefix) + suffix; }

double Seconds(WallTime time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

constexpr char kTransitionsHelp[] = "How often the engine went from one state to another.";
constexpr char kDurationHelp[] = "How long the engine was in a state when it last left it.";

std::string DirectoryOf(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash == 0 ? 1 : slash);
}

}  // namespace

FailoverMetrics::FailoverMetrics(Options options, Metrics& metrics, FileSystem& files, Clock& clock,
                                 Logger logger)
    : options_(std::move(options)),
      metrics_(metrics),
      files_(files),
      clock_(clock),
      logger_(std::move(logger)) {
  for (EngineState state : kStates) {
    std::string name(EngineStateName(state));
    states_[state] = metrics_.gauge(Name("_state"), "1 for the state the engine is in, else 0.",
                                    With({{"state", name}}));
    metrics_.gauge(Name("_last_state_duration_seconds"), kDurationHelp, With({{"state", name}}));
    for (EngineState to : kStates) {
      if (to != state) {
        metrics_.counter(
            Name("_transitions_total"), kTransitionsHelp,
            With({{"from_state", name}, {"to_state", std::string(EngineStateName(to))}}));
      }
    }
  }
  entered_ = metrics_.gauge(Name("_state_entered_timestamp_seconds"),
                            "When the engine entered its state, in seconds since 1970.", With());
  attempts_ = metrics_.counter(Name("_switch_attempts_total"),
                               "How often the engine won the lock from another.", With());
  successes_ = metrics_.counter(Name("_switch_success_total"),
                                "How often the engine then came to serve.", With());
  Restore();
}

MetricLabels FailoverMetrics::With(MetricLabels more) const {
  MetricLabels labels = {{"engine_id", options_.engine_id},
                         {"model", options_.model},
                         {"dynamo_component", options_.component}};
  labels.insert(labels.end(), more.begin(), more.end());
  return labels;
}

std::string FailoverMetrics::counters_path() const {
  return DirectoryOf(options_.lock_path) + "/failover_metrics_engine-" + options_.engine_id +
         ".json";
}

void FailoverMetrics::Restore() {
  auto text = files_.Read(counters_path(), kCountersLimit);
  if (text.status().Is(Code::kNotFound)) {
    return;
  }
  Status status = text.status();
  if (status.ok()) {
    auto counters = json::Parse(*text);
    if (counters.ok()) {
      int64_t attempts = counters->view()["attempts"].Int().value_or(0);
      int64_t success = counters->view()["success"].Int().value_or(0);
      attempts_.Add(static_cast<double>(std::max<int64_t>(attempts, 0)));
      successes_.Add(static_cast<double>(std::max<int64_t>(success, 0)));
      return;
    }
    status = counters.status();
  }
  logger_.Warning("failover counters cannot be read and begin anew",
                  {{"path", counters_path()}, {"error", status.message()}});
}

void FailoverMetrics::Persist() {
  json::Builder builder;
  builder.BeginObject();
  builder.Key("attempts").Int(static_cast<int64_t>(attempts_.value()));
  builder.Key("success").Int(static_cast<int64_t>(successes_.value()));
  builder.EndObject();
  Status status = PublishFile(files_, counters_path(), builder.text());
  if (!status.ok()) {
    logger_.Warning("failover counters cannot be kept for the next start",
                    {{"path", counters_path()}, {"error", status.message()}});
  }
}

void FailoverMetrics::LeaveState(double now) {
  std::string name(EngineStateName(*state_));
  states_[*state_].Set(0);
  metrics_.gauge(Name("_last_state_duration_seconds"), kDurationHelp, With({{"state", name}}))
      .Set(now - since_);
}

void FailoverMetrics::Enter(EngineState state) {
  std::lock_guard lock(mutex_);
  if (state_ == state) {
    return;
  }
  double now = Seconds(clock_.WallNow());
  if (state_) {
    LeaveState(now);
    metrics_
        .counter(Name("_transitions_total"), kTransitionsHelp,
                 With({{"from_state", std::string(EngineStateName(*state_))},
                       {"to_state", std::string(EngineStateName(state))}}))
        .Add();
  }
  states_[state].Set(1);
  entered_.Set(now);
  since_ = now;
  state_ = state;
}

void FailoverMetrics::Enter(std::string_view state) {
  auto known = ParseEngineState(state);
  if (!known) {
    logger_.Warning("unknown engine state is ignored",
                    {{"state", Excerpt(state, 64)}, {"engine", options_.engine_id}});
    return;
  }
  Enter(*known);
}

void FailoverMetrics::CountSwitchAttempt() {
  std::lock_guard lock(mutex_);
  attempts_.Add();
  switch_pending_ = true;
  Persist();
}

void FailoverMetrics::CountSwitchSuccess() {
  std::lock_guard lock(mutex_);
  if (!switch_pending_) {
    return;
  }
  switch_pending_ = false;
  successes_.Add();
  Persist();
}

std::string FailoverMetrics::Expose() const {
  std::lock_guard lock(mutex_);
  return metrics_.Expose();
}

}  // namespace hearth::gms

#include "round.h"

#include <fmt/format.h>

#include "pod_load.h"
#include "start_probe.h"

namespace hearth::bench {
namespace {

constexpr auto kAnswerTimeout = std::chrono::seconds(120);
// Until the last change has been seen by everybody; changes arrive within milliseconds.
constexpr double kAtOnce = 1e9;
constexpr auto kDrain = std::chrono::milliseconds(300);

double Number(const json::Blob& line, const char* name) {
  return line.view()[name].Double().value_or(0);
}

}  // namespace

Status Round::Run(const Contestant& contestant, const Tasks& tasks, Samples& samples) {
  const std::string& name = contestant.name;
  if (tasks.start) {
    ASSIGN_OR_RETURN(const double seconds, SecondsToFirstRequest(contestant, directory_));
    samples.Add(name, metric::kStartSeconds, seconds);
  }
  if (tasks.idle) {
    RETURN_IF_ERROR(MeasureIdle(contestant, samples));
  }
  ASSIGN_OR_RETURN(const auto running, Start(contestant, pods_name_space_));
  RETURN_IF_ERROR(MeasureFilling(name, *running, samples));
  if (tasks.events) {
    for (const EventPhase& phase : plan_.phases) {
      RETURN_IF_ERROR(MeasureEvents(name, *running, phase, samples));
    }
  }
  if (tasks.events) {
    RETURN_IF_ERROR(MeasureBursts(name, *running, samples));
  }
  if (tasks.storm) {
    RETURN_IF_ERROR(MeasureStorm(name, *running, samples));
  }
  if (tasks.decode) {
    RETURN_IF_ERROR(MeasureDecoding(name, *running, samples));
  }
  return tasks.queue ? MeasureQueue(name, *running, samples) : Status();
}

Result<std::unique_ptr<RunningContestant>> Round::Start(const Contestant& contestant,
                                                        const std::string& name_space) {
  return RunningContestant::Start(contestant,
                                  {.kubeconfig = cluster_.kubeconfig(),
                                   .name_space = name_space,
                                   .log_path = directory_ + "/" + contestant.name + ".log"});
}

Result<Memory> Round::MemoryIn(const Contestant& contestant, const std::string& name_space) {
  ASSIGN_OR_RETURN(const auto running, Start(contestant, name_space));
  RETURN_IF_ERROR(running->Await("synced", kAnswerTimeout));
  RETURN_IF_ERROR(running->Await("settled", kAnswerTimeout));
  SleepFor(RealClock(), plan_.settle, {});
  return running->ReadMemory();
}

Status Round::MeasureIdle(const Contestant& contestant, Samples& samples) {
  ASSIGN_OR_RETURN(const Memory idle, MemoryIn(contestant, empty_name_space_));
  samples.Add(contestant.name, metric::kIdleBytes, idle.resident_bytes);
  ASSIGN_OR_RETURN(const Memory few, MemoryIn(contestant, few_name_space_));
  samples.Add(contestant.name, metric::kFewBytes, few.resident_bytes);
  return {};
}

Status Round::MeasureFilling(const std::string& name, RunningContestant& running,
                             Samples& samples) {
  ASSIGN_OR_RETURN(const json::Blob synced, running.Await("synced", kAnswerTimeout));
  samples.Add(name, metric::kSyncSeconds, running.seconds_to_last_line());
  if (Number(synced, "objects") != static_cast<double>(plan_.pods)) {
    return DataLossError(fmt::format("{} synced with {} Pods instead of {}", name,
                                     Number(synced, "objects"), plan_.pods));
  }
  RETURN_IF_ERROR(running.Await("settled", kAnswerTimeout));
  SleepFor(RealClock(), plan_.settle, {});
  ASSIGN_OR_RETURN(const Memory memory, running.ReadMemory());
  const auto pods = static_cast<double>(plan_.pods);
  const std::vector<double>& few = samples.Get(name, metric::kFewBytes);
  samples.Add(name, metric::kResidentBytes, memory.resident_bytes);
  samples.Add(name, metric::kPeakBytes, memory.peak_bytes);
  if (!few.empty()) {
    samples.Add(
        name, metric::kBytesPerPod,
        (memory.resident_bytes - few.back()) / (pods - static_cast<double>(plan_.few_pods)));
  }
  ASSIGN_OR_RETURN(const Cluster::ListTime list, cluster_.CurlPods(pods_name_space_));
  samples.Add(name, metric::kCurlSeconds, list.seconds);
  samples.Add(name, metric::kListedBytesPerPod, list.bytes / pods);
  return {};
}

Status Round::MeasureEvents(const std::string& name, RunningContestant& running,
                            const EventPhase& phase, Samples& samples) {
  RETURN_IF_ERROR(running.Ask("stats", kAnswerTimeout));  // forgets what was before
  ASSIGN_OR_RETURN(const double cpu_before, running.CpuSeconds());
  ASSIGN_OR_RETURN(
      const EventLoadResult load,
      SendEvents(cluster_.client(), {.name_space = pods_name_space_,
                                     .pods = plan_.pods,
                                     .changes = phase.changes,
                                     .per_second = static_cast<double>(phase.per_second)}));
  SleepFor(RealClock(), kDrain, {});
  ASSIGN_OR_RETURN(const double cpu_after, running.CpuSeconds());
  ASSIGN_OR_RETURN(const json::Blob stats, running.Ask("stats", kAnswerTimeout));
  if (Number(stats, "events") < static_cast<double>(load.sent)) {
    return DataLossError(
        fmt::format("{} saw {} of {} changes", name, Number(stats, "events"), load.sent));
  }
  const auto add = [&](const char* what, double value) {
    samples.Add(name, metric::At(what, phase.per_second), value);
  };
  add(metric::kCpuPerEvent, (cpu_after - cpu_before) / static_cast<double>(load.sent));
  add(metric::kAchievedRate, static_cast<double>(load.sent) / load.seconds);
  if (Number(stats, "count") > 0) {
    for (const char* quantile : {metric::kLatencyP50, metric::kLatencyP99, metric::kLatencyP999}) {
      add(quantile, Number(stats, quantile));
    }
  }
  return {};
}

Status Round::MeasureBursts(const std::string& name, RunningContestant& running, Samples& samples) {
  RETURN_IF_ERROR(running.Ask("stats", kAnswerTimeout));
  size_t sent = 0;
  double cpu = 0;
  for (size_t i = 0; i < plan_.bursts; ++i) {
    ASSIGN_OR_RETURN(const double cpu_before, running.CpuSeconds());
    running.Freeze();
    const auto load = SendEvents(cluster_.client(), {.name_space = pods_name_space_,
                                                     .pods = plan_.pods,
                                                     .changes = plan_.burst_changes,
                                                     .per_second = kAtOnce});
    SleepFor(RealClock(), kDrain, {});
    running.Thaw();
    RETURN_IF_ERROR(load);
    SleepFor(RealClock(), kDrain, {});
    ASSIGN_OR_RETURN(const double cpu_after, running.CpuSeconds());
    sent += load->sent;
    cpu += cpu_after - cpu_before;
  }
  ASSIGN_OR_RETURN(const json::Blob stats, running.Ask("stats", kAnswerTimeout));
  if (Number(stats, "events") < static_cast<double>(sent)) {
    return DataLossError(
        fmt::format("{} saw {} of {} changes", name, Number(stats, "events"), sent));
  }
  samples.Add(name, metric::kCpuPerBurstEvent, cpu / static_cast<double>(sent));
  return {};
}

Status Round::MeasureStorm(const std::string& name, RunningContestant& running, Samples& samples) {
  ASSIGN_OR_RETURN(const json::Blob storm,
                   running.Ask(fmt::format("storm {}", plan_.storm_rounds), kAnswerTimeout));
  samples.Add(name, metric::kReconcilesPerSecond,
              Number(storm, "reconciles") / Number(storm, "seconds"));
  return {};
}

Status Round::MeasureDecoding(const std::string& name, RunningContestant& running,
                              Samples& samples) {
  ASSIGN_OR_RETURN(const json::Blob decode,
                   running.Ask(fmt::format("decode {}", plan_.decode_events), kAnswerTimeout));
  samples.Add(name, metric::kDecodeSeconds, Number(decode, "seconds") / Number(decode, "items"));
  return {};
}

Status Round::MeasureQueue(const std::string& name, RunningContestant& running, Samples& samples) {
  ASSIGN_OR_RETURN(const json::Blob queue,
                   running.Ask(fmt::format("queue {}", plan_.queue_items), kAnswerTimeout));
  samples.Add(name, metric::kQueueSeconds, Number(queue, "seconds") / Number(queue, "items"));
  return {};
}

}  // namespace hearth::bench

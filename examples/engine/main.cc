// An inference engine in small: weights in the memory service, answers over HTTP, sleep and wake,
// capture and failover.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>

#include "base/log.h"
#include "base/metrics.h"
#include "base/options.h"
#include "base/stop_signal.h"
#include "gms/device/host_device.h"
#include "gms/failover/failover_lock.h"
#include "gms/failover/failover_metrics.h"
#include "gms/protocol/socket_path.h"
#include "http/server.h"
#include "service.h"
#include "snapshot_control.h"
#include "weights.h"

namespace hearth::engine {
namespace {

struct Settings {
  std::string listen = "http://127.0.0.1:8000";
  std::string socket_dir;
  int64_t device = 0;
  OptionTable::Bytes weights{64ULL << 20};
  int64_t width = 2048;
  int64_t seed = 1;
  std::string engine_id = "0";
  std::string failover_lock;
  std::string control_dir;
};

OptionTable MakeTable(Settings& settings) {
  OptionTable table("engine",
                    "Serves a small language model whose weights live in the GPU memory service.");
  table.Add({.name = "listen",
             .help = "Where to serve HTTP",
             .target = &settings.listen,
             .value_name = "URL"});
  table.Add({.name = "socket-dir",
             .help = "Directory of the memory service's sockets; TMPDIR or /tmp when not given",
             .target = &settings.socket_dir,
             .environment = "GMS_SOCKET_DIR",
             .value_name = "DIR"});
  table.Add({.name = "device",
             .help = "Number of the device",
             .target = &settings.device,
             .check = Between(0, 255)});
  table.Add({.name = "weights",
             .help = "At least so many bytes of weights",
             .target = &settings.weights});
  table.Add({.name = "width",
             .help = "Width of a layer, a multiple of 64",
             .target = &settings.width,
             .check = Between(64, 16384)});
  table.Add({.name = "seed",
             .help = "Which model: the same seed gives the same weights",
             .target = &settings.seed});
  table.Add({.name = "engine-id",
             .help = "Who this is among the engines of a group; all but 0 wait for weights and "
                     "never make them",
             .target = &settings.engine_id,
             .environment = "ENGINE_ID"});
  table.Add({.name = "failover-lock",
             .help = "File whose lock decides which engine of a group serves; the others sleep and "
                     "wait for it",
             .target = &settings.failover_lock,
             .environment = "FAILOVER_LOCK_PATH",
             .value_name = "file"});
  table.Add({.name = "control-dir",
             .help = "Directory in which capture and restore are announced; the engine is then "
                     "captured before it serves",
             .target = &settings.control_dir,
             .environment = "DYN_SNAPSHOT_CONTROL_DIR",
             .value_name = "DIR"});
  table.AddNotes(
      "Routes: POST /v1/completions {\"prompt\": \"...\", \"max_tokens\": 8}, GET /state, POST "
      "/sleep, POST /wake, GET /healthz,\n"
      "GET /metrics with a failover lock.\n"
      "Exit codes: 0 told to stop, or captured; 1 failed; 2 wrong usage.");
  return table;
}

gms::MemoryManagerOptions MemoryOptions(const Settings& settings) {
  gms::MemoryManagerOptions memory;
  memory.connect.client = fmt::format("engine-{}", settings.engine_id);
  // By number, not by UUID: a restored engine may find itself on another device.
  const std::string directory = settings.socket_dir.empty()
                                    ? gms::SocketDirectory(gms::ProcessEnvironment())
                                    : settings.socket_dir;
  memory.connect.socket =
      gms::OrdinalSocketPath(directory, static_cast<int>(settings.device), gms::kWeightsTag);
  return memory;
}

// Loads, may be captured, waits for its turn, serves until told to stop.
Status Live(const Settings& settings, Service& service, gms::FailoverMetrics* metrics,
            const std::stop_token& stop, const Logger& log) {
  const WaitLimit limit{.stop = stop};
  const auto space = gms::OpenHostAddressSpace({.kind = "host", .granularity = 2ULL << 20});
  const SteadyTime begin = RealClock().Now();
  auto shown = begin;
  ASSIGN_OR_RETURN(
      const auto weights,
      Weights::Open(
          *space,
          {.memory = MemoryOptions(settings),
           .shape = ModelShape::OfSize(settings.weights.value, static_cast<int>(settings.width)),
           .seed = static_cast<uint64_t>(settings.seed),
           .read_only = settings.engine_id != "0"},
          limit, [&](size_t done, size_t total) {
            if (RealClock().Now() - shown > std::chrono::seconds(2)) {
              shown = RealClock().Now();
              log.Info("making weights", {{"done_mib", done >> 20}, {"total_mib", total >> 20}});
            }
          }));
  service.SetWeights(*weights, Calibrate(weights->view()));
  log.Info("weights are loaded",
           {{"origin", weights->origin() == Weights::Origin::kMade ? "made" : "found"},
            {"seconds", std::chrono::duration<double>(RealClock().Now() - begin).count()}});
  if (!settings.control_dir.empty()) {
    RETURN_IF_ERROR(service.Sleep());
    SnapshotControl control(RealFileSystem(), settings.control_dir);
    log.Info("ready to be captured", {{"directory", settings.control_dir}});
    ASSIGN_OR_RETURN(const auto outcome, control.AwaitCapture(RealClock(), stop));
    if (outcome == SnapshotControl::Outcome::kCaptured) {
      log.Info("captured; this process ends");
      return Status::Ok();
    }
    log.Info("restored; going on");
  }
  std::unique_ptr<gms::FailoverLock> lock;
  if (metrics != nullptr) {
    RETURN_IF_ERROR(service.Sleep());
    metrics->Enter(gms::EngineState::kStandby);
    lock = std::make_unique<gms::FailoverLock>(settings.failover_lock,
                                               "engine-" + settings.engine_id, log);
    ASSIGN_OR_RETURN(const auto acquired, lock->Acquire(limit));
    metrics->Enter(gms::EngineState::kWaking);
    if (acquired.was_contended) {
      metrics->CountSwitchAttempt();
    }
  }
  RETURN_IF_ERROR(service.Wake());
  service.SetPhase(Phase::kServing);
  if (metrics != nullptr) {
    metrics->Enter(gms::EngineState::kActive);
    metrics->CountSwitchSuccess();
  }
  log.Info("serving");
  static_cast<void>(SleepFor(RealClock(), Duration::max(), stop));
  return Status::Ok();
}

int Run(int argc, char** argv) {
  StopSignal signal;
  const Logger log;
  Settings settings;
  const OptionTable table = MakeTable(settings);
  const auto parsed = table.Parse(argc, argv);
  if (!parsed.ok()) {
    fmt::print(stderr, "engine: {}\n", parsed.status().message());
    return 2;
  }
  if (*parsed != OptionTable::Parsed::kRun) {
    fmt::print("{}", table.Help());
    return 0;
  }
  const auto endpoint = net::Endpoint::ParseUrl(settings.listen);
  if (!endpoint.ok() || settings.width % 64 != 0) {
    fmt::print(stderr, "engine: {}\n",
               endpoint.ok() ? "--width wants a multiple of 64" : endpoint.status().message());
    return 2;
  }
  Metrics metrics;
  std::unique_ptr<gms::FailoverMetrics> failover;
  if (!settings.failover_lock.empty()) {
    failover = std::make_unique<gms::FailoverMetrics>(
        gms::FailoverMetrics::Options{.engine_id = settings.engine_id,
                                      .model = fmt::format("seed-{}", settings.seed),
                                      .component = "engine",
                                      .lock_path = settings.failover_lock},
        metrics, RealFileSystem(), RealClock(), log);
    failover->Enter(gms::EngineState::kInit);
  }
  Service service;
  net::EventLoop loop("net");
  auto server =
      http::Server::Start(loop, {.listen = *endpoint}, [&](const http::ServerRequest& request) {
        if (failover && request.message.target == "/metrics") {
          return http::Response{.status = 200, .body = failover->Expose()};
        }
        return service.Handle(request.message);
      });
  if (!server.ok()) {
    log.Error("cannot serve", {{"error", server.status().ToString()}});
    return 1;
  }
  log.Info("listening", {{"address", (*server)->endpoint().ToString()}, {"pid", getpid()}});
  const Status status = Live(settings, service, failover.get(), signal.token(), log);
  (*server)->Stop(WaitLimit::For(RealClock(), std::chrono::seconds(1)));
  if (!status.ok() && !status.Is(Code::kCancelled)) {
    log.Error("the engine ends", {{"error", status.ToString()}});
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace hearth::engine

int main(int argc, char** argv) { return hearth::engine::Run(argc, argv); }

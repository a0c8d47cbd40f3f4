// An inference engine in small: weights in the memory service, answers over HTTP, sleep and wake,
// capture and failover.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "base/log.h"
#include "base/metrics.h"
#include "base/stop_signal.h"
#include "gms/device/host_device.h"
#include "gms/failover/failover_lock.h"
#include "gms/failover/failover_metrics.h"
#include "http/server.h"
#include "restore_context.h"
#include "service.h"
#include "settings.h"
#include "snapshot_control.h"
#include "standby.h"
#include "weights.h"

namespace hearth::engine {
namespace {

class Engine {
 public:
  // Reads the settings again, from the same command line; a restored engine does.
  using ReadSettings = std::function<Result<Settings>()>;

  Engine(Settings settings, ReadSettings read, std::stop_token stop)
      : settings_(std::move(settings)), read_(std::move(read)), stop_(std::move(stop)) {}

  // Loads, may be captured, waits for its turn, serves until told to stop. One that is to be
  // captured does not listen before that: all that are restored from it would have to listen at its
  // port, two of them perhaps in one pod.
  Status Live() {
    const bool captured_first = !settings_.control_dir.empty();
    if (!captured_first) {
      RETURN_IF_ERROR(Listen());
    }
    RETURN_IF_ERROR(Load());
    if (captured_first) {
      ASSIGN_OR_RETURN(const auto outcome, AwaitCapture());
      if (outcome == SnapshotControl::Outcome::kCaptured) {
        log_.Info("captured; this process ends");
        return Status::Ok();
      }
      RETURN_IF_ERROR(BecomeRestored());
      RETURN_IF_ERROR(Listen());
    }
    RETURN_IF_ERROR(AwaitTurn());
    RETURN_IF_ERROR(service_.Wake());
    service_.SetPhase(Phase::kServing);
    if (failover_) {
      failover_->Enter(gms::EngineState::kActive);
      failover_->CountSwitchSuccess();
    }
    log_.Info("serving");
    static_cast<void>(SleepFor(RealClock(), Duration::max(), stop_));
    return Status::Ok();
  }

  void StopServing() {
    if (server_) {
      server_->Stop(WaitLimit::For(RealClock(), std::chrono::seconds(1)));
    }
  }

 private:
  Status Listen() {
    service_.SetReadyFromTheStart(settings_.starting_health == "ready");
    if (!settings_.failover_lock.empty()) {
      failover_.emplace(gms::FailoverMetrics::Options{.engine_id = settings_.engine_id,
                                                      .model = settings_.ModelName(),
                                                      .component = "engine",
                                                      .lock_path = settings_.failover_lock},
                        metrics_, RealFileSystem(), RealClock(), log_);
      failover_->Enter(gms::EngineState::kInit);
    }
    ASSIGN_OR_RETURN(const net::Endpoint endpoint, net::Endpoint::ParseUrl(settings_.ListenUrl()));
    loop_.emplace("net");
    ASSIGN_OR_RETURN(server_, http::Server::Start(*loop_, {.listen = endpoint},
                                                  [this](const http::ServerRequest& request) {
                                                    return Answer(request.message);
                                                  }));
    log_.Info("listening", {{"address", server_->endpoint().ToString()}, {"pid", getpid()}});
    return Status::Ok();
  }

  http::Response Answer(const http::Request& request) {
    if (failover_ && request.target == "/metrics") {
      return {.status = 200, .body = failover_->Expose()};
    }
    return service_.Handle(request);
  }

  gms::MemoryManagerOptions MemoryOptions() {
    gms::MemoryManagerOptions memory;
    memory.connect.client = fmt::format("engine-{}", settings_.engine_id);
    // Asked anew by a restored engine, whose server is elsewhere.
    memory.find_socket = [this]() -> Result<std::string> { return settings_.WeightsSocket(); };
    return memory;
  }

  Status Load() {
    const SteadyTime begin = RealClock().Now();
    auto shown = begin;
    const auto tell = [&](size_t done, size_t total) {
      if (RealClock().Now() - shown > std::chrono::seconds(2)) {
        shown = RealClock().Now();
        log_.Info("making weights", {{"done_mib", done >> 20}, {"total_mib", total >> 20}});
      }
    };
    ASSIGN_OR_RETURN(weights_, Weights::Open(*space_,
                                             {.memory = MemoryOptions(),
                                              .shape = settings_.Shape(),
                                              .seed = static_cast<uint64_t>(settings_.seed),
                                              .read_only = !settings_.MakesWeights()},
                                             {.stop = stop_}, tell));
    service_.SetWeights(*weights_, Calibrate(weights_->view()));
    log_.Info("weights are loaded",
              {{"origin", weights_->origin() == Weights::Origin::kMade ? "made" : "found"},
               {"seconds", std::chrono::duration<double>(RealClock().Now() - begin).count()}});
    return Status::Ok();
  }

  Result<SnapshotControl::Outcome> AwaitCapture() {
    RETURN_IF_ERROR(service_.Sleep());
    log_.Info("ready to be captured", {{"directory", settings_.control_dir}});
    return SnapshotControl(RealFileSystem(), settings_.control_dir)
        .AwaitCapture(RealClock(), stop_);
  }

  Status BecomeRestored() {
    const Status applied = ApplyRestoreContext(RealFileSystem(), settings_.control_dir);
    if (applied.Is(Code::kNotFound)) {
      log_.Warning("restored, and nobody left word who this is: going on as who was captured");
    } else {
      RETURN_IF_ERROR(applied.WithContext("restored, and not told who this is"));
    }
    ASSIGN_OR_RETURN(settings_, read_());
    service_.SetRestored();
    log_.Info("restored; going on", {{"engine", settings_.engine_id}});
    return Status::Ok();
  }

  // Of engines that share a lock, one serves.
  Status AwaitTurn() {
    if (!failover_) {
      return Status::Ok();
    }
    RETURN_IF_ERROR(service_.Sleep());
    service_.SetPhase(Phase::kStandby);
    failover_->Enter(gms::EngineState::kStandby);
    lock_ = std::make_unique<gms::FailoverLock>(settings_.failover_lock,
                                                "engine-" + settings_.engine_id, log_);
    ASSIGN_OR_RETURN(const auto acquired, lock_->Acquire({.stop = stop_}));
    failover_->Enter(gms::EngineState::kWaking);
    if (acquired.was_contended) {
      failover_->CountSwitchAttempt();
    }
    return Status::Ok();
  }

  Settings settings_;
  const ReadSettings read_;
  const std::stop_token stop_;
  const Logger log_;
  Metrics metrics_;
  std::optional<gms::FailoverMetrics> failover_;
  const std::unique_ptr<gms::AddressSpace> space_ =
      gms::OpenHostAddressSpace({.kind = "host", .granularity = 2ULL << 20});
  std::unique_ptr<Weights> weights_;
  Service service_;
  std::unique_ptr<gms::FailoverLock> lock_;
  std::optional<net::EventLoop> loop_;
  std::unique_ptr<http::Server> server_;  // goes first: it asks all others
};

// Nothing when help was asked for.
Result<std::optional<Settings>> Read(int argc, char** argv) {
  Settings settings;
  const OptionTable table = settings.Table();
  ASSIGN_OR_RETURN(const auto parsed, table.Parse(argc, argv));
  if (parsed != OptionTable::Parsed::kRun) {
    fmt::print("{}", table.Help());
    return std::optional<Settings>();
  }
  RETURN_IF_ERROR(settings.Check());
  return std::optional(settings);
}

int Run(const Settings& settings, int argc, char** argv) {
  const StopSignal signal;
  const Logger log;
  const auto read_again = [=]() -> Result<Settings> {
    ASSIGN_OR_RETURN(auto again, Read(argc, argv));
    return *again;
  };
  Engine engine(settings, read_again, signal.token());
  const Status status = engine.Live();
  engine.StopServing();
  if (!status.ok() && !status.Is(Code::kCancelled)) {
    log.Error("the engine ends", {{"error", status.ToString()}});
    return 1;
  }
  return 0;
}

int Main(int argc, char** argv) {
  const auto settings = Read(argc, argv);
  if (!settings.ok()) {
    fmt::print(stderr, "engine: {}\n", settings.status().message());
    return 2;
  }
  if (!*settings) {
    return 0;
  }
  if ((*settings)->standby) {
    return StandBy(RealFileSystem(), (*settings)->control_dir);
  }
  return Run(**settings, argc, argv);
}

}  // namespace
}  // namespace hearth::engine

int main(int argc, char** argv) { return hearth::engine::Main(argc, argv); }

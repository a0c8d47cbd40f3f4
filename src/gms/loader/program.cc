#include "gms/loader/program.h"

#include <ostream>
#include <set>

#include "base/duration.h"
#include "base/file_system.h"
#include "gms/loader/load.h"
#include "gms/storage/checkpoint.h"
#include "gms/storage/sentinel.h"
#include "gms/storage/shard_plan.h"

namespace hearth::gms::loader {
namespace {

using storage::Sentinel;

constexpr const char* kShardedSsd = "sharded-ssd";

struct Settings {
  storage::CommonOptions common;
  int64_t workers = 16;
  std::string backend = "nixl";
  int64_t queues_per_root = 2;
  int64_t lock_timeout_ms = -1;  // as long as it takes
  std::vector<std::string> posix_parameters;
  bool verify = true;
  bool linger = false;
};

OptionTable MakeTable(Settings& s) {
  OptionTable table("gms-loader",
                    "Loads a checkpoint into the memory of all devices, verifies every byte, and "
                    "commits it for engines to use.");
  s.common.AddTo(table, "GMS_LOAD_COMPLETE_FILE");
  table.Add({.name = "max-workers",
             .help = "Threads at most; processors are the limit where io_uring works",
             .target = &s.workers,
             .environment = "GMS_LOAD_WORKERS",
             .check = Between(1, 1024)});
  table.Add({.name = "transfer-backend",
             .help = "sharded-ssd keeps queues for each root; nixl and nixl-gds are taken for "
                     "existing deployments and both mean the own engine",
             .target = &s.backend,
             .choices = {"nixl", "nixl-gds", kShardedSsd}});
  table.Add({.name = "sharded-ssd-queues-per-root",
             .help = "Queues of each root with sharded-ssd",
             .target = &s.queues_per_root,
             .check = Between(1, 1024)});
  table.Add(
      {.name = "load-lock-timeout-ms",
       .help = "How long the writer's lease is waited for; as long as it takes when not given",
       .target = &s.lock_timeout_ms,
       .check = Between(0, INT64_MAX / 1'000'000)});
  table.Add({.name = "posix-backend-param",
             .help = "Taken for existing deployments and ignored; KEY=VALUE",
             .target = &s.posix_parameters,
             .value_name = "KEY=VALUE"});
  table.Add({.name = "verify",
             .help = "Compare every chunk with its digest; --verify=false only to measure",
             .target = &s.verify});
  table.Add(
      {.name = "linger", .help = "Stay after the load until told to stop", .target = &s.linger});
  table.AddNotes(
      "Exit codes:\n  0  loaded and committed\n"
      "  1  not loaded; nothing is committed (or not on all devices, when a server went away "
      "during "
      "the commits)\n"
      "  2  the command line is wrong\n");
  return table;
}

Result<LoadOptions> ToOptions(const Settings& s) {
  LoadOptions options{.directory = s.common.directory,
                      .workers = static_cast<int>(s.workers),
                      .staging_bytes = s.common.staging.value,
                      .verify = s.verify,
                      .model = s.common.model,
                      .only_these = s.common.device >= 0};
  ASSIGN_OR_RETURN(options.roots, storage::ParseRoots(s.common.roots));
  if (s.backend == kShardedSsd) {
    options.queues_per_root = static_cast<size_t>(s.queues_per_root);
    if (options.roots.empty()) {
      return InvalidError("--transfer-backend sharded-ssd needs --sharded-ssd-roots");
    }
  }
  if (s.common.rank >= 0) {
    options.rank = s.common.rank;
  }
  if (s.lock_timeout_ms >= 0) {
    options.lock_timeout = std::chrono::milliseconds(s.lock_timeout_ms);
  }
  return options;
}

void Tell(const LoadReport& report, const Logger& log) {
  const Duration all = report.opening + report.loading + report.committing;
  const double seconds = std::chrono::duration<double>(all).count();
  log.Info("loaded", {{"devices", report.devices},
                      {"allocations", report.allocations},
                      {"bytes", report.bytes},
                      {"opening", FormatDuration(report.opening)},
                      {"loading", FormatDuration(report.loading)},
                      {"committing", FormatDuration(report.committing)},
                      {"gb_per_second",
                       seconds > 0 ? static_cast<double>(report.bytes) / seconds / 1e9 : 0.0}});
}

Result<LoadReport> LoadWithProgress(const Settings& s, const LoadOptions& options,
                                    const storage::ProgramStreams& streams, const Logger& log,
                                    const std::stop_token& stop) {
  const Duration lock_timeout =
      s.lock_timeout_ms < 0 ? Duration::max() : std::chrono::milliseconds(s.lock_timeout_ms);
  std::set<int64_t> expected;
  if (!options.only_these) {
    ASSIGN_OR_RETURN(expected, storage::FindDevices(options.directory));
  }
  ASSIGN_OR_RETURN(
      const auto devices,
      s.common.Devices(storage::WaitForServer(RealClock(), lock_timeout, stop), expected));
  LoadGauge gauge;
  const SteadyTime begin = RealClock().Now();
  const disk::ProgressReporter reporter(
      streams.out, s.common.Style(streams),
      [&] {
        return disk::Progress{.phase = "load",
                              .done_bytes = gauge.done_bytes,
                              .total_bytes = gauge.total_bytes,
                              .elapsed = RealClock().Now() - begin};
      },
      RealClock());
  return LoadCheckpoint(devices, options, RealClock(), log, gauge, {.stop = stop});
}

// A checkpoint is often mounted read-only; whoever wants the file says so.
Status Announce(const Settings& s, const Sentinel& sentinel, const Logger& log) {
  Status written = sentinel.Write();
  if (!written.ok() && s.common.pod_uid.empty() && s.common.complete_file.empty()) {
    log.Debug("no completion file", {{"why", written.message()}});
    return {};
  }
  return written;
}

Status Run(const Settings& s, const storage::ProgramStreams& streams, const Logger& log,
           const std::stop_token& stop) {
  ASSIGN_OR_RETURN(const LoadOptions options, ToOptions(s));
  ASSIGN_OR_RETURN(const Sentinel sentinel,
                   Sentinel::Make(RealFileSystem(), s.common.directory, storage::kLoadComplete,
                                  s.common.complete_file, s.common.pod_uid));
  RETURN_IF_ERROR(sentinel.Clear());
  if (!s.posix_parameters.empty() || s.backend == "nixl-gds") {
    log.Warning(
        "direct disk-to-device transfer and its parameters are not there; the own engine "
        "is used",
        {{"backend", s.backend}});
  }
  ASSIGN_OR_RETURN(const LoadReport report, LoadWithProgress(s, options, streams, log, stop));
  Tell(report, log);
  RETURN_IF_ERROR(Announce(s, sentinel, log));
  if (s.linger) {
    SleepFor(RealClock(), Duration::max(), stop);
  }
  return {};
}

}  // namespace

int RunLoader(int argc, const char* const* argv, const storage::ProgramStreams& streams,
              const std::stop_token& stop) {
  Settings settings;
  const OptionTable table = MakeTable(settings);
  if (const auto code = storage::ParseOrPrint(table, argc, argv, streams)) {
    return *code;
  }
  const Logger log = settings.common.MakeLogger(streams);
  const Status status = Run(settings, streams, log, stop);
  if (!status.ok()) {
    log.Error("not loaded", {{"why", status.message()}});
  }
  return status.ok() ? storage::kExitOk : storage::kExitFailed;
}

}  // namespace hearth::gms::loader

#include "gms/saver/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <set>

#include "base/duration.h"
#include "gms/protocol/socket_path.h"
#include "gms/saver/save.h"
#include "gms/storage/checkpoint.h"
#include "gms/storage/sentinel.h"

namespace hearth::gms::saver {
namespace {

using storage::Sentinel;

struct Settings {
  storage::CommonOptions common;
  int64_t workers = 8;
  int64_t lock_timeout_ms = 1'800'000;
  int64_t shard_bytes = static_cast<int64_t>(storage::kDefaultShardBytes);
};

OptionTable MakeTable(Settings& s) {
  OptionTable table("gms-saver",
                    "Saves the committed weights of all devices to disk, as one checkpoint that is "
                    "replaced as a whole or not at all.");
  s.common.AddTo(table, "GMS_SAVE_COMPLETE_FILE");
  table.Add({.name = "max-workers",
             .help = "Threads at most; processors are the limit where io_uring works",
             .target = &s.workers,
             .environment = "GMS_SAVE_WORKERS",
             .check = Between(1, 1024)});
  table.Add({.name = "save-lock-timeout-ms",
             .help = "How long committed weights are waited for",
             .target = &s.lock_timeout_ms,
             .check = Between(0, INT64_MAX / 1'000'000)});
  table.Add({.name = "shard-size-bytes",
             .help = "Size that a shard should not exceed",
             .target = &s.shard_bytes,
             .check = Between(1, INT64_MAX)});
  table.AddNotes(
      "Exit codes:\n  0  saved\n  1  not saved; what was there before is still there\n"
      "  2  the command line is wrong\n");
  return table;
}

Result<SaveOptions> ToOptions(const Settings& s) {
  SaveOptions options{.directory = s.common.directory,
                      .shard_bytes = static_cast<uint64_t>(s.shard_bytes),
                      .workers = static_cast<int>(s.workers),
                      .staging_bytes = s.common.staging.value,
                      .lock_timeout = std::chrono::milliseconds(s.lock_timeout_ms),
                      .model = s.common.model,
                      .whole = s.common.device < 0};
  ASSIGN_OR_RETURN(options.roots, storage::ParseRoots(s.common.roots));
  if (s.common.rank >= 0) {
    options.rank = s.common.rank;
  }
  return options;
}

void Tell(const SaveReport& report, const Logger& log) {
  const double seconds = std::chrono::duration<double>(report.writing + report.publishing).count();
  log.Info(
      report.already_saved ? "nothing to save" : "saved",
      {{"devices", report.devices},
       {"bytes", report.bytes},
       {"waited", FormatDuration(report.waiting)},
       {"writing", FormatDuration(report.writing)},
       {"publishing", FormatDuration(report.publishing)},
       {"gb_per_second", seconds > 0 ? static_cast<double>(report.bytes) / seconds / 1e9 : 0.0}});
}

// Devices that the checkpoint has, unless somebody says how many there are to be: what was saved of
// them goes only when that is wanted.
std::set<int64_t> DevicesToKeep(const Settings& s, const SaveOptions& options) {
  if (!options.whole || s.common.device_count > 0) {
    return {};
  }
  // One that cannot be read has nothing to lose.
  return storage::FindDevices(options.directory).value_or(std::set<int64_t>());
}

Status CheckKept(const std::set<int64_t>& kept, const std::vector<storage::DeviceAccess>& devices) {
  std::set<int64_t> found;
  for (const storage::DeviceAccess& access : devices) {
    found.insert(access.device);
  }
  for (const int64_t device : kept) {
    if (!found.contains(device)) {
      return UnavailableError(fmt::format("device {} has no server", device));
    }
  }
  return {};
}

Result<std::vector<storage::DeviceAccess>> FindServers(const Settings& s,
                                                       const SaveOptions& options,
                                                       const std::stop_token& stop) {
  const std::set<int64_t> kept = DevicesToKeep(s, options);
  std::set<int64_t> expected = storage::DevicesOfEnvironment(ProcessEnvironment());
  expected.insert(kept.begin(), kept.end());
  auto devices =
      s.common.Devices(storage::WaitForServer(RealClock(), options.lock_timeout, stop), expected);
  const Status status = devices.ok() ? CheckKept(kept, *devices) : devices.status();
  if (status.ok() || kept.empty()) {
    return devices;
  }
  return status.WithContext(
      fmt::format("{} has {} devices, and what is saved of them is not given up unless "
                  "--device-count says how many there are now",
                  options.directory, kept.size()));
}

Status Run(const Settings& s, const storage::ProgramStreams& streams, const Logger& log,
           const std::stop_token& stop) {
  ASSIGN_OR_RETURN(const SaveOptions options, ToOptions(s));
  ASSIGN_OR_RETURN(const Sentinel sentinel,
                   Sentinel::Make(RealFileSystem(), s.common.directory, storage::kSaveComplete,
                                  s.common.complete_file, s.common.pod_uid));
  RETURN_IF_ERROR(sentinel.Clear());
  ASSIGN_OR_RETURN(const auto devices, FindServers(s, options, stop));
  SaveGauge gauge;
  Result<SaveReport> report = Status(Code::kInternal, "not run");
  {
    const SteadyTime begin = RealClock().Now();
    const disk::ProgressReporter reporter(
        streams.out, s.common.Style(streams),
        [&] {
          return disk::Progress{.phase = "save",
                                .done_bytes = gauge.done_bytes,
                                .total_bytes = gauge.total_bytes,
                                .elapsed = RealClock().Now() - begin};
        },
        RealClock());
    report =
        SaveCheckpoint(devices, options, RealFileSystem(), RealClock(), log, gauge, {.stop = stop});
  }
  RETURN_IF_ERROR(report);
  Tell(*report, log);
  return sentinel.Write();
}

}  // namespace

int RunSaver(int argc, const char* const* argv, const storage::ProgramStreams& streams,
             const std::stop_token& stop) {
  Settings settings;
  const OptionTable table = MakeTable(settings);
  if (const auto code = storage::ParseOrPrint(table, argc, argv, streams)) {
    return *code;
  }
  const Logger log = settings.common.MakeLogger(streams);
  const Status status = Run(settings, streams, log, stop);
  if (!status.ok()) {
    log.Error("not saved", {{"why", status.message()}});
  }
  return status.ok() ? storage::kExitOk : storage::kExitFailed;
}

}  // namespace hearth::gms::saver

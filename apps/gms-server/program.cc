#include "program.h"

#include <fmt/format.h>

#include <cstdio>
#include <numeric>

#include "gms/device/cuda_device.h"
#include "gms/protocol/socket_path.h"
#include "gms/server/server.h"
#include "restore_probe.h"
#include "settings.h"
#include "signal_watch.h"

namespace hearth::gms::server {
namespace {

constexpr int kExitOk = 0;
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

constexpr Duration kTakeOverWait = std::chrono::seconds(60);

int Report(const Status& status, int code) {
  const std::string line = fmt::format("gms-server: {}\n", status.message());
  std::fwrite(line.data(), 1, line.size(), stderr);
  return code;
}

Result<DeviceSetup> OpenDevice(const Settings& settings, int ordinal) {
  if (!settings.host) {
    ASSIGN_OR_RETURN(auto device, OpenCudaDevice(ordinal));
    return DeviceSetup{std::move(device), false};
  }
  ASSIGN_OR_RETURN(
      auto device,
      OpenHostDevice({.ordinal = ordinal,
                      .uuid = UuidFromEnvironment(ordinal, ProcessEnvironment()).value_or(""),
                      .budget_bytes = settings.host_bytes,
                      .granularity = settings.host_granularity,
                      .pages = settings.host_pages,
                      .numa_node = settings.host_numa_node}));
  // Huge pages are cleared when a piece is made, which takes long; other pages when touched.
  return DeviceSetup{std::move(device), settings.host_pages != HostPages::kHuge2M};
}

Result<std::vector<int>> Ordinals(const Settings& settings) {
  if (!settings.devices.empty()) {
    return settings.devices;
  }
  int count = 1;
  if (!settings.host) {
    ASSIGN_OR_RETURN(count, CountCudaDevices());
  }
  if (count == 0) {
    return UnavailableError(
        "no nvidia devices found; --device-type host serves memory of the machine");
  }
  std::vector<int> ordinals(static_cast<size_t>(count));
  std::iota(ordinals.begin(), ordinals.end(), 0);
  return ordinals;
}

Result<std::vector<DeviceSetup>> OpenDevices(const Settings& settings) {
  ASSIGN_OR_RETURN(const std::vector<int> ordinals, Ordinals(settings));
  std::vector<DeviceSetup> devices;
  for (const int ordinal : ordinals) {
    ASSIGN_OR_RETURN(DeviceSetup device, OpenDevice(settings, ordinal));
    devices.push_back(std::move(device));
  }
  return devices;
}

Status StartServing(Server& server, bool take_over, int stop_fd) {
  if (take_over) {
    const SignalWatch signals(stop_fd);
    RETURN_IF_ERROR(server.TakeOver(WaitLimit::For(RealClock(), kTakeOverWait, signals.token())));
  }
  return server.Listen();
}

Status Serve(const Settings& settings, std::vector<DeviceSetup> devices, int stop_fd) {
  const Logger log(StderrSink(), settings.log_format, settings.log_level);
  ASSIGN_OR_RETURN(auto server, Server::Create(settings.server, std::move(devices), log));
  server->StopOn(stop_fd);
  const Status listens = StartServing(*server, settings.take_over, stop_fd);
  if (listens.Is(Code::kCancelled)) {
    log.Info("stopped before it took over");
    return Status::Ok();
  }
  RETURN_IF_ERROR(listens);
  if (settings.take_over) {
    log.Info("took over from the server before");
  }
  for (const std::string& path : server->SocketPaths()) {
    log.Info("listening", {{"socket", path}});
  }
  return server->Run();
}

}  // namespace

int RunProgram(int argc, const char* const* argv, int stop_fd) {
  auto settings = ReadSettings(argc, argv);
  if (!settings.ok()) {
    return Report(settings.status(), kExitUsage);
  }
  if (!*settings) {
    return kExitOk;
  }
  if ((*settings)->probe) {
    const Status status = ProbeRestoreReady((*settings)->server.directory, (*settings)->devices);
    return status.ok() ? kExitOk : Report(status, kExitFailed);
  }
  auto devices = OpenDevices(**settings);
  if (!devices.ok()) {
    return Report(devices.status(), kExitFailed);
  }
  const Status status = Serve(**settings, *std::move(devices), stop_fd);
  return status.ok() ? kExitOk
                     : Report(status, status.Is(Code::kInvalid) ? kExitUsage : kExitFailed);
}

}  // namespace hearth::gms::server

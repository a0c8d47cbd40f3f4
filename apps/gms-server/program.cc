#include "program.h"

#include <fmt/format.h>

#include <cstdio>
#include <numeric>

#include "gms/device/cuda_device.h"
#include "gms/protocol/message_channel.h"
#include "gms/protocol/socket_path.h"
#include "gms/server/server.h"
#include "settings.h"

namespace hearth::gms::server {
namespace {

constexpr int kExitOk = 0;
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

constexpr Duration kProbeWait = std::chrono::milliseconds(500);
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
                      .pages = settings.host_pages}));
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

// Whether a reader is let in now.
Status ProbeSocket(const std::string& path) {
  const auto limit = [] { return WaitLimit::For(RealClock(), kProbeWait); };
  ASSIGN_OR_RETURN(MessageChannel channel, MessageChannel::Connect(path, limit()));
  const HandshakeRequest request{
      .lock_type = "ro",
      .timeout_ms = std::chrono::duration_cast<std::chrono::milliseconds>(kProbeWait).count()};
  ASSIGN_OR_RETURN(const auto response, channel.Call<HandshakeResponse>(
                                            request, limit().AtMost(RealClock(), 2 * kProbeWait)));
  return response.success ? Status::Ok()
                          : UnavailableError(fmt::format("{}: nothing is committed", path));
}

bool Wanted(const Settings& settings, int64_t device) {
  return settings.devices.empty() || std::find(settings.devices.begin(), settings.devices.end(),
                                               device) != settings.devices.end();
}

Result<std::vector<DomainItem>> DomainsOf(MessageChannel admin) {
  ASSIGN_OR_RETURN(auto status, admin.Call<StatusResponse>(
                                    StatusRequest{}, WaitLimit::For(RealClock(), kProbeWait)));
  return std::move(status.domains);
}

// The servers themselves say which devices they have, so that no driver is needed to ask.
Result<std::vector<DomainItem>> DomainsIn(const std::string& directory) {
  std::vector<DomainItem> all;
  for (const std::string& path : AdminSocketsIn(directory)) {
    auto admin = MessageChannel::Connect(path, WaitLimit::For(RealClock(), Duration::zero()));
    if (admin.ok()) {  // else it was left behind
      ASSIGN_OR_RETURN(const auto domains, DomainsOf(*std::move(admin)));
      all.insert(all.end(), domains.begin(), domains.end());
    }
  }
  if (!all.empty()) {
    return all;
  }
  ASSIGN_OR_RETURN(
      MessageChannel admin,
      MessageChannel::Connect(AdminSocketPath(directory), WaitLimit::For(RealClock(), kProbeWait)));
  return DomainsOf(std::move(admin));
}

Status ProbeAll(const Settings& settings) {
  ASSIGN_OR_RETURN(const auto domains, DomainsIn(settings.server.directory));
  size_t probed = 0;
  for (const DomainItem& domain : domains) {
    if (domain.domain == kWeightsTag && Wanted(settings, domain.device)) {
      RETURN_IF_ERROR(ProbeSocket(domain.socket));
      ++probed;
    }
  }
  const size_t wanted = std::max<size_t>(settings.devices.size(), 1);
  return probed >= wanted
             ? Status::Ok()
             : UnavailableError(fmt::format("{} of {} devices serve weights", probed, wanted));
}

Status Serve(const Settings& settings, std::vector<DeviceSetup> devices, int stop_fd) {
  const Logger log(StderrSink(), settings.log_format, settings.log_level);
  ASSIGN_OR_RETURN(auto server, Server::Create(settings.server, std::move(devices), log));
  server->StopOn(stop_fd);
  if (settings.take_over) {
    RETURN_IF_ERROR(server->TakeOver(WaitLimit::For(RealClock(), kTakeOverWait)));
    log.Info("took over from the server before");
  }
  RETURN_IF_ERROR(server->Listen());
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
    const Status status = ProbeAll(**settings);
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

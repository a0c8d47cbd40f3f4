#include "server_process.h"

#include <fstream>
#include <iterator>

#include "gms/client/session.h"
#include "gms/protocol/socket_path.h"
#include "process_usage.h"
#include "scratch.h"

namespace hearth::bench {
namespace {

constexpr Duration kStartTimeout = std::chrono::seconds(20);
constexpr Duration kStopGrace = std::chrono::seconds(5);

std::vector<std::string> Command(const ServerProcess::Setup& setup, const std::string& directory) {
  std::vector<std::string> argv = {setup.program, "--device-type", "host", "--socket-dir",
                                   directory};
  argv.insert(argv.end(),
              {"--host-pages", setup.pages == gms::HostPages::kHuge2M ? "huge" : "small",
               "--host-granularity", std::to_string(setup.granularity)});
  if (setup.memory_bytes > 0) {
    argv.insert(argv.end(), {"--host-memory", std::to_string(setup.memory_bytes)});
  }
  return argv;
}

}  // namespace

Result<std::unique_ptr<ServerProcess>> ServerProcess::Start(const Setup& setup) {
  std::unique_ptr<ServerProcess> server(new ServerProcess());
  const SteadyTime begin = RealClock().Now();
  ASSIGN_OR_RETURN(ChildProcess process,
                   ChildProcess::Start({.argv = Command(setup, server->directory_.path()),
                                        .log_path = server->directory_ / "log"}));
  server->process_ = std::make_unique<ChildProcess>(std::move(process));
  const auto session = gms::Session::Connect({.socket = server->socket(),
                                              .lease = gms::LeaseRequest::kRw,
                                              .client = "bench",
                                              .connect_timeout = kStartTimeout});
  RETURN_IF_ERROR(session.status().WithContext("gms-server: " + server->Log()));
  server->seconds_to_handshake_ = SecondsSince(begin);
  return server;
}

ServerProcess::~ServerProcess() {
  if (process_ != nullptr) {
    process_->Stop(kStopGrace);
  }
}

std::string ServerProcess::Log() const {
  std::ifstream file(directory_ / "log");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string ServerProcess::socket() const {
  return gms::OrdinalSocketPath(directory_.path(), 0, gms::kWeightsTag);
}

Result<std::vector<gms::storage::DeviceAccess>> ServerProcess::Devices() const {
  return gms::storage::SelectDevices(
      {.kind = "host", .socket_directory = directory_.path()},
      [](const std::string&) { return std::nullopt; }, RealClock(),
      WaitLimit::For(RealClock(), std::chrono::seconds(10)));
}

Result<double> ServerProcess::CpuSeconds() const { return CpuSecondsOf(process_->pid()); }

Result<double> ServerProcess::ResidentBytes() const {
  ASSIGN_OR_RETURN(const Memory memory, MemoryOf(process_->pid()));
  return memory.resident_bytes;
}

}  // namespace hearth::bench

#include "gms/ctl/internal/server_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/strings.h"
#include "gms/protocol/errors.h"
#include "gms/protocol/socket_path.h"

namespace hearth::gms::ctl {
namespace {

Status CheckDevice(std::string_view text) {
  return text.empty() ? InvalidError("wants a number") : Between(0, 1'000'000)(text);
}

// Nobody was there to ask, as opposed to somebody who did not answer as wanted.
constexpr std::string_view kNoServer = "NoServer";

std::string NamesOf(const std::vector<DomainItem>& pools) {
  std::vector<std::string> names;
  names.reserve(pools.size());
  for (const DomainItem& pool : pools) {
    names.push_back(fmt::format("device {} {}", pool.device, pool.domain));
  }
  return Join(names, ", ");
}

std::vector<DomainItem> AllPools(const std::vector<RunningServer>& servers) {
  std::vector<DomainItem> pools;
  for (const RunningServer& server : servers) {
    pools.insert(pools.end(), server.status.domains.begin(), server.status.domains.end());
  }
  return pools;
}

std::string SocketsOf(const std::vector<RunningServer>& servers) {
  std::vector<std::string> sockets;
  sockets.reserve(servers.size());
  for (const RunningServer& server : servers) {
    sockets.push_back(server.socket);
  }
  return Join(sockets, ", ");
}

bool MayNotConnect(const std::string& socket) {
  return ::access(socket.c_str(), W_OK) != 0 && errno == EACCES;
}

}  // namespace

void ServerCommand::AddOwnOptions(OptionTable& table) {
  AddMoreOptions(table);
  AddPoolOptions(table);
  table.Add({.name = "socket-dir",
             .help = "Directory of the server's sockets; TMPDIR or /tmp when not given",
             .target = &directory_,
             .environment = "GMS_SOCKET_DIR",
             .value_name = "file"});
  table.Add({.name = "wait", .help = "How long to wait for a server to start", .target = &wait_});
  table.Add({.name = "timeout",
             .help = "How long an answer may take",
             .target = &timeout_,
             .check = Positive()});
}

void ServerCommand::AddPoolOptions(OptionTable& table) {
  device_ = pools_ == Pools::kOne ? "0" : "";
  domain_ = pools_ == Pools::kOne ? std::string(kWeightsTag) : "";
  table.Add(
      {.name = "device",
       .help = pools_ == Pools::kOne ? "Number of the device" : "Only of the device of this number",
       .target = &device_,
       .value_name = "N",
       .check = CheckDevice});
  table.Add({.name = "domain",
             .help = pools_ == Pools::kOne ? "Which memory of the device" : "Only this memory",
             .target = &domain_,
             .choices = {std::string(kWeightsTag), std::string(kKvCacheTag)}});
}

std::string ServerCommand::HintFor(const Status& failure) const {
  if (failure.reason() == ReasonOf(ErrorCode::kFenced)) {
    return "  a checkpoint is being taken; gmsctl fence status shows it, fence abort ends it\n";
  }
  if (failure.reason() != kNoServer) {
    return "";
  }
  const std::vector<std::string> sockets = AdminSocketsIn(Directory());
  if (std::any_of(sockets.begin(), sockets.end(), MayNotConnect)) {
    return fmt::format(
        "  this user ({}) may not connect; become the server's user, or start it with --allow-uid "
        "or --allow-gid\n",
        ::geteuid());
  }
  return fmt::format(
      "  start one:      gms-server --socket-dir {0}\n"
      "  without a GPU:  gms-server --socket-dir {0} --device-type host\n"
      "  or say where one is, with --socket-dir or GMS_SOCKET_DIR; --wait 30s waits for it\n",
      Directory());
}

std::string ServerCommand::Directory() const {
  return directory_.empty() ? SocketDirectory(ProcessEnvironment()) : directory_;
}

Result<std::vector<RunningServer>> ServerCommand::Connect(const Terminal& terminal) const {
  std::vector<RunningServer> servers;
  for (const std::string& socket : AdminSocketsIn(Directory())) {
    auto admin =
        Admin::Connect(socket, WaitLimit::For(RealClock(), Duration::zero(), terminal.stop));
    if (admin.ok()) {  // else it was left behind, or is another user's
      servers.push_back({.socket = socket, .admin = *std::move(admin)});
    }
  }
  if (!servers.empty()) {
    return servers;
  }
  // Where one will be that starts in a folder without servers.
  const std::string usual = AdminSocketPath(Directory());
  auto admin = Admin::Connect(usual, WaitLimit::For(RealClock(), wait_, terminal.stop));
  if (!admin.ok()) {
    return admin.status().Is(Code::kUnavailable) ? admin.status().WithReason(kNoServer)
                                                 : admin.status();
  }
  servers.push_back({.socket = usual, .admin = *std::move(admin)});
  return servers;
}

Result<std::vector<RunningServer>> ServerCommand::Servers(const Terminal& terminal) const {
  ASSIGN_OR_RETURN(std::vector<RunningServer> servers, Connect(terminal));
  std::vector<DomainItem> all;
  for (RunningServer& server : servers) {
    ASSIGN_OR_RETURN(server.status, server.admin->ReadStatus(AnswerLimit(terminal).deadline));
    all.insert(all.end(), server.status.domains.begin(), server.status.domains.end());
    std::erase_if(server.status.domains, [this](const DomainItem& pool) { return !IsMeant(pool); });
  }
  const std::string sockets = SocketsOf(servers);
  std::erase_if(servers, [](const RunningServer& server) { return server.status.domains.empty(); });
  if (servers.empty()) {
    return NotFoundError(
        fmt::format("the server at {} has no such memory; it has {}", sockets, NamesOf(all)));
  }
  return servers;
}

Status ServerCommand::CheckOnlyOne(const std::vector<RunningServer>& servers) {
  return servers.size() == 1
             ? Status::Ok()
             : InvalidError(fmt::format(
                   "{} servers are meant ({}); choose one with --device and --domain: there are {}",
                   servers.size(), SocketsOf(servers), NamesOf(AllPools(servers))));
}

Status ServerCommand::Refresh(RunningServer& server, const Terminal& terminal) const {
  ASSIGN_OR_RETURN(server.status, server.admin->ReadStatus(AnswerLimit(terminal).deadline));
  std::erase_if(server.status.domains, [this](const DomainItem& pool) { return !IsMeant(pool); });
  return {};
}

Result<std::vector<DomainItem>> ServerCommand::PoolsOf(const Terminal& terminal) const {
  ASSIGN_OR_RETURN(const std::vector<RunningServer> servers, Servers(terminal));
  return AllPools(servers);
}

bool ServerCommand::IsMeant(const DomainItem& pool) const {
  return (device_.empty() || device_ == std::to_string(pool.device)) &&
         (domain_.empty() || domain_ == pool.domain);
}

WaitLimit ServerCommand::AnswerLimit(const Terminal& terminal) const {
  return WaitLimit::For(RealClock(), timeout_, terminal.stop);
}

}  // namespace hearth::gms::ctl

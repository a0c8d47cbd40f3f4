#include "gms/ctl/internal/server_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/strings.h"
#include "gms/protocol/errors.h"
#include "gms/protocol/server_survey.h"
#include "gms/protocol/socket_path.h"

namespace hearth::gms::ctl {
namespace {

Status CheckDevice(std::string_view text) {
  return text.empty() ? InvalidError("wants a number") : Between(0, 1'000'000)(text);
}

// Nobody was there to ask, as opposed to somebody who did not answer as wanted.
constexpr std::string_view kNoServer = "NoServer";
// How often it is looked whether a server has started.
constexpr Duration kLook = std::chrono::milliseconds(10);

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
  table.Add({.name = "server",
             .help = "Only the server with this socket for its administration, where a folder has "
                     "several: its name or path, as status shows it",
             .target = &server_,
             .value_name = "file"});
  table.Add({.name = "wait", .help = "How long to wait for a server to start", .target = &wait_});
  table.Add({.name = "timeout",
             .help = "How long an answer may take, of all servers together",
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

// Those of all servers, or the one that was chosen.
std::vector<std::string> ServerCommand::Sockets() const {
  if (server_.empty()) {
    return AdminSocketsIn(Directory());
  }
  const bool is_path = server_.find('/') != std::string::npos;
  return {is_path ? server_ : fmt::format("{}/{}", Directory(), server_)};
}

// Those that answer; the others are in silent_.
Result<std::vector<RunningServer>> ServerCommand::Survey(const Terminal& terminal) {
  std::vector<RunningServer> servers;
  silent_.clear();
  for (SurveyedServer& server : SurveyServers(Sockets(), AnswerLimit(terminal))) {
    if (server.answer.ok()) {
      servers.push_back({.socket = server.admin, .status = *std::move(server.answer)});
    } else if (!server.left_behind()) {
      silent_.push_back({server.admin, server.answer.status()});
    }
  }
  if (!servers.empty()) {
    std::erase_if(silent_, [](const SilentServer& each) { return MayNotConnect(each.socket); });
  }
  return terminal.stop.stop_requested()
             ? Result<std::vector<RunningServer>>(CancelledError("stopped"))
             : std::move(servers);
}

Result<std::vector<RunningServer>> ServerCommand::AskAll(const Terminal& terminal) {
  const WaitLimit limit = WaitLimit::For(RealClock(), wait_, terminal.stop);
  for (;;) {
    const bool over = limit.Expired(RealClock());
    ASSIGN_OR_RETURN(std::vector<RunningServer> servers, Survey(terminal));
    if (!servers.empty()) {
      return servers;
    }
    if (over && !silent_.empty()) {
      std::vector<std::string> why;
      for (const SilentServer& server : silent_) {
        why.emplace_back(server.why.message());
      }
      const bool not_ours =
          std::any_of(silent_.begin(), silent_.end(),
                      [](const SilentServer& server) { return MayNotConnect(server.socket); });
      const Status status = UnavailableError(Join(why, "; "));
      return not_ours ? status.WithReason(kNoServer) : status;
    }
    if (over) {
      // Says what is wrong with the place where the first one of a folder is.
      const std::string usual = server_.empty() ? AdminSocketPath(Directory()) : Sockets().front();
      const auto admin =
          Admin::Connect(usual, WaitLimit::For(RealClock(), Duration::zero(), terminal.stop));
      return admin.ok() ? UnavailableError(fmt::format("{} has just come; try again", usual))
                        : admin.status().WithReason(kNoServer);
    }
    SleepFor(RealClock(), std::min(kLook, limit.Remaining(RealClock())), terminal.stop);
  }
}

Result<std::vector<RunningServer>> ServerCommand::Servers(const Terminal& terminal) {
  ASSIGN_OR_RETURN(std::vector<RunningServer> servers, AskAll(terminal));
  std::string silent;
  for (const SilentServer& server : silent_) {
    silent += fmt::format("; no answer: {}", server.why.message());
  }
  const std::string sockets = SocketsOf(servers);
  const std::string all = NamesOf(AllPools(servers));
  for (RunningServer& server : servers) {
    std::erase_if(server.status.domains, [this](const DomainItem& pool) { return !IsMeant(pool); });
  }
  std::erase_if(servers, [](const RunningServer& server) { return server.status.domains.empty(); });
  if (servers.empty()) {
    return NotFoundError(
        fmt::format("the server at {} has no such memory; it has {}{}", sockets, all, silent));
  }
  return servers;
}

int ServerCommand::TellSilent(Terminal& terminal) const {
  for (const SilentServer& server : silent_) {
    terminal.err << fmt::format("gmsctl {}: no answer: {}\n", name(), server.why.message());
  }
  return silent_.empty() ? kExitOk : kExitFailed;
}

Status ServerCommand::CheckOnlyOne(const std::vector<RunningServer>& servers) {
  return servers.size() == 1 ? Status::Ok()
                             : InvalidError(fmt::format(
                                   "{} servers are meant ({}); choose one with --device and "
                                   "--domain, or with --server: there are {}",
                                   servers.size(), SocketsOf(servers), NamesOf(AllPools(servers))));
}

Result<RunningServer> ServerCommand::OnlyServer(Terminal& terminal) {
  ASSIGN_OR_RETURN(std::vector<RunningServer> servers, Servers(terminal));
  RETURN_IF_ERROR(CheckOnlyOne(servers));
  TellSilent(terminal);
  return std::move(servers.front());
}

Result<std::vector<DomainItem>> ServerCommand::PoolsOf(const Terminal& terminal) {
  ASSIGN_OR_RETURN(const std::vector<RunningServer> servers, Servers(terminal));
  return AllPools(servers);
}

Result<DomainItem> ServerCommand::OnlyPool(Terminal& terminal) {
  ASSIGN_OR_RETURN(RunningServer server, OnlyServer(terminal));
  return std::move(server.status.domains.front());
}

Result<std::unique_ptr<Admin>> ServerCommand::Open(const RunningServer& server,
                                                   const Terminal& terminal) const {
  return Admin::Connect(server.socket, AnswerLimit(terminal));
}

bool ServerCommand::IsMeant(const DomainItem& pool) const {
  return (device_.empty() || device_ == std::to_string(pool.device)) &&
         (domain_.empty() || domain_ == pool.domain);
}

WaitLimit ServerCommand::AnswerLimit(const Terminal& terminal) const {
  return WaitLimit::For(RealClock(), timeout_, terminal.stop);
}

}  // namespace hearth::gms::ctl

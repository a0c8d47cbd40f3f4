#include "gms/ctl/internal/server_command.h"

#include <fmt/format.h>
#include <unistd.h>

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

std::string NamesOf(const StatusResponse& status) {
  std::vector<std::string> names;
  for (const DomainItem& pool : status.domains) {
    names.push_back(fmt::format("device {} {}", pool.device, pool.domain));
  }
  return Join(names, ", ");
}

}  // namespace

void ServerCommand::AddOwnOptions(OptionTable& table) {
  AddMoreOptions(table);
  if (pools_ != Pools::kNone) {
    AddPoolOptions(table);
  }
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
  const std::string socket = AdminSocket();
  if (::access(socket.c_str(), W_OK) != 0 && errno == EACCES) {
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

std::string ServerCommand::AdminSocket() const { return AdminSocketPath(Directory()); }

Result<std::unique_ptr<Admin>> ServerCommand::Connect(const Terminal& terminal) const {
  auto admin = Admin::Connect(AdminSocket(), WaitLimit::For(RealClock(), wait_, terminal.stop));
  if (!admin.ok() && admin.status().Is(Code::kUnavailable)) {
    return admin.status().WithReason(kNoServer);
  }
  return admin;
}

WaitLimit ServerCommand::AnswerLimit(const Terminal& terminal) const {
  return WaitLimit::For(RealClock(), timeout_, terminal.stop);
}

Result<StatusResponse> ServerCommand::ReadStatus(const Terminal& terminal) const {
  ASSIGN_OR_RETURN(const auto admin, Connect(terminal));
  return admin->ReadStatus(AnswerLimit(terminal).deadline);
}

Result<std::vector<DomainItem>> ServerCommand::PoolsOf(const StatusResponse& status) const {
  std::vector<DomainItem> pools;
  for (const DomainItem& pool : status.domains) {
    if ((device_.empty() || device_ == std::to_string(pool.device)) &&
        (domain_.empty() || domain_ == pool.domain)) {
      pools.push_back(pool);
    }
  }
  if (pools.empty()) {
    return NotFoundError(fmt::format("the server at {} has no such memory; it has {}",
                                     AdminSocket(), NamesOf(status)));
  }
  return pools;
}

}  // namespace hearth::gms::ctl

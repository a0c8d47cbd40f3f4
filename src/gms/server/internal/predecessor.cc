#include "gms/server/internal/predecessor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "gms/protocol/server_survey.h"
#include "gms/protocol/socket_path.h"
#include "gms/server/internal/admin_socket.h"
#include "gms/server/internal/domain_service.h"
#include "gms/server/internal/number_link.h"
#include "gms/server/internal/who_listens.h"

namespace hearth::gms::server {
namespace {

// Of all servers together; some may hang, and are perhaps not even the one that is looked for.
constexpr Duration kAnswerTime = std::chrono::seconds(2);
// How often it is looked whether a server has come.
constexpr Duration kLook = std::chrono::milliseconds(20);

std::string FileNameOf(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

// What it serves, by file names.
std::vector<std::string> ServedBy(const StatusResponse& status) {
  std::vector<std::string> names;
  for (const DomainItem& domain : status.domains) {
    names.push_back(FileNameOf(domain.socket));
  }
  return names;
}

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// All of it goes when it goes.
Status CheckNothingIsLost(const StatusResponse& status, const ServerState& state) {
  for (const DomainItem& domain : status.domains) {
    const bool same_device = std::any_of(
        state.devices.begin(), state.devices.end(),
        [&](const auto& device) { return device->device().facts().uuid == domain.gpu_uuid; });
    if (!same_device || !OwnDomains(state).contains(FileNameOf(domain.socket))) {
      return InvalidError(
          fmt::format("the other server has {} of {}, which this one does not serve: give this one "
                      "all that the other has (--device, --tag), or end the other",
                      domain.domain, domain.gpu_uuid));
    }
  }
  return Status::Ok();
}

std::string NameOf(const std::optional<Peer>& process) {
  return process ? fmt::format("process {} of user {}", process->pid, process->uid)
                 : "somebody who cannot be asked";
}

// Its number is 0 where we do not see it; one that is too busy to say who it is may be it.
bool IsThe(const Peer& process, const Listener& listener) {
  if (!listener.process) {
    return listener.certain;
  }
  const Peer& other = *listener.process;
  return other.uid == process.uid &&
         (other.pid == process.pid || other.pid == 0 || process.pid == 0);
}

// Whoever may write to the folder could say that they are it, and give us memory of theirs.
Status CheckUser(const SurveyedServer& server, const Peer& process) {
  if (process.uid == ::geteuid() || process.uid == 0) {
    return Status::Ok();
  }
  return Status(Code::kPermissionDenied,
                fmt::format("{} is a server of user {}, and this one runs as user {}: start this "
                            "one as user {}, or end the other",
                            server.admin, process.uid, ::geteuid(), process.uid));
}

// Whoever listens at our sockets must be whoever is asked to go.
Status CheckSockets(const ServerState& state, const StatusResponse& status, const Peer& process) {
  const std::vector<std::string> served = ServedBy(status);
  for (const auto& [name, path] : OwnDomains(state)) {
    const auto listener = WhoListens(path);
    const bool says_so = Contains(served, name);
    if (!listener && says_so) {
      return ConflictError(fmt::format(
          "process {} says that it serves {}, and nobody listens at {}: it is not the predecessor",
          process.pid, name, path));
    }
    if (!listener) {
      continue;
    }
    if (!says_so || !IsThe(process, *listener)) {
      return ConflictError(
          fmt::format("GMS already running at {}: that is {}, not the predecessor, {}", path,
                      NameOf(listener->process), NameOf(process)));
    }
  }
  return Status::Ok();
}

Status CheckNumbers(const ServerState& state, const StatusResponse& status) {
  if (!state.options.ordinal_links || !state.options.socket_path.empty()) {
    return Status::Ok();
  }
  const std::vector<std::string> served = ServedBy(status);
  for (const auto& device : state.devices) {
    const DeviceFacts& facts = device->device().facts();
    for (const std::string& tag : state.options.tags) {
      const std::string link = OrdinalSocketPath(state.options.directory, facts.ordinal, tag);
      std::error_code error;
      const std::string leads_to = std::filesystem::read_symlink(link, error).string();
      if (!Contains(served, leads_to)) {  // else it goes with the predecessor
        RETURN_IF_ERROR(CheckNumberIsFree(link, DomainPath(state.options, facts, tag)));
      }
    }
  }
  return Status::Ok();
}

Result<Predecessor> Recognise(const ServerState& state, SurveyedServer server) {
  ASSIGN_OR_RETURN(const Peer process, PeerOf(server.channel->fd()));
  RETURN_IF_ERROR(CheckUser(server, process));
  RETURN_IF_ERROR(CheckNothingIsLost(*server.answer, state).WithContext(server.admin));
  RETURN_IF_ERROR(CheckSockets(state, *server.answer, process));
  RETURN_IF_ERROR(CheckNumbers(state, *server.answer));
  return Predecessor{server.admin, process, ServedBy(*server.answer),
                     process.pid == server.answer->pid, *std::move(server.channel)};
}

struct Look {
  std::vector<SurveyedServer> ours;
  size_t others = 0;  // that have answered
  std::vector<std::string> troubles;
};

Look LookAround(const ServerState& state, const WaitLimit& limit) {
  const auto own = OwnDomains(state);
  Look look;
  for (SurveyedServer& server :
       SurveyServers(AdminSocketsToAsk(state.options), limit.AtMost(RealClock(), kAnswerTime))) {
    if (!server.answer.ok()) {
      if (!server.left_behind()) {
        look.troubles.emplace_back(server.answer.status().message());
      }
      continue;
    }
    const std::vector<std::string> served = ServedBy(*server.answer);
    const bool ours = std::any_of(served.begin(), served.end(),
                                  [&](const std::string& name) { return own.contains(name); });
    if (ours) {
      look.ours.push_back(std::move(server));
    }
    look.others += ours ? 0 : 1;
  }
  return look;
}

std::string Beside(const std::vector<std::string>& troubles) {
  return troubles.empty() ? "" : fmt::format(" ({})", Join(troubles, "; "));
}

// Why there is no predecessor; ok: one may yet come.
Status NotThere(const ServerState& state, const Look& look, bool over) {
  const auto taken = SomebodyAtOurSockets(state);
  if (taken && over) {
    return ConflictError(
        fmt::format("GMS already running at {}, and no administration in {} says that it is its{}",
                    *taken, state.options.directory, Beside(look.troubles)));
  }
  if (!taken && look.others > 0) {
    std::vector<std::string> names;
    for (const auto& [name, path] : OwnDomains(state)) {
      names.push_back(name);
    }
    return NotFoundError(fmt::format("no server in {} has {}; there is nothing to take over{}",
                                     state.options.directory, Join(names, ", "),
                                     Beside(look.troubles)));
  }
  return over ? UnavailableError(fmt::format("no server answers in {}; is gms-server running?{}",
                                             state.options.directory, Beside(look.troubles)))
              : Status::Ok();
}

}  // namespace

std::optional<std::string> SomebodyAtOurSockets(const ServerState& state) {
  for (const auto& [name, path] : OwnDomains(state)) {
    if (WhoListens(path)) {
      return path;
    }
  }
  return std::nullopt;
}

Result<Predecessor> FindPredecessor(const ServerState& state, const WaitLimit& limit) {
  for (;;) {
    if (limit.stop.stop_requested()) {
      return CancelledError("stopped while it waited for a predecessor");
    }
    const bool over = limit.Expired(RealClock());
    Look look = LookAround(state, limit);
    if (look.ours.size() > 1) {
      std::vector<std::string> admins;
      for (const SurveyedServer& server : look.ours) {
        admins.push_back(server.admin);
      }
      return ConflictError(
          fmt::format("{} servers have what this one would serve ({}); take over from each with "
                      "its own --device and --tag",
                      admins.size(), Join(admins, ", ")));
    }
    if (!look.ours.empty()) {
      return Recognise(state, std::move(look.ours.front()));
    }
    RETURN_IF_ERROR(NotThere(state, look, over));
    SleepFor(RealClock(), std::min(kLook, limit.Remaining(RealClock())), limit.stop);
  }
}

}  // namespace hearth::gms::server

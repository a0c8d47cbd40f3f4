#include "gms/server/internal/admin_socket.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "gms/protocol/message_channel.h"
#include "gms/protocol/socket_path.h"
#include "gms/server/internal/domain_service.h"

namespace hearth::gms::server {
namespace {

constexpr mode_t kOwnerOnly = 0600;
// Of a server that may hang, and is perhaps not even the one we look for.
constexpr Duration kAnswerTime = std::chrono::seconds(5);

std::string FolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string FileNameOf(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::string WithoutEnding(std::string name) {
  constexpr std::string_view kEnding = ".sock";
  if (name.ends_with(kEnding)) {
    name.resize(name.size() - kEnding.size());
  }
  return name;
}

// In the order in which they are tried.
std::vector<std::string> NamesFor(const ServerState& state) {
  const ServerOptions& options = state.options;
  if (!options.admin_path.empty()) {
    return {options.admin_path};
  }
  std::vector<std::string> names = {AdminSocketPath(options.directory)};
  if (!options.socket_path.empty()) {
    names.push_back(AdminSocketPath(FolderOf(options.socket_path),
                                    WithoutEnding(FileNameOf(options.socket_path))));
    return names;
  }
  const DeviceFacts& device = state.devices.front()->device().facts();
  const std::string tag = options.tags.size() == 1 ? "_" + options.tags.front() : "";
  names.push_back(AdminSocketPath(options.directory, std::to_string(device.ordinal) + tag));
  // In another container another device may have the same number.
  names.push_back(AdminSocketPath(options.directory, device.uuid + tag));
  return names;
}

// File names, as the folder may have another path where the other server runs.
std::set<std::string> OwnDomains(const ServerState& state) {
  std::set<std::string> names;
  for (const auto& device : state.devices) {
    for (const std::string& tag : state.options.tags) {
      names.insert(FileNameOf(DomainPath(state.options, device->device().facts(), tag)));
    }
  }
  return names;
}

Result<StatusResponse> Ask(const std::string& admin, const WaitLimit& limit) {
  ASSIGN_OR_RETURN(MessageChannel channel,
                   MessageChannel::Connect(admin, limit.AtMost(RealClock(), Duration::zero())));
  return channel.Call<StatusResponse>(StatusRequest{}, limit.AtMost(RealClock(), kAnswerTime));
}

std::vector<std::string> PlacesToLook(const ServerOptions& options) {
  if (!options.admin_path.empty()) {
    return {options.admin_path};
  }
  std::vector<std::string> places = AdminSocketsIn(options.directory);
  std::error_code error;
  if (!options.socket_path.empty() &&
      !std::filesystem::equivalent(FolderOf(options.socket_path), options.directory, error)) {
    const auto beside = AdminSocketsIn(FolderOf(options.socket_path));
    places.insert(places.end(), beside.begin(), beside.end());
  }
  return places;
}

}  // namespace

std::string DomainPath(const ServerOptions& options, const DeviceFacts& device,
                       const std::string& tag) {
  return options.socket_path.empty() ? DomainSocketPath(options.directory, device.uuid, tag)
                                     : options.socket_path;
}

Result<ListeningSocket> BindAdminSocket(const ServerState& state) {
  Status taken;
  for (const std::string& name : NamesFor(state)) {
    auto socket = ListeningSocket::Bind(name, kOwnerOnly);
    if (!socket.status().Is(Code::kConflict)) {
      return socket;
    }
    taken = socket.status();
  }
  return taken;
}

Result<std::string> FindPredecessor(const ServerState& state, const WaitLimit& limit) {
  const std::set<std::string> own = OwnDomains(state);
  std::vector<std::string> found;
  bool others = false;
  for (const std::string& admin : PlacesToLook(state.options)) {
    const auto status = Ask(admin, limit);
    if (!status.ok()) {
      continue;  // left behind by one that is gone, or another user's
    }
    const bool ours = std::any_of(
        status->domains.begin(), status->domains.end(),
        [&](const DomainItem& domain) { return own.contains(FileNameOf(domain.socket)); });
    if (ours) {
      found.push_back(admin);
    }
    others = others || !ours;
  }
  if (found.size() > 1) {
    return ConflictError(fmt::format(
        "{} servers have what this one would serve ({}); take over from each with its own --device "
        "and --tag",
        found.size(), Join(found, ", ")));
  }
  if (found.empty() && others) {
    return NotFoundError(fmt::format("no server in {} has {}; there is nothing to take over",
                                     state.options.directory,
                                     Join({own.begin(), own.end()}, ", ")));
  }
  return found.empty() ? NamesFor(state).front() : found.front();
}

}  // namespace hearth::gms::server

#include "gms/server/internal/admin_socket.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "gms/protocol/socket_path.h"
#include "gms/server/internal/domain_service.h"

namespace hearth::gms::server {
namespace {

constexpr mode_t kOwnerOnly = 0600;

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

Status NoNameLeft(const std::vector<std::string>& why) {
  return ConflictError(
      fmt::format("all names for the administration are taken: {}", Join(why, "; ")));
}

// What we left behind under another name when we were killed would look like a dead server. The
// usual name may be anybody's.
void RemoveLeftBehind(const std::vector<std::string>& names, const std::string& ours,
                      FolderLocks& locks) {
  for (const std::string& name : names) {
    if (name != ours && name != names.front()) {
      ListeningSocket::RemoveLeftBehind(name, locks);
    }
  }
}

}  // namespace

std::string DomainPath(const ServerOptions& options, const DeviceFacts& device,
                       const std::string& tag) {
  return options.socket_path.empty() ? DomainSocketPath(options.directory, device.uuid, tag)
                                     : options.socket_path;
}

std::map<std::string, std::string> OwnDomains(const ServerState& state) {
  std::map<std::string, std::string> domains;
  for (const auto& device : state.devices) {
    for (const std::string& tag : state.options.tags) {
      const std::string path = DomainPath(state.options, device->device().facts(), tag);
      domains.emplace(FileNameOf(path), path);
    }
  }
  return domains;
}

Result<ListeningSocket> BindAdminSocket(const ServerState& state, FolderLocks& locks) {
  const std::vector<std::string> names = NamesFor(state);
  std::vector<std::string> why;
  for (const std::string& name : names) {
    auto socket = ListeningSocket::Bind(name, kOwnerOnly, locks);
    if (socket.ok()) {
      RemoveLeftBehind(names, name, locks);
      return socket;
    }
    if (names.size() == 1) {
      return socket;
    }
    why.emplace_back(socket.status().message());
  }
  return NoNameLeft(why);
}

Status CheckAdminSocket(const ServerState& state, const std::string& leaves) {
  std::vector<std::string> why;
  for (const std::string& name : NamesFor(state)) {
    Status free =
        name == leaves ? ListeningSocket::CheckIsSocket(name) : ListeningSocket::CheckPath(name);
    if (free.ok()) {
      return free;
    }
    why.emplace_back(free.message());
  }
  return NoNameLeft(why);
}

std::vector<std::string> AdminSocketsToAsk(const ServerOptions& options) {
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

}  // namespace hearth::gms::server

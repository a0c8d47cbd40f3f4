#include "gms/server/internal/room_to_serve.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "gms/protocol/socket_path.h"
#include "gms/server/internal/admin_socket.h"
#include "gms/server/internal/listening_socket.h"

namespace hearth::gms::server {
namespace {

std::string FolderOf(const std::string& path) {
  return std::filesystem::path(path).parent_path().string();
}

// Shorter than any name that a server gives itself.
Status TryFolder(const std::string& folder) {
  const std::string trial = (folder.empty() ? "" : folder + "/") + ".~" + NewUuid().substr(0, 8);
  if (!CheckSocketPath(trial).ok()) {
    return Status::Ok();  // and yet a path that was given may be short enough
  }
  return ToStatus(ListeningSocket::Bind(trial, 0600));
}

}  // namespace

Status CheckRoomToServe(const ServerState& state, const Predecessor& predecessor) {
  const auto& leaves = predecessor.serves;
  std::set<std::string> folders;
  for (const auto& [name, path] : OwnDomains(state)) {
    const bool goes = std::find(leaves.begin(), leaves.end(), name) != leaves.end();
    RETURN_IF_ERROR(goes ? ListeningSocket::CheckIsSocket(path) : ListeningSocket::CheckPath(path));
    folders.insert(FolderOf(path));
  }
  RETURN_IF_ERROR(CheckAdminSocket(state, predecessor.admin));
  for (const std::string& folder : folders) {
    RETURN_IF_ERROR(TryFolder(folder));
  }
  return Status::Ok();
}

}  // namespace hearth::gms::server

#include "gms/server/internal/listening_socket.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "gms/protocol/socket_path.h"
#include "gms/server/internal/who_listens.h"

namespace hearth::gms::server {
namespace {

constexpr int kBacklog = 512;

sockaddr_un AddressOf(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

Result<UniqueFd> MakeSocket() {
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) {
    return Status::FromErrno(errno, "socket");
  }
  return socket;
}

Status Refuse(const std::string& path, std::string_view why) {
  return Status(Code::kPermissionDenied,
                fmt::format("{} {}; remove it or choose another directory", path, why));
}

Status AlreadyRunning(const std::string& path) {
  return ConflictError(fmt::format("GMS already running at {}", path));
}

// Nothing when there is nothing.
Result<std::optional<struct stat>> Look(const std::string& path) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) == 0) {
    return std::optional(there);
  }
  if (errno == ENOENT) {
    return std::optional<struct stat>();
  }
  return Status::FromErrno(errno, path);
}

Status CheckKind(const std::string& path, mode_t mode) {
  if (S_ISLNK(mode)) {
    return Refuse(path, "is a symbolic link");
  }
  return S_ISSOCK(mode) ? Status::Ok() : Refuse(path, "is not a socket");
}

// Makes room at the path, or says why there is none.
Status ClearPath(const std::string& path) {
  RETURN_IF_ERROR(ListeningSocket::CheckPath(path));
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
    return Status::FromErrno(errno, path);
  }
  return Status::Ok();
}

}  // namespace

Status ListeningSocket::CheckPath(const std::string& path) {
  RETURN_IF_ERROR(CheckSocketPath(path));
  ASSIGN_OR_RETURN(const auto there, Look(path));
  if (!there) {
    return Status::Ok();
  }
  if (there->st_uid != ::geteuid()) {
    return Refuse(path, fmt::format("belongs to user {}, not to {}", there->st_uid, ::geteuid()));
  }
  RETURN_IF_ERROR(CheckKind(path, there->st_mode));
  return WhoListens(path) ? AlreadyRunning(path) : Status::Ok();
}

Status ListeningSocket::CheckIsSocket(const std::string& path) {
  RETURN_IF_ERROR(CheckSocketPath(path));
  ASSIGN_OR_RETURN(const auto there, Look(path));
  return there ? CheckKind(path, there->st_mode) : Status::Ok();
}

Result<ListeningSocket> ListeningSocket::Bind(const std::string& path, mode_t mode) {
  FolderLocks locks;
  return Bind(path, mode, locks);
}

Result<ListeningSocket> ListeningSocket::Bind(const std::string& path, mode_t mode,
                                              FolderLocks& locks) {
  RETURN_IF_ERROR(CheckSocketPath(path));
  locks.Hold(path);
  RETURN_IF_ERROR(ClearPath(path));
  ASSIGN_OR_RETURN(UniqueFd socket, MakeSocket());
  const sockaddr_un address = AddressOf(path);
  const mode_t old = ::umask(static_cast<mode_t>(~mode & 0777));
  const int bound =
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  const int error = errno;
  ::umask(old);
  if (bound != 0 && error == EADDRINUSE) {
    return AlreadyRunning(path);
  }
  if (bound != 0) {
    return Status::FromErrno(error, fmt::format("cannot make socket {}", path));
  }
  struct stat made {};
  if (::lstat(path.c_str(), &made) != 0 || ::listen(socket.get(), kBacklog) != 0) {
    return Status::FromErrno(errno, fmt::format("cannot listen at {}", path));
  }
  return ListeningSocket(std::move(socket), path, made.st_dev, made.st_ino);
}

void ListeningSocket::RemoveLeftBehind(const std::string& path, FolderLocks& locks) {
  locks.Hold(path);
  (void)ClearPath(path);
}

ListeningSocket::ListeningSocket(ListeningSocket&& other) noexcept
    : socket_(std::move(other.socket_)),
      path_(std::exchange(other.path_, "")),
      device_(other.device_),
      inode_(other.inode_) {}

void ListeningSocket::Remove() {
  struct stat there {};
  if (!path_.empty() && ::lstat(path_.c_str(), &there) == 0 && there.st_dev == device_ &&
      there.st_ino == inode_) {
    ::unlink(path_.c_str());
  }
  path_.clear();
  socket_.reset();
}

}  // namespace hearth::gms::server

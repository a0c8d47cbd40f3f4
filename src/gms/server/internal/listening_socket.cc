#include "gms/server/internal/listening_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/clock.h"
#include "gms/protocol/socket_path.h"

namespace hearth::gms::server {
namespace {

constexpr int kBacklog = 512;
constexpr Duration kLook = std::chrono::milliseconds(5);
constexpr int kLooks = 200;

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

bool SomebodyAnswers(const std::string& path) {
  auto probe = MakeSocket();
  if (!probe.ok()) {
    return false;
  }
  const sockaddr_un address = AddressOf(path);
  const bool connected =
      ::connect(probe->get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  return connected || errno == EAGAIN;  // EAGAIN: so busy that its queue is full
}

Status Refuse(const std::string& path, std::string_view why) {
  return Status(Code::kPermissionDenied,
                fmt::format("{} {}; remove it or choose another directory", path, why));
}

Status AlreadyRunning(const std::string& path) {
  return ConflictError(fmt::format("GMS already running at {}", path));
}

// Of servers that start at the same moment one would take the socket that another has bound and
// does not listen to yet for a dead one's. Somebody who keeps the lock must not keep us from
// starting, so it is not waited for long.
UniqueFd LockFolderOf(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  UniqueFd folder(
      ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int i = 0; folder.valid() && i < kLooks; ++i) {
    if (::flock(folder.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
      break;
    }
    SleepFor(RealClock(), kLook, {});
  }
  return folder;
}

// Makes room at the path, or says why there is none.
Status ClearPath(const std::string& path) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) != 0) {
    return errno == ENOENT ? Status::Ok() : Status::FromErrno(errno, path);
  }
  if (there.st_uid != ::geteuid()) {
    return Refuse(path, fmt::format("belongs to user {}, not to {}", there.st_uid, ::geteuid()));
  }
  if (S_ISLNK(there.st_mode)) {
    return Refuse(path, "is a symbolic link");
  }
  if (!S_ISSOCK(there.st_mode)) {
    return Refuse(path, "is not a socket");
  }
  if (SomebodyAnswers(path)) {
    return AlreadyRunning(path);
  }
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
    return Status::FromErrno(errno, path);
  }
  return Status::Ok();
}

}  // namespace

Result<ListeningSocket> ListeningSocket::Bind(const std::string& path, mode_t mode) {
  RETURN_IF_ERROR(CheckSocketPath(path));
  const UniqueFd lock = LockFolderOf(path);
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

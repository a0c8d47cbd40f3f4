#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "gms/server/internal/folder_lock.h"

namespace hearth::gms::server {

// A Unix socket at a path, taken away again when it goes (unless somebody else has put something
// there meanwhile). Made with its final mode: there is no moment in which others may connect.
class ListeningSocket {
 public:
  // kConflict "GMS already running at ..." when somebody answers there; a socket that nobody
  // answers is removed first. kPermissionDenied for a symbolic link, something that is no socket,
  // or a path that belongs to another user; kInvalid for a path that is too long.
  static Result<ListeningSocket> Bind(const std::string& path, mode_t mode, FolderLocks& locks);
  // The same alone.
  static Result<ListeningSocket> Bind(const std::string& path, mode_t mode);
  // Whether Bind would find room at the path, which is left as it is; errors as those of Bind.
  static Status CheckPath(const std::string& path);
  // Whether there is a socket or nothing, whoever has it; kPermissionDenied for anything else.
  static Status CheckIsSocket(const std::string& path);
  // Removes a socket of ours that nobody answers; leaves everything else.
  static void RemoveLeftBehind(const std::string& path, FolderLocks& locks);
  ListeningSocket(ListeningSocket&& other) noexcept;
  ListeningSocket& operator=(ListeningSocket&&) = delete;
  ~ListeningSocket() { Remove(); }

  void Remove();
  int fd() const { return socket_.get(); }
  const std::string& path() const { return path_; }

 private:
  ListeningSocket(UniqueFd socket, std::string path, dev_t device, ino_t inode)
      : socket_(std::move(socket)), path_(std::move(path)), device_(device), inode_(inode) {}

  UniqueFd socket_;
  std::string path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace hearth::gms::server

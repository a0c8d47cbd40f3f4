#include "snapshot/artifact/folder_digester.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <set>
#include <thread>

#include "disk/confined_file.h"
#include "snapshot/artifact/file_digester.h"

namespace hearth::snapshot {
namespace {

Result<std::set<std::string>> NamesIn(int directory) {
  // A descriptor of its own: reading one moves it.
  UniqueFd fd(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  DIR* const stream = fd.valid() ? ::fdopendir(fd.get()) : nullptr;
  if (stream == nullptr) {
    return Status::FromErrno(errno, "list the staged artifact");
  }
  static_cast<void>(fd.release());  // the stream's now
  std::set<std::string> names;
  while (const dirent* const entry = ::readdir(stream)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") {
      names.emplace(name);
    }
  }
  ::closedir(stream);
  return names;
}

class Follower : public FolderDigester {
 public:
  Follower(UniqueFd directory, UniqueFd watch, UniqueFd stop, std::string followed)
      : directory_(std::move(directory)),
        watch_(std::move(watch)),
        stop_(std::move(stop)),
        followed_(std::move(followed)) {
    if (!followed_.empty()) {
      thread_ = std::jthread([this] { Follow(); });
    }
  }
  ~Follower() override { Halt(); }

  Result<DigestedFolder> Finish(std::vector<DigestedFile> known) override {
    Halt();
    ASSIGN_OR_RETURN(std::set<std::string> names, NamesIn(directory_.get()));
    DigestedFolder done;
    for (DigestedFile& each : known) {
      RETURN_IF_ERROR(CheckFileName(each.file.name));
      names.erase(each.file.name);
      done.stored_bytes += each.stored_bytes;
      done.contents.files.push_back(std::move(each.file));
    }
    for (const std::string& name : names) {
      RETURN_IF_ERROR(CheckFileName(name));
      ASSIGN_OR_RETURN(FileDigester* const file, FileOf(name));
      RETURN_IF_ERROR(file->Complete(buffer_));
    }
    // All are on their way before the first is waited for.
    for (auto& [name, file] : files_) {
      if (!names.contains(name)) {
        continue;  // was only for the time being
      }
      RETURN_IF_ERROR(file.Sync());
      ASSIGN_OR_RETURN(const uint64_t stored, file.StoredBytes());
      done.stored_bytes += stored;
      done.contents.files.push_back(file.Take());
    }
    std::sort(done.contents.files.begin(), done.contents.files.end(),
              [](const StoredFile& a, const StoredFile& b) { return a.name < b.name; });
    return done;
  }

 private:
  void Halt() {
    const uint64_t one = 1;
    static_cast<void>(::write(stop_.get(), &one, sizeof(one)));
    if (thread_.joinable()) {
      thread_.join();
    }
  }

  void Follow() {
    std::array<pollfd, 2> both{
        {{.fd = watch_.get(), .events = POLLIN}, {.fd = stop_.get(), .events = POLLIN}}};
    while (::poll(both.data(), both.size(), -1) >= 0 || errno == EINTR) {
      if (both[1].revents != 0) {
        return;
      }
      for (const std::string& name : Changed()) {
        Look(name);
      }
    }
  }

  // The kernel tells of each write; those of one file in a row it tells once.
  std::set<std::string> Changed() {
    alignas(inotify_event) std::array<char, 16384> bytes;
    const ssize_t count = ::read(watch_.get(), bytes.data(), bytes.size());
    std::set<std::string> names;
    for (ssize_t at = 0; at < count;) {
      const auto* const event = reinterpret_cast<const inotify_event*>(bytes.data() + at);
      if (event->len > 0) {
        names.emplace(event->name);
      }
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
    }
    return names;
  }

  // What goes wrong here goes wrong again in Finish, which tells.
  void Look(const std::string& name) {
    if (name.starts_with(followed_) && CheckFileName(name).ok()) {
      if (const auto file = FileOf(name); file.ok()) {
        static_cast<void>((*file)->Advance(buffer_));
      }
    }
  }

  Result<FileDigester*> FileOf(const std::string& name) {
    if (const auto known = files_.find(name); known != files_.end()) {
      return &known->second;
    }
    ASSIGN_OR_RETURN(UniqueFd fd, disk::OpenFileBelow(directory_.get(), name, O_RDWR));
    if (::fchmod(fd.get(), 0600) != 0) {
      return Status::FromErrno(errno, "permissions of " + name);
    }
    return &files_.try_emplace(name, std::move(fd), name, kDefaultChunkBytes).first->second;
  }

  UniqueFd directory_;
  UniqueFd watch_;
  UniqueFd stop_;
  std::string followed_;
  std::map<std::string, FileDigester> files_;  // the thread's, and after it Finish's
  std::vector<char> buffer_;
  std::jthread thread_;
};

}  // namespace

Result<std::unique_ptr<FolderDigester>> FolderDigester::Begin(int directory, std::string followed) {
  UniqueFd own(::fcntl(directory, F_DUPFD_CLOEXEC, 3));
  UniqueFd watch(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  UniqueFd stop(::eventfd(0, EFD_CLOEXEC));
  if (!own.valid() || !watch.valid() || !stop.valid()) {
    return Status::FromErrno(errno, "follow the staged artifact");
  }
  const std::string path = fmt::format("/proc/self/fd/{}", own.get());
  if (::inotify_add_watch(watch.get(), path.c_str(), IN_MODIFY | IN_CLOSE_WRITE) < 0) {
    return Status::FromErrno(errno, "watch the staged artifact");
  }
  return std::unique_ptr<FolderDigester>(std::make_unique<Follower>(
      std::move(own), std::move(watch), std::move(stop), std::move(followed)));
}

}  // namespace hearth::snapshot

#include "agent/files/internal/upper_saver.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <iterator>
#include <optional>
#include <thread>

#include "agent/files/internal/beneath.h"
#include "agent/files/internal/file_body.h"
#include "agent/files/internal/overlay_marks.h"
#include "agent/files/internal/pax_header.h"
#include "agent/files/internal/xattrs.h"
#include "base/clock.h"
#include "base/unique_fd.h"

namespace hearth::agent::files {
namespace {

constexpr uint64_t kSmall = 128 << 10;   // read whole before it goes into the archive
constexpr ptrdiff_t kNamesAtOnce = 256;  // of one directory
constexpr int kPiecesForOne = 4;
constexpr unsigned kWalkers = 4;

FileEntry EntryOf(const struct stat& stat, FileKind kind, const std::string& path) {
  FileEntry entry;
  entry.path = path;
  entry.kind = kind;
  entry.mode = stat.st_mode & 07777;
  entry.uid = stat.st_uid;
  entry.gid = stat.st_gid;
  entry.modified = stat.st_mtim;
  entry.accessed = stat.st_atim;
  return entry;
}

FileKind KindOf(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFLNK:
      return FileKind::kSymlink;
    case S_IFIFO:
      return FileKind::kFifo;
    case S_IFCHR:
      return FileKind::kCharacterDevice;
    case S_IFBLK:
      return FileKind::kBlockDevice;
    case S_IFDIR:
      return FileKind::kDirectory;
    default:
      return FileKind::kRegular;
  }
}

Result<std::string> TargetOfLink(int directory, const std::string& name) {
  std::string target(PATH_MAX, '\0');
  const ssize_t size = ::readlinkat(directory, name.c_str(), target.data(), target.size());
  if (size < 0) {
    return Status::FromErrno(errno, "cannot read the link");
  }
  target.resize(static_cast<size_t>(size));
  return target;
}

// Reading must not leave traces in the layer; only owners and root may ask for that.
UniqueFd OpenToRead(int directory, const std::string& name) {
  constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  UniqueFd fd(::openat(directory, name.c_str(), kFlags | O_NOATIME));
  if (!fd.valid() && errno == EPERM) {
    fd.reset(::openat(directory, name.c_str(), kFlags));
  }
  return fd;
}

}  // namespace

bool UpperSaver::WalkOne() {
  const std::optional<DirectoryQueue::Piece> piece = queue_.Take();
  if (!piece) {
    return false;
  }
  queue_.Done(Walk(*piece));
  return true;
}

Status UpperSaver::Walk(const DirectoryQueue::Piece& piece) {
  RETURN_IF_ERROR(limit_.Check(RealClock(), "saving the container's files"));
  const UniqueFd directory = OpenBeneath(upper_, piece.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!directory.valid()) {
    return Status::FromErrno(errno, "cannot open " + ShownPath(piece.path));
  }
  if (piece.names) {
    return SaveNames(directory.get(), piece.path, *piece.names);
  }
  if (const Status saved = SaveDirectoryItself(directory.get(), piece.path); !saved.ok()) {
    return saved.WithContext(ShownPath(piece.path));
  }
  Result<std::vector<DirectoryName>> names = NamesIn(directory.get());
  if (!names.ok()) {
    return names.status().WithContext(ShownPath(piece.path));
  }
  // What is more than enough for one is for whoever has time.
  while (names->size() > kNamesAtOnce) {
    const auto rest = names->end() - kNamesAtOnce;
    queue_.Put({piece.path, std::vector<DirectoryName>(std::make_move_iterator(rest),
                                                       std::make_move_iterator(names->end()))});
    names->erase(rest, names->end());
  }
  return SaveNames(directory.get(), piece.path, *names);
}

Status UpperSaver::SaveNames(int directory, const std::string& path,
                             const std::vector<DirectoryName>& names) {
  std::string below = path.empty() ? "" : path + "/";
  const size_t base = below.size();
  for (const DirectoryName& name : names) {
    below.resize(base);
    below += name.text;
    if (left_out_.CoversItself(below)) {
      continue;
    }
    if (const Status saved = SaveName(directory, name, below); !saved.ok()) {
      return saved.WithContext(ShownPath(below));
    }
  }
  return Status::Ok();
}

Status UpperSaver::SaveDirectoryItself(int directory, const std::string& path) {
  struct stat stat {};
  if (::fstat(directory, &stat) != 0) {
    return Status::FromErrno(errno, "cannot look at it");
  }
  FileEntry entry = EntryOf(stat, FileKind::kDirectory, path);
  ASSIGN_OR_RETURN(entry.xattrs, XattrPlace::Of(directory).Read());
  OverlayMarks marks;
  RETURN_IF_ERROR(TakeOverlayMarks(entry.xattrs, marks));
  if (marks.opaque && !path.empty()) {
    archive_.AddOpaque(path);
  }
  return Add(stat, entry);
}

Status UpperSaver::SaveName(int directory, const DirectoryName& name, const std::string& path) {
  if (path.size() + 2 >= PATH_MAX) {
    return UnsupportedError("its path is too long to be restored");
  }
  switch (name.type) {
    case DT_DIR:
      queue_.Put({path, std::nullopt});
      return Status::Ok();
    case DT_REG:
      return SaveRegular(directory, name.text, path);
    case DT_SOCK:
      archive_.AddSocket();  // whoever is bound to it is restored with it
      return Status::Ok();
    default:
      return SaveOther(directory, name.text, path);
  }
}

Status UpperSaver::SaveRegular(int directory, const std::string& name, const std::string& path) {
  const UniqueFd fd = OpenToRead(directory, name);
  if (!fd.valid()) {
    return Status::FromErrno(errno, "cannot open it");
  }
  struct stat stat {};
  if (::fstat(fd.get(), &stat) != 0) {
    return Status::FromErrno(errno, "cannot look at it");
  }
  if (!S_ISREG(stat.st_mode)) {
    return ConflictError("was replaced while it was being saved");
  }
  FileEntry entry = EntryOf(stat, FileKind::kRegular, path);
  entry.size = static_cast<uint64_t>(stat.st_size);
  ASSIGN_OR_RETURN(entry.xattrs, XattrPlace::Of(fd.get()).Read());
  OverlayMarks marks;
  RETURN_IF_ERROR(TakeOverlayMarks(entry.xattrs, marks));
  if (marks.whiteout && entry.size == 0) {
    archive_.AddDeleted(path);
    return Status::Ok();
  }
  return archive_.Knows(stat) ? Add(stat, entry) : SaveBytes(fd.get(), stat, entry);
}

Status UpperSaver::SaveBytes(int fd, const struct stat& stat, FileEntry& entry) {
  if (entry.size == 0) {
    return Add(stat, entry);
  }
  RETURN_IF_ERROR(FindHoles(fd, stat, entry));
  RETURN_IF_ERROR(!entry.sparse && entry.size <= kSmall
                      ? SaveSmall(fd, stat, entry)
                      : archive_.AddLarge(stat, entry, fd, limit_));
  return CheckUnchanged(fd, stat);
}

// Reads while others have the archive.
Status UpperSaver::SaveSmall(int fd, const struct stat& stat, const FileEntry& entry) {
  record_.clear();
  AppendTarHeader(record_, entry);
  const size_t begin = record_.size();
  record_.resize(begin + entry.size + TarPadding(entry.size));
  RETURN_IF_ERROR(ReadExactly(fd, {record_.data() + begin, entry.size}));
  return archive_.Add(stat, entry, record_);
}

// Everything that is not opened: to open a device or a pipe does something.
Status UpperSaver::SaveOther(int directory, const std::string& name, const std::string& path) {
  struct stat stat {};
  if (::fstatat(directory, name.c_str(), &stat, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) != 0) {
    return Status::FromErrno(errno, "cannot look at it");
  }
  FileEntry entry = EntryOf(stat, KindOf(stat.st_mode), path);
  entry.device_major = major(stat.st_rdev);
  entry.device_minor = minor(stat.st_rdev);
  if (entry.IsWhiteout()) {
    archive_.AddDeleted(path);
    return Status::Ok();
  }
  if (S_ISDIR(stat.st_mode) || S_ISREG(stat.st_mode) || S_ISSOCK(stat.st_mode)) {
    return SaveName(directory, {name, static_cast<unsigned char>(IFTODT(stat.st_mode)), 0}, path);
  }
  if (entry.kind == FileKind::kSymlink) {
    ASSIGN_OR_RETURN(entry.target, TargetOfLink(directory, name));
  }
  ASSIGN_OR_RETURN(entry.xattrs, XattrPlace::Of(directory, name).Read());
  OverlayMarks marks;
  RETURN_IF_ERROR(TakeOverlayMarks(entry.xattrs, marks));
  return Add(stat, entry);
}

Status UpperSaver::Add(const struct stat& stat, const FileEntry& entry) {
  record_.clear();
  AppendTarHeader(record_, entry);
  return archive_.Add(stat, entry, record_);
}

Status SaveUpper(int upper, const LeftOut& left_out, ArchiveBuilder& archive,
                 const WaitLimit& limit) {
  DirectoryQueue queue;
  queue.Put({});
  UpperSaver saver(upper, left_out, archive, queue, limit);
  // Most containers have written little: to begin threads would take longer.
  bool more = true;
  for (int i = 0; i < kPiecesForOne && more; ++i) {
    more = saver.WalkOne();
  }
  std::vector<std::jthread> helpers;
  const unsigned wanted = more ? std::min(std::thread::hardware_concurrency(), kWalkers) : 1;
  for (unsigned i = 1; i < wanted; ++i) {
    helpers.emplace_back([&] {
      UpperSaver helper(upper, left_out, archive, queue, limit);
      while (helper.WalkOne()) {
      }
    });
    ::pthread_setname_np(helpers.back().native_handle(), "files-reader");
  }
  while (saver.WalkOne()) {
  }
  helpers.clear();
  return queue.outcome();
}

}  // namespace hearth::agent::files

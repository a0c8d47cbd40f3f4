#include "agent/files/internal/upper_saver.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

#include "agent/files/internal/beneath.h"
#include "agent/files/internal/file_body.h"
#include "agent/files/internal/overlay_marks.h"
#include "agent/files/internal/pax_header.h"
#include "agent/files/internal/xattrs.h"
#include "base/clock.h"

namespace hearth::agent::files {
namespace {

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

Status UpperSaver::SaveAll() {
  directories_.emplace_back();
  while (!directories_.empty()) {
    const std::string path = std::move(directories_.back());
    directories_.pop_back();
    RETURN_IF_ERROR(limit_.Check(RealClock(), "saving the container's files"));
    RETURN_IF_ERROR(SaveDirectory(path));
  }
  return Status::Ok();
}

Status UpperSaver::SaveDirectory(const std::string& path) {
  const UniqueFd directory = OpenBeneath(upper_, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!directory.valid()) {
    return Status::FromErrno(errno, "cannot open " + ShownPath(path));
  }
  if (const Status saved = SaveDirectoryItself(directory.get(), path); !saved.ok()) {
    return saved.WithContext(ShownPath(path));
  }
  const auto names = NamesIn(directory.get());
  if (!names.ok()) {
    return names.status().WithContext(ShownPath(path));
  }
  std::string below = path.empty() ? "" : path + "/";
  const size_t base = below.size();
  for (const DirectoryName& name : *names) {
    below.resize(base);
    below += name.text;
    if (left_out_.CoversItself(below)) {
      continue;
    }
    if (const Status saved = SaveName(directory.get(), name, below); !saved.ok()) {
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
    opaque_.push_back(path);
  }
  return Write(entry);
}

Status UpperSaver::SaveName(int directory, const DirectoryName& name, const std::string& path) {
  if (path.size() + 2 >= PATH_MAX) {
    return UnsupportedError("its path is too long to be restored");
  }
  switch (name.type) {
    case DT_DIR:
      directories_.push_back(path);
      return Status::Ok();
    case DT_REG:
      return SaveRegular(directory, name.text, path);
    case DT_SOCK:
      ++sockets_;  // whoever is bound to it is restored with it
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
    deleted_.push_back(path);
    return Status::Ok();
  }
  ASSIGN_OR_RETURN(const bool linked, SavedAsLink(stat, path));
  return linked ? Status::Ok() : SaveBytes(fd.get(), stat, entry);
}

Status UpperSaver::SaveBytes(int fd, const struct stat& stat, FileEntry& entry) {
  RETURN_IF_ERROR(FindHoles(fd, stat, entry));
  RETURN_IF_ERROR(Write(entry));
  if (entry.size == 0) {
    return Status::Ok();
  }
  bytes_ += entry.size;
  RETURN_IF_ERROR(CopyBody(fd, entry, output_, limit_));
  return CheckUnchanged(fd, stat);
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
    deleted_.push_back(path);
    return Status::Ok();
  }
  if (S_ISDIR(stat.st_mode) || S_ISREG(stat.st_mode) || S_ISSOCK(stat.st_mode)) {
    return SaveName(directory, {name, static_cast<unsigned char>(IFTODT(stat.st_mode)), 0}, path);
  }
  ASSIGN_OR_RETURN(const bool linked, SavedAsLink(stat, path));
  if (linked) {
    return Status::Ok();
  }
  if (entry.kind == FileKind::kSymlink) {
    ASSIGN_OR_RETURN(entry.target, TargetOfLink(directory, name));
  }
  ASSIGN_OR_RETURN(entry.xattrs, XattrPlace::Of(directory, name).Read());
  OverlayMarks marks;
  RETURN_IF_ERROR(TakeOverlayMarks(entry.xattrs, marks));
  return Write(entry);
}

Result<bool> UpperSaver::SavedAsLink(const struct stat& stat, const std::string& path) {
  if (stat.st_nlink < 2) {
    return false;
  }
  const auto [first, is_first] = linked_.emplace(std::pair(stat.st_dev, stat.st_ino), path);
  if (is_first) {
    return false;
  }
  FileEntry entry = EntryOf(stat, FileKind::kHardLink, path);
  entry.target = first->second;
  RETURN_IF_ERROR(Write(entry));
  return true;
}

Status UpperSaver::Write(const FileEntry& entry) {
  header_.clear();
  AppendTarHeader(header_, entry);
  if (entry.kind != FileKind::kDirectory) {
    ++files_;
  }
  return output_.Append(header_);
}

}  // namespace hearth::agent::files

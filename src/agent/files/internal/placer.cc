#include "agent/files/internal/placer.h"

#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <utility>

#include "agent/files/internal/dress.h"
#include "agent/files/internal/overlay_marks.h"
#include "agent/files/internal/regular_content.h"
#include "agent/files/internal/xattrs.h"
#include "agent/files/path_list.h"
#include "base/hash.h"

namespace hearth::agent::files {
namespace {

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// The same in every run, so that what a killed one leaves behind is overwritten by the next.
std::string FreshName(const std::string& path) {
  std::array<char, 40> name{};
  (void)std::snprintf(name.data(), name.size(), ".hearth-new-%016llx",
                      static_cast<unsigned long long>(HashBytes(path)));
  return name.data();
}

bool IsDirectory(const std::optional<NamedFile>& file) {
  return file && S_ISDIR(file->stat.st_mode);
}

// What another layer hid, in an archive that was made of the layer as it is.
bool StandsForDeletion(const FileEntry& entry, const OverlayMarks& marks) {
  return entry.IsWhiteout() ||
         (marks.whiteout && entry.kind == FileKind::kRegular && entry.size == 0);
}

Result<bool> SameXattrs(const XattrPlace& place, const std::vector<Xattr>& wanted) {
  ASSIGN_OR_RETURN(std::vector<Xattr> present, place.Read());
  std::erase_if(present, [](const Xattr& xattr) { return !IsOurs(xattr.name); });
  std::vector<Xattr> ours = wanted;
  std::erase_if(ours, [](const Xattr& xattr) { return !IsOurs(xattr.name); });
  return present == ours;
}

bool SameTarget(int directory, const std::string& name, const FileEntry& entry) {
  if (entry.kind != FileKind::kSymlink) {
    return true;
  }
  std::string target(PATH_MAX, '\0');
  const ssize_t size = ::readlinkat(directory, name.c_str(), target.data(), target.size());
  return size >= 0 && target.compare(0, static_cast<size_t>(size), entry.target) == 0;
}

}  // namespace

Status Placer::Place(FileEntry entry) {
  OverlayMarks marks;
  if (const Status read = TakeOverlayMarks(entry.xattrs, marks); !read.ok()) {
    return read.WithContext(ShownPath(entry.path));
  }
  ShortenNestedMarks(entry.xattrs);
  if (left_out_.Covers(entry.path)) {
    ++left_alone_;
    return Status::Ok();
  }
  if (StandsForDeletion(entry, marks)) {
    parent_.reset();
    return remover_.Remove(entry.path);
  }
  const Status placed = PlaceChecked(entry, marks.opaque);
  return placed.ok() ? placed : placed.WithContext(ShownPath(entry.path));
}

Status Placer::PlaceChecked(const FileEntry& entry, bool opaque) {
  if (entry.path.empty()) {
    if (entry.kind != FileKind::kDirectory) {
      return InvalidError("the root can only be a directory");
    }
    return DressDirectory(root_, entry);
  }
  PlacedName place = SplitPath(entry.path);
  ASSIGN_OR_RETURN(const std::optional<int> parent, ParentOf(place.parent));
  if (!parent) {
    ++left_alone_;
    return Status::Ok();
  }
  ASSIGN_OR_RETURN(const std::optional<NamedFile> present, Look(*parent, place.name));
  if (present && present->mount_root) {
    ++left_alone_;
    return Status::Ok();
  }
  return PlaceAt({.parent = *parent,
                  .name = std::move(place.name),
                  .fresh = FreshName(entry.path),
                  .present = present},
                 entry, opaque);
}

Status Placer::PlaceAt(const Spot& spot, const FileEntry& entry, bool opaque) {
  switch (entry.kind) {
    case FileKind::kDirectory:
      return PlaceDirectory(spot, entry, opaque);
    case FileKind::kRegular:
      return PlaceRegular(spot, entry);
    case FileKind::kHardLink:
      return PlaceHardLink(spot, entry);
    default:
      return PlaceSpecial(spot, entry);
  }
}

Result<std::optional<int>> Placer::ParentOf(const std::string& path) {
  if (parent_.valid() && parent_path_ == path) {
    return std::optional(parent_.get());
  }
  ASSIGN_OR_RETURN(std::optional<UniqueFd> opened, MakeDirectoryBeneath(root_, path));
  if (!opened) {
    return std::optional<int>();
  }
  parent_ = std::move(*opened);
  parent_path_ = path;
  return std::optional(parent_.get());
}

Status Placer::PlaceDirectory(const Spot& spot, const FileEntry& entry, bool opaque) {
  if (spot.present && !IsDirectory(spot.present) &&
      ::unlinkat(spot.parent, spot.name.c_str(), 0) != 0) {
    return Status::FromErrno(errno, "cannot make room for a directory");
  }
  if (!IsDirectory(spot.present) && ::mkdirat(spot.parent, spot.name.c_str(), 0700) != 0) {
    return Status::FromErrno(errno, "cannot make the directory");
  }
  const UniqueFd directory(::openat(spot.parent, spot.name.c_str(), kDirectory));
  if (!directory.valid()) {
    return Status::FromErrno(errno, "cannot open the directory");
  }
  if (opaque) {
    RETURN_IF_ERROR(remover_.Empty(entry.path, {}));
  }
  return DressDirectory(directory.get(), entry);
}

// Changes only what differs: on an overlay, each change copies the directory up.
Status Placer::DressDirectory(int fd, const FileEntry& entry) {
  struct stat stat {};
  if (::fstat(fd, &stat) != 0) {
    return Status::FromErrno(errno, "cannot look at it");
  }
  const bool other_owner = stat.st_uid != entry.uid || stat.st_gid != entry.gid;
  if (other_owner && ::fchown(fd, entry.uid, entry.gid) != 0) {
    return Status::FromErrno(errno, "cannot set its owner");
  }
  if ((other_owner || (stat.st_mode & 07777) != entry.mode) && ::fchmod(fd, entry.mode) != 0) {
    return Status::FromErrno(errno, "cannot set its permissions");
  }
  RETURN_IF_ERROR(ChangeXattrs(XattrPlace::Of(fd), entry.xattrs));
  directories_.push_back(
      {.path = entry.path, .accessed = entry.accessed, .modified = entry.modified});
  return Status::Ok();
}

Status Placer::PlaceRegular(const Spot& spot, const FileEntry& entry) {
  RegularContent content(reader_, entry, limit_);
  UniqueFd old;
  // One with several names may share them with what is not in the archive.
  if (spot.present && spot.present->stat.st_nlink == 1 && SameFacts(spot.present->stat, entry)) {
    old.reset(::openat(spot.parent, spot.name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  }
  if (old.valid()) {
    ASSIGN_OR_RETURN(const bool same_content, content.EqualTo(old.get()));
    ASSIGN_OR_RETURN(const bool same_xattrs, SameXattrs(XattrPlace::Of(old.get()), entry.xattrs));
    if (same_content && same_xattrs) {
      ++unchanged_;
      return Status::Ok();
    }
  }
  (void)::unlinkat(spot.parent, spot.fresh.c_str(), 0);
  constexpr int kNew = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const UniqueFd fresh(::openat(spot.parent, spot.fresh.c_str(), kNew, 0600));
  if (!fresh.valid()) {
    return Status::FromErrno(errno, "cannot make it");
  }
  RETURN_IF_ERROR(content.WriteTo(fresh.get(), old.get()));
  RETURN_IF_ERROR(DressOpen(fresh.get(), entry));
  return Replace(spot, entry);
}

Status Placer::PlaceHardLink(const Spot& spot, const FileEntry& entry) {
  const PlacedName first = SplitPath(entry.target);
  const UniqueFd directory = OpenBeneath(root_, first.parent, kDirectory);
  if (!directory.valid()) {
    return Status::FromErrno(errno, "cannot link it to " + ShownPath(entry.target));
  }
  ASSIGN_OR_RETURN(const std::optional<NamedFile> target, Look(directory.get(), first.name));
  if (target && spot.present && target->stat.st_ino == spot.present->stat.st_ino &&
      target->stat.st_dev == spot.present->stat.st_dev) {
    ++unchanged_;
    return Status::Ok();
  }
  (void)::unlinkat(spot.parent, spot.fresh.c_str(), 0);
  if (::linkat(directory.get(), first.name.c_str(), spot.parent, spot.fresh.c_str(), 0) != 0) {
    return Status::FromErrno(errno, "cannot link it to " + ShownPath(entry.target));
  }
  return Replace(spot, entry);
}

Status Placer::PlaceSpecial(const Spot& spot, const FileEntry& entry) {
  if (spot.present && spot.present->stat.st_nlink == 1 && SameFacts(spot.present->stat, entry) &&
      SameTarget(spot.parent, spot.name, entry)) {
    ASSIGN_OR_RETURN(const bool same,
                     SameXattrs(XattrPlace::Of(spot.parent, spot.name), entry.xattrs));
    if (same) {
      ++unchanged_;
      return Status::Ok();
    }
  }
  (void)::unlinkat(spot.parent, spot.fresh.c_str(), 0);
  RETURN_IF_ERROR(MakeSpecial(spot, entry));
  RETURN_IF_ERROR(DressNamed(spot.parent, spot.fresh, entry));
  return Replace(spot, entry);
}

Status Placer::MakeSpecial(const Spot& spot, const FileEntry& entry) const {
  const char* const name = spot.fresh.c_str();
  const dev_t device = ::makedev(entry.device_major, entry.device_minor);
  int result = -1;
  switch (entry.kind) {
    case FileKind::kSymlink:
      result = ::symlinkat(entry.target.c_str(), spot.parent, name);
      break;
    case FileKind::kFifo:
      result = ::mknodat(spot.parent, name, S_IFIFO | 0600, 0);
      break;
    case FileKind::kCharacterDevice:
      result = ::mknodat(spot.parent, name, S_IFCHR | 0600, device);
      break;
    case FileKind::kBlockDevice:
      result = ::mknodat(spot.parent, name, S_IFBLK | 0600, device);
      break;
    default:
      return InternalError("is no special file");
  }
  return result == 0 ? Status::Ok() : Status::FromErrno(errno, "cannot make it");
}

Status Placer::Replace(const Spot& spot, const FileEntry& entry) {
  RETURN_IF_ERROR(MakeRoom(spot, entry));
  if (::renameat(spot.parent, spot.fresh.c_str(), spot.parent, spot.name.c_str()) != 0) {
    return Status::FromErrno(errno, "cannot put it in place");
  }
  ++placed_;
  return Status::Ok();
}

// A directory cannot be replaced by a file at once; it is gone for a moment.
Status Placer::MakeRoom(const Spot& spot, const FileEntry& entry) {
  if (!IsDirectory(spot.present)) {
    return Status::Ok();
  }
  ASSIGN_OR_RETURN(const bool gone, remover_.RemoveName(spot.parent, spot.name, entry.path));
  if (!gone) {
    return ConflictError(
        "replaces a directory in which something is mounted or which has files that are left out");
  }
  return Status::Ok();
}

Status Placer::Finish() {
  parent_.reset();
  for (size_t i = directories_.size(); i-- > 0;) {
    const DirectoryTimes& directory = directories_[i];
    const UniqueFd fd = OpenBeneath(root_, directory.path, kDirectory);
    struct stat stat {};
    if (!fd.valid() || ::fstat(fd.get(), &stat) != 0) {
      return Status::FromErrno(errno, "cannot open " + ShownPath(directory.path));
    }
    const std::array<timespec, 2> times = {directory.accessed, directory.modified};
    if (!SameTime(stat.st_mtim, directory.modified) && ::futimens(fd.get(), times.data()) != 0) {
      return Status::FromErrno(errno, "cannot set the times of " + ShownPath(directory.path));
    }
  }
  return Status::Ok();
}

}  // namespace hearth::agent::files

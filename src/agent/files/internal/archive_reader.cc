#include "agent/files/internal/archive_reader.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <locale.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "agent/files/path_list.h"
#include "base/strings.h"

namespace hearth::agent::files {
namespace {

constexpr size_t kReadBytes = size_t{1} << 20;

// libarchive converts names into the thread's character set and leaves alone what it cannot
// convert. In the plain locale that is every byte that is not ASCII.
class PlainLocale {
 public:
  PlainLocale() : plain_(::newlocale(LC_ALL_MASK, "C", nullptr)), before_(::uselocale(plain_)) {}
  ~PlainLocale() {
    ::uselocale(before_);
    ::freelocale(plain_);
  }
  PlainLocale(const PlainLocale&) = delete;
  PlainLocale& operator=(const PlainLocale&) = delete;

 private:
  locale_t plain_;
  locale_t before_;
};

struct FreeArchive {
  void operator()(archive* a) const { ::archive_read_free(a); }
};

Status Failure(archive* a) {
  const char* const text = ::archive_error_string(a);
  return DataLossError(std::string("the archive cannot be read: ") +
                       (text != nullptr ? text : "unknown error"));
}

// It warns of names that it did not convert. Whatever else it warns of, the entry is not what was
// saved.
bool OnlyUnconverted(archive* a) {
  const char* const text = ::archive_error_string(a);
  return text != nullptr && std::string_view(text).find("can't be converted") != std::string::npos;
}

Result<FileKind> KindOf(archive_entry* entry) {
  if (::archive_entry_hardlink(entry) != nullptr) {
    return FileKind::kHardLink;
  }
  switch (::archive_entry_filetype(entry)) {
    case AE_IFREG:
      return FileKind::kRegular;
    case AE_IFDIR:
      return FileKind::kDirectory;
    case AE_IFLNK:
      return FileKind::kSymlink;
    case AE_IFIFO:
      return FileKind::kFifo;
    case AE_IFCHR:
      return FileKind::kCharacterDevice;
    case AE_IFBLK:
      return FileKind::kBlockDevice;
    default:
      return UnsupportedError("is of a kind that is not known");
  }
}

// An absolute path is somebody else's idea of where things are.
Result<std::string> PathOf(const char* text) {
  if (text == nullptr || *text == '\0') {
    return DataLossError("an entry of the archive has no name");
  }
  if (*text == '/') {
    return InvalidError(Excerpt(text, 300) + " is not relative to the container's root");
  }
  return CleanPath(text);
}

// As GNU tar writes them.
std::string XattrName(std::string_view key) {
  std::string name;
  while (!key.empty()) {
    const bool percent = key.starts_with("%25");
    const bool equals = key.starts_with("%3D");
    name += percent ? '%' : equals ? '=' : key[0];
    key.remove_prefix(percent || equals ? 3 : 1);
  }
  return name;
}

std::vector<Xattr> XattrsOf(archive_entry* entry) {
  std::vector<Xattr> xattrs;
  ::archive_entry_xattr_reset(entry);
  const char* name = nullptr;
  const void* value = nullptr;
  size_t size = 0;
  while (::archive_entry_xattr_next(entry, &name, &value, &size) == ARCHIVE_OK) {
    xattrs.push_back({XattrName(name), std::string(static_cast<const char*>(value), size)});
  }
  std::stable_sort(xattrs.begin(), xattrs.end(),
                   [](const Xattr& a, const Xattr& b) { return a.name < b.name; });
  const auto same = [](const Xattr& a, const Xattr& b) { return a.name == b.name; };
  xattrs.erase(std::unique(xattrs.begin(), xattrs.end(), same), xattrs.end());
  return xattrs;
}

Result<uint32_t> IdOf(int64_t id) {
  if (id < 0 || id >= std::numeric_limits<uint32_t>::max()) {
    return DataLossError("its owner " + std::to_string(id) + " is none");
  }
  return static_cast<uint32_t>(id);
}

// libarchive gives the digits before and after the point: before 1970 both count backwards.
timespec TimeOf(int64_t seconds, int64_t nanoseconds) {
  constexpr int64_t kBillion = 1'000'000'000;
  if (seconds < 0 && nanoseconds > 0) {
    return {.tv_sec = seconds - 1, .tv_nsec = kBillion - nanoseconds};
  }
  return {.tv_sec = seconds, .tv_nsec = nanoseconds};
}

Status FillIn(archive_entry* from, FileEntry& entry) {
  ASSIGN_OR_RETURN(entry.uid, IdOf(::archive_entry_uid(from)));
  ASSIGN_OR_RETURN(entry.gid, IdOf(::archive_entry_gid(from)));
  if (::archive_entry_size(from) < 0) {
    return DataLossError("its size is negative");
  }
  if (::archive_entry_acl_types(from) != 0) {
    return UnsupportedError(
        "its access control list is kept as text; make the archive with "
        "--xattrs and without --acls");
  }
  entry.mode = static_cast<uint32_t>(::archive_entry_perm(from)) & 07777;
  entry.size = static_cast<uint64_t>(::archive_entry_size(from));
  entry.device_major = static_cast<uint32_t>(::archive_entry_rdevmajor(from));
  entry.device_minor = static_cast<uint32_t>(::archive_entry_rdevminor(from));
  entry.modified = TimeOf(::archive_entry_mtime(from), ::archive_entry_mtime_nsec(from));
  entry.accessed = ::archive_entry_atime_is_set(from) != 0
                       ? TimeOf(::archive_entry_atime(from), ::archive_entry_atime_nsec(from))
                       : entry.modified;
  entry.xattrs = XattrsOf(from);
  entry.sparse = ::archive_entry_sparse_count(from) > 0;
  return Status::Ok();
}

Result<FileEntry> EntryOf(archive_entry* from) {
  FileEntry entry;
  ASSIGN_OR_RETURN(entry.path, PathOf(::archive_entry_pathname(from)));
  const auto about = [&entry](const Status& status) {
    return status.WithContext(ShownPath(entry.path));
  };
  auto kind = KindOf(from);
  if (!kind.ok()) {
    return about(kind.status());
  }
  entry.kind = *kind;
  if (const Status filled = FillIn(from, entry); !filled.ok()) {
    return about(filled);
  }
  if (entry.kind == FileKind::kSymlink) {
    const char* const target = ::archive_entry_symlink(from);
    entry.target = target != nullptr ? target : "";
  } else if (entry.kind == FileKind::kHardLink) {
    auto target = PathOf(::archive_entry_hardlink(from));
    if (!target.ok()) {
      return about(target.status().WithContext("a hard link"));
    }
    entry.target = std::move(*target);
  }
  return entry;
}

// Two blocks of zeros: without them it was cut off, which is not seen when that was between
// entries.
Status CheckEnd(int fd, uint64_t size) {
  std::array<char, 1024> end{};
  if (size < end.size() ||
      ::pread(fd, end.data(), end.size(), static_cast<off_t>(size - end.size())) !=
          static_cast<ssize_t>(end.size()) ||
      std::any_of(end.begin(), end.end(), [](char c) { return c != '\0'; })) {
    return DataLossError("the archive is cut off or is none: its end is missing");
  }
  return Status::Ok();
}

}  // namespace

struct ArchiveReader::Input {
  explicit Input(UniqueFd file) : fd(std::move(file)), buffer(kReadBytes) {}

  static la_ssize_t Read(archive* a, void* self, const void** bytes) {
    auto& input = *static_cast<Input*>(self);
    *bytes = input.buffer.data();
    ssize_t got = 0;
    do {
      got = ::read(input.fd.get(), input.buffer.data(), input.buffer.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
      ::archive_set_error(a, errno, "%s", "input/output error");
    }
    return got;
  }
  static la_int64_t Skip(archive* /*a*/, void* self, la_int64_t bytes) {
    auto& input = *static_cast<Input*>(self);
    // Short distances are read over sooner than sought over.
    if (bytes < static_cast<la_int64_t>(kReadBytes)) {
      return 0;
    }
    return ::lseek(input.fd.get(), bytes, SEEK_CUR) >= 0 ? bytes : 0;
  }

  UniqueFd fd;
  std::vector<char> buffer;
  std::unique_ptr<archive, FreeArchive> reader{::archive_read_new()};
};

ArchiveReader::ArchiveReader(std::unique_ptr<Input> input, uint64_t archive_bytes)
    : input_(std::move(input)), archive_bytes_(archive_bytes) {}

ArchiveReader::~ArchiveReader() = default;

Result<std::unique_ptr<ArchiveReader>> ArchiveReader::Open(int directory, const char* name) {
  UniqueFd fd(::openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd.valid() && errno == ENOENT) {
    return std::unique_ptr<ArchiveReader>();
  }
  struct stat stat {};
  if (!fd.valid() || ::fstat(fd.get(), &stat) != 0) {
    return Status::FromErrno(errno, std::string("cannot open ") + name);
  }
  if (!S_ISREG(stat.st_mode)) {
    return InvalidError(std::string(name) + " is no file");
  }
  if (stat.st_size == 0) {
    return std::unique_ptr<ArchiveReader>();
  }
  const auto size = static_cast<uint64_t>(stat.st_size);
  RETURN_IF_ERROR(CheckEnd(fd.get(), size));
  (void)::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  std::unique_ptr<ArchiveReader> reader(
      new ArchiveReader(std::make_unique<Input>(std::move(fd)), size));
  RETURN_IF_ERROR(reader->Begin());
  return reader;
}

Status ArchiveReader::Begin() {
  const PlainLocale plain;
  archive* const a = input_->reader.get();
  const bool begun = ::archive_read_support_format_tar(a) == ARCHIVE_OK &&
                     ::archive_read_set_read_callback(a, Input::Read) == ARCHIVE_OK &&
                     ::archive_read_set_skip_callback(a, Input::Skip) == ARCHIVE_OK &&
                     ::archive_read_set_callback_data(a, input_.get()) == ARCHIVE_OK &&
                     ::archive_read_open1(a) == ARCHIVE_OK;
  return begun ? Status::Ok() : Failure(a);
}

Result<std::optional<FileEntry>> ArchiveReader::Next() {
  const PlainLocale plain;
  archive* const a = input_->reader.get();
  archive_entry* found = nullptr;
  const int result = ::archive_read_next_header(a, &found);
  if (result == ARCHIVE_EOF) {
    return std::optional<FileEntry>();
  }
  if (result != ARCHIVE_OK && !(result == ARCHIVE_WARN && OnlyUnconverted(a))) {
    return Failure(a);
  }
  ASSIGN_OR_RETURN(FileEntry entry, EntryOf(found));
  return std::optional(std::move(entry));
}

Result<std::optional<ArchiveReader::Block>> ArchiveReader::NextBlock() {
  archive* const a = input_->reader.get();
  const void* bytes = nullptr;
  size_t size = 0;
  la_int64_t offset = 0;
  const int result = ::archive_read_data_block(a, &bytes, &size, &offset);
  if (result == ARCHIVE_EOF) {
    return std::optional<Block>();
  }
  if (result != ARCHIVE_OK || offset < 0) {
    return Failure(a);
  }
  return std::optional(Block{.offset = static_cast<uint64_t>(offset),
                             .bytes = {static_cast<const char*>(bytes), size}});
}

}  // namespace hearth::agent::files

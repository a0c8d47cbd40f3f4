#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

namespace hearth::agent {

enum class FileKind {
  kRegular,
  kDirectory,
  kSymlink,
  kHardLink,
  kFifo,
  kCharacterDevice,
  kBlockDevice,
};

std::string_view FileKindName(FileKind kind);

struct Xattr {
  std::string name;
  std::string value;

  friend bool operator==(const Xattr&, const Xattr&) = default;
};

struct Extent {
  uint64_t offset = 0;
  uint64_t size = 0;

  friend bool operator==(const Extent&, const Extent&) = default;
};

// One thing of a container's writable layer, without its bytes. Names are bytes, not text.
struct FileEntry {
  std::string path;  // from the root, "etc/passwd"; empty: the root itself
  FileKind kind = FileKind::kRegular;
  uint32_t mode = 0;  // permissions with set-user-id, set-group-id and sticky
  uint32_t uid = 0;
  uint32_t gid = 0;
  uint32_t device_major = 0;
  uint32_t device_minor = 0;
  uint64_t size = 0;  // of a regular file, holes included
  timespec modified{};
  timespec accessed{};
  std::string target;         // of a symbolic link; of a hard link, the path of the first name
  std::vector<Xattr> xattrs;  // sorted by name
  bool sparse = false;
  std::vector<Extent> data;  // of a sparse file that is saved: where it is no hole

  // What overlays put in the place of something deleted.
  bool IsWhiteout() const {
    return kind == FileKind::kCharacterDevice && device_major == 0 && device_minor == 0;
  }
};

// For messages: the path as people know it, odd bytes replaced.
std::string ShownPath(std::string_view path);

}  // namespace hearth::agent

#include "agent/files/file_entry.h"

#include "base/strings.h"

namespace hearth::agent {

std::string_view FileKindName(FileKind kind) {
  switch (kind) {
    case FileKind::kRegular:
      return "file";
    case FileKind::kDirectory:
      return "directory";
    case FileKind::kSymlink:
      return "symlink";
    case FileKind::kHardLink:
      return "hardlink";
    case FileKind::kFifo:
      return "fifo";
    case FileKind::kCharacterDevice:
      return "chardevice";
    case FileKind::kBlockDevice:
      return "blockdevice";
  }
  return "unknown";
}

std::string ShownPath(std::string_view path) {
  constexpr size_t kEnough = 300;
  return "/" + Excerpt(path, kEnough);
}

}  // namespace hearth::agent

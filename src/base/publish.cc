#include "base/publish.h"

#include <utility>

namespace hearth {
namespace {

constexpr std::string_view kStagingSuffix = ".staging";
constexpr int kMaxDepth = 64;

// "/a/b" -> {"/a", "b"}, "b" -> {".", "b"}, "/b" -> {"/", "b"}.
std::pair<std::string, std::string> SplitPath(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) {
    return {".", path};
  }
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

std::string Below(const std::string& directory, const std::string& name) {
  return directory.ends_with('/') ? directory + name : directory + "/" + name;
}

std::string Parent(const std::string& path) { return SplitPath(path).first; }

// Trailing slashes would hide the last name.
std::string WithoutSlashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) {
    path.pop_back();
  }
  return path;
}

Status Stage(FileSystem& files, const std::string& staged, const std::string& path,
             std::string_view bytes, uint32_t mode) {
  RETURN_IF_ERROR(files.Write(staged, bytes, mode));
  // Before the rename: otherwise a crash may leave the new name with none of its bytes.
  RETURN_IF_ERROR(files.Sync(staged));
  return files.Rename(staged, path);
}

Status SyncTree(FileSystem& files, const std::string& path, int depth);

Status SyncEntry(FileSystem& files, const std::string& path, int depth) {
  Result<FileSystem::Info> info = files.Stat(path);
  // A link is part of its directory, and what it points to is not part of this tree; it may point
  // to nothing.
  if (info.status().Is(Code::kNotFound) || (info.ok() && info->is_link)) {
    return {};
  }
  RETURN_IF_ERROR(info);
  return info->is_directory ? SyncTree(files, path, depth) : files.Sync(path);
}

Status SyncTree(FileSystem& files, const std::string& path, int depth) {
  if (depth == 0) {
    return InvalidError("publish: " + path + " is nested too deep; at most " +
                        std::to_string(kMaxDepth) + " directories may lie in each other");
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> names, files.List(path));
  for (const std::string& name : names) {
    RETURN_IF_ERROR(SyncEntry(files, Below(path, name), depth - 1));
  }
  return files.Sync(path);
}

Status MustBeAbsent(FileSystem& files, const std::string& path) {
  const Result<FileSystem::Info> info = files.Stat(path);
  if (info.ok()) {
    return AlreadyExistsError("publish " + path + ": it is there already");
  }
  return info.status().Is(Code::kNotFound) ? Status() : info.status();
}

Status SyncParents(FileSystem& files, const std::string& staged, const std::string& path) {
  RETURN_IF_ERROR(files.Sync(Parent(path)));
  return Parent(staged) == Parent(path) ? Status() : files.Sync(Parent(staged));
}

}  // namespace

Status PublishFile(FileSystem& files, const std::string& path, std::string_view bytes,
                   uint32_t mode) {
  const std::string staged = StagingName(path);
  Status status = Stage(files, staged, path, bytes, mode);
  if (!status.ok()) {
    // The failure is what counts; a staged file that cannot be removed is what RemoveStale is for.
    static_cast<void>(files.Remove(staged));
    return status.WithContext("publish " + path);
  }
  return files.Sync(Parent(path)).WithContext("publish " + path);
}

Status PublishDirectory(FileSystem& files, const std::string& staged, const std::string& path) {
  const std::string from = WithoutSlashes(staged);
  const std::string to = WithoutSlashes(path);
  RETURN_IF_ERROR(MustBeAbsent(files, to));
  RETURN_IF_ERROR(SyncTree(files, from, kMaxDepth).WithContext("publish " + to));
  RETURN_IF_ERROR(files.Rename(from, to).WithContext("publish " + to));
  return SyncParents(files, from, to).WithContext("publish " + to);
}

std::string StagingName(const std::string& path) {
  const auto [directory, name] = SplitPath(path);
  return Below(directory, "." + name + std::string(kStagingSuffix));
}

Status RemoveStale(FileSystem& files, const std::string& path) {
  return files.RemoveTree(StagingName(path));
}

}  // namespace hearth

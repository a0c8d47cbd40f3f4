#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hearth::agent {

// Beside the archive of a container's files; each only there when it has something to say.
inline constexpr char kArchiveName[] = "rootfs-diff.tar";
inline constexpr char kDeletedName[] = "deleted-files.json";
inline constexpr char kOpaqueName[] = "opaque-directories.json";

// A JSON array of paths. One that is not UTF-8, which JSON cannot hold, is {"base64": "..."}.
std::string WritePathList(const std::vector<std::string>& paths);
// kInvalid: something else. Paths are given as they stand there; CleanPath them.
Result<std::vector<std::string>> ParsePathList(std::string_view text);

// "a/b" for "./a//b/" and "/a/b", empty for the root itself. kInvalid for one that has "..", or a
// zero byte: it leads elsewhere.
Result<std::string> CleanPath(std::string_view path);

// The directory that holds it and its name there: "a/b" and "c" for "a/b/c", "" and "c" for "c".
struct PlacedName {
  std::string parent;
  std::string name;
};
PlacedName SplitPath(std::string_view path);

}  // namespace hearth::agent

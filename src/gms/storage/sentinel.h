#pragma once

#include <string>
#include <string_view>

#include "base/file_system.h"

namespace hearth::gms::storage {

inline constexpr const char* kSaveComplete = "gms-save-complete";
inline constexpr const char* kLoadComplete = "gms-load-complete";

// A file whose being there says that a save or a load is over. The lease is what others wait for;
// this is for those who have no connection to the server.
class Sentinel {
 public:
  // "<directory>/<override_name>" when that is given (or the path itself when absolute), else
  // "<base>-<pod_uid>", else "<base>". kInvalid for a uid or name that leads elsewhere.
  static Result<Sentinel> Make(FileSystem& files, const std::string& directory,
                               std::string_view base, const std::string& override_name,
                               const std::string& pod_uid);

  const std::string& path() const { return path_; }
  // What an earlier run left says nothing about this one. Where nothing is left nothing is changed:
  // the directory may be read-only.
  Status Clear() const;
  // "ok\n", at once and durable. After everything is done.
  Status Write() const;

 private:
  Sentinel(FileSystem& files, std::string path) : files_(&files), path_(std::move(path)) {}
  FileSystem* files_;
  std::string path_;
};

}  // namespace hearth::gms::storage

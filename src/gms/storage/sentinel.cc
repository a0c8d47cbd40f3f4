#include "gms/storage/sentinel.h"

#include "base/publish.h"
#include "gms/storage/manifest.h"

namespace hearth::gms::storage {

Result<Sentinel> Sentinel::Make(FileSystem& files, const std::string& directory,
                                std::string_view base, const std::string& override_name,
                                const std::string& pod_uid) {
  if (override_name.starts_with('/')) {
    return Sentinel(files, override_name);
  }
  std::string name(base);
  if (!override_name.empty()) {
    name = override_name;
  } else if (!pod_uid.empty()) {
    name += "-" + pod_uid;
  }
  if (!CheckStoredPath(name).ok() || name.find('/') != std::string::npos) {
    return InvalidError("completion file " + name + ": must be one name or an absolute path");
  }
  return Sentinel(files, directory + "/" + name);
}

Status Sentinel::Clear() const {
  // A file system that is read-only refuses to remove even what is not there.
  if (files_->Stat(path_).status().Is(Code::kNotFound)) {
    return {};
  }
  const Status removed = files_->Remove(path_);
  return removed.Is(Code::kNotFound) ? Status() : removed;
}

Status Sentinel::Write() const { return PublishFile(*files_, path_, "ok\n"); }

}  // namespace hearth::gms::storage

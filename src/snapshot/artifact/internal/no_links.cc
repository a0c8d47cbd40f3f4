#include "snapshot/artifact/internal/no_links.h"

namespace hearth::snapshot::internal {

Status CheckNoLinks(FileSystem& files, std::string path, const std::string& base) {
  for (; path.size() > base.size(); path.resize(path.rfind('/'))) {
    if (const auto info = files.Stat(path); info.ok() && (info->is_link || !info->is_directory)) {
      return DataLossError(path + " is not a directory of ours: somebody put it there, remove it");
    }
  }
  return Status::Ok();
}

}  // namespace hearth::snapshot::internal

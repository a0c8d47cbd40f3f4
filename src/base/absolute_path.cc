#include "base/absolute_path.h"

#include <filesystem>

namespace hearth {

std::string AbsolutePath(const std::string& path) {
  if (path.empty()) {
    return path;
  }
  // Without a directory of ours there is nothing that it could mean.
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  std::string normal = error ? path : absolute.lexically_normal().string();
  while (normal.size() > 1 && normal.back() == '/') {
    normal.pop_back();
  }
  return normal;
}

}  // namespace hearth

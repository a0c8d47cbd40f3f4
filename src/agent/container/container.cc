#include "agent/container/container.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/strings.h"

namespace hearth::agent {

std::string_view WithoutScheme(std::string_view container_id) {
  for (const std::string_view scheme : {"containerd://", "cri-o://", "crio://"}) {
    if (container_id.starts_with(scheme)) {
      return container_id.substr(scheme.size());
    }
  }
  return container_id;
}

Status CheckContainerId(std::string_view id) {
  const auto allowed = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == '+';
  };
  constexpr size_t kLongest = 255;
  if (id.empty() || id.size() > kLongest || id.front() == '-' || id.front() == '.' ||
      !std::all_of(id.begin(), id.end(), allowed)) {
    return InvalidError(fmt::format("'{}' is not a container's id", Excerpt(id, 100)));
  }
  return Status::Ok();
}

}  // namespace hearth::agent

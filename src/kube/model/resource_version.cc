#include "kube/model/resource_version.h"

#include <charconv>

namespace hearth::kube {

std::optional<uint64_t> ParseResourceVersion(std::string_view text) {
  if (text.empty() || text.front() < '1' || text.front() > '9') {
    return std::nullopt;
  }
  uint64_t version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return version;
}

}  // namespace hearth::kube

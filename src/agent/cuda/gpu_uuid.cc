#include "agent/cuda/gpu_uuid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/strings.h"

namespace hearth::agent::cuda {
namespace {

constexpr std::string_view kPrefix = "GPU-";
constexpr std::string_view kShape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

bool HasShape(std::string_view digits) {
  return std::equal(
      digits.begin(), digits.end(), kShape.begin(), kShape.end(),
      [](unsigned char c, char shape) { return shape == '-' ? c == '-' : std::isxdigit(c) != 0; });
}

}  // namespace

Result<std::string> CanonicalGpuUuid(std::string_view text) {
  if (text.starts_with("MIG-")) {
    return UnsupportedError(
        fmt::format("'{}' is a part of a GPU; only whole ones can be captured", Excerpt(text, 60)));
  }
  const std::string_view digits = text.starts_with(kPrefix) ? text.substr(kPrefix.size()) : text;
  if (!HasShape(digits)) {
    return InvalidError(fmt::format("'{}' is not the UUID of a GPU", Excerpt(text, 60)));
  }
  std::string uuid(kPrefix);
  std::transform(digits.begin(), digits.end(), std::back_inserter(uuid),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return uuid;
}

Result<std::vector<std::string>> CanonicalGpuUuids(const std::vector<std::string>& texts) {
  std::vector<std::string> uuids;
  for (const std::string& text : texts) {
    ASSIGN_OR_RETURN(std::string uuid, CanonicalGpuUuid(text));
    if (std::find(uuids.begin(), uuids.end(), uuid) != uuids.end()) {
      return InvalidError(fmt::format("{} stands twice among the GPUs", uuid));
    }
    uuids.push_back(std::move(uuid));
  }
  return uuids;
}

Result<std::vector<std::string>> ParseGpuLines(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view line : Split(text, '\n')) {
    if (!Trim(line).empty()) {
      lines.emplace_back(Trim(line));
    }
  }
  return CanonicalGpuUuids(lines);
}

Result<std::vector<std::string>> ParseVisibleDevices(std::string_view value) {
  std::vector<std::string> words;
  for (const std::string_view word : Split(value, ',')) {
    if (!Trim(word).starts_with(kPrefix) && !Trim(word).starts_with("MIG-")) {
      return NotFoundError(
          fmt::format("NVIDIA_VISIBLE_DEVICES is '{}': no list of UUIDs", Excerpt(value, 100)));
    }
    words.emplace_back(Trim(word));
  }
  return CanonicalGpuUuids(words);
}

}  // namespace hearth::agent::cuda

#include "agent/cri/cri_info.h"

#include <algorithm>
#include <cctype>
#include <limits>

#include "json/parse.h"

namespace hearth::agent {
namespace {

constexpr std::string_view kAlgorithm = "sha256:";
constexpr size_t kDigits = 64;

bool IsDigest(std::string_view text) {
  return text.starts_with(kAlgorithm) && text.size() == kAlgorithm.size() + kDigits &&
         std::all_of(text.begin() + kAlgorithm.size(), text.end(),
                     [](unsigned char c) { return std::isxdigit(c) != 0; });
}

}  // namespace

Result<CriInfo> ParseCriInfo(std::string_view json) {
  auto blob = json::Parse(json);
  if (!blob.ok()) {
    return blob.status().WithContext("verbose status");
  }
  const json::View top = blob->view();
  const int64_t pid = top["pid"].Int().value_or(0);
  if (pid <= 0 || pid > std::numeric_limits<int>::max()) {
    return InvalidError("verbose status: has no pid");
  }
  if (!top["runtimeSpec"].IsObject()) {
    return InvalidError("verbose status: has no runtimeSpec");
  }
  auto spec = ReadOciSpec(top["runtimeSpec"]);
  if (!spec.ok()) {
    return spec.status().WithContext("verbose status");
  }
  return CriInfo{.pid = static_cast<int>(pid),
                 .spec = *std::move(spec),
                 .snapshotter = top["snapshotter"].StringOr(""),
                 .snapshot_key = top["snapshotKey"].StringOr("")};
}

std::string DigestOf(std::string_view image_reference) {
  const size_t at = image_reference.rfind('@');
  const std::string_view digest =
      at == std::string_view::npos ? image_reference : image_reference.substr(at + 1);
  return IsDigest(digest) ? std::string(digest) : "";
}

}  // namespace hearth::agent

#include "snapshot/artifact/seal.h"

#include <fmt/format.h>

#include "snapshot/artifact/manifest.h"

namespace hearth::snapshot {
namespace {

constexpr std::string_view kLine = "# root digest: ";
constexpr size_t kDigits = 32;
constexpr size_t kTail = kLine.size() + kDigits + 1;

}  // namespace

std::string Seal(std::string manifest_text) {
  manifest_text += kLine;
  return manifest_text + disk::DigestOf(manifest_text).Hex() + "\n";
}

bool IsSealed(std::string_view text) {
  return text.size() >= kTail && text.ends_with('\n') &&
         text.substr(text.size() - kTail).starts_with(kLine);
}

Result<disk::Digest> CheckSeal(std::string_view text) {
  if (!IsSealed(text)) {
    return DataLossError(fmt::format(
        "{} does not end in its root digest: it is cut off or was edited", kManifestFile));
  }
  const std::string_view covered = text.substr(0, text.size() - kDigits - 1);
  const std::string_view said = text.substr(covered.size(), kDigits);
  const disk::Digest digest = disk::DigestOf(covered);
  if (digest.Hex() != said) {
    return DataLossError(
        fmt::format("{} has the root digest {} and says {}: it is damaged or was edited",
                    kManifestFile, digest.Hex(), said));
  }
  return digest;
}

}  // namespace hearth::snapshot

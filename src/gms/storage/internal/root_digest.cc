#include "gms/storage/internal/root_digest.h"

#include <fmt/format.h>

#include "base/check.h"

namespace hearth::gms::storage {
namespace {

constexpr std::string_view kMember = ",\"root_digest\":\"";
constexpr std::string_view kEnd = "\"}\n";
constexpr size_t kDigits = 32;

}  // namespace

std::string WithRootDigest(std::string object) {
  CHECK(object.size() > 2 && object.ends_with('}'));
  object.pop_back();
  object += kMember;
  return object + disk::DigestOf(object).Hex() + std::string(kEnd);
}

Result<disk::Digest> CheckRootDigest(std::string_view text) {
  const size_t tail = kDigits + kEnd.size();
  if (text.size() < tail + kMember.size() || !text.ends_with(kEnd) ||
      !text.substr(0, text.size() - tail).ends_with(kMember)) {
    return DataLossError("it does not end in its root digest; it is cut off or was edited");
  }
  const std::string_view covered = text.substr(0, text.size() - tail);
  const std::string_view digits = text.substr(covered.size(), kDigits);
  const disk::Digest digest = disk::DigestOf(covered);
  if (digest.Hex() != digits) {
    return DataLossError(
        fmt::format("its root digest is {}, the file says {}; it is damaged or was "
                    "edited",
                    digest.Hex(), digits));
  }
  return digest;
}

}  // namespace hearth::gms::storage

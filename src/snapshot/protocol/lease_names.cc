#include "snapshot/protocol/lease_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/hash.h"
#include "base/strings.h"
#include "snapshot/protocol/names.h"

namespace hearth::snapshot {
namespace {

bool IsLowerAlphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// Parts between dots: lower case letters, digits and '-', a letter or digit at both ends.
bool IsPartOfName(std::string_view part) {
  const auto allowed = [](char c) { return IsLowerAlphanumeric(c) || c == '-'; };
  return !part.empty() && IsLowerAlphanumeric(part.front()) && IsLowerAlphanumeric(part.back()) &&
         std::all_of(part.begin(), part.end(), allowed);
}

bool IsNameOfObject(std::string_view text) {
  const auto parts = Split(text, '.');
  return std::all_of(parts.begin(), parts.end(), IsPartOfName);
}

}  // namespace

std::string CaptureLeaseName(std::string_view checkpoint_id) {
  return IsNameOfObject(checkpoint_id)
             ? fmt::format("{}{}", kLeaseNamePrefix, checkpoint_id)
             : fmt::format("{}{:016x}", kLeaseNamePrefix, HashBytes(checkpoint_id));
}

std::string ArtifactLeaseName(std::string_view checkpoint_id, std::string_view version) {
  return fmt::format("{}{:016x}", kArtifactLeaseNamePrefix,
                     HashBytes(fmt::format("{}/{}", checkpoint_id, version)));
}

}  // namespace hearth::snapshot

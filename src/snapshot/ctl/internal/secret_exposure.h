#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "snapshot/images/captured.h"

// What of a capture tells somebody else's secrets: an artifact holds all memory, so whoever reads
// it has them. Pure; names only, never values.
namespace hearth::snapshot::ctl {

struct Exposure {
  enum class Kind { kEnvironment, kOpenFile, kMappedFile, kMount };
  Kind kind = Kind::kEnvironment;
  uint32_t pid = 0;  // 0: of a mount
  std::string name;  // of the variable, or a path

  friend auto operator<=>(const Exposure&, const Exposure&) = default;
};
std::string_view KindName(Exposure::Kind kind);

// By its name; of variables see base/secret_name.h.
bool LooksLikeSecretPath(std::string_view path);

// Sorted, without repetition.
std::vector<Exposure> FindExposures(const images::Captured& captured);

}  // namespace hearth::snapshot::ctl

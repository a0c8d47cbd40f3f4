#pragma once

#include <string>

namespace hearth::snapshot::internal {

// Beside a directory in staging, not in it: what is published has only what belongs to it.
inline std::string OwnerFileOf(const std::string& staged) { return staged + ".owner"; }

}  // namespace hearth::snapshot::internal

#pragma once

#include <string>
#include <string_view>

namespace hearth::snapshot::images {

// In lower-case hex.
std::string Sha256Hex(std::string_view bytes);

}  // namespace hearth::snapshot::images

#pragma once

#include <string_view>

namespace hearth::admission::grove {

// Annotation of sets, groups and cliques: the NVLink domain their pods shall be in.
inline constexpr std::string_view kMnnvlGroup = "grove.io/mnnvl-group";

}  // namespace hearth::admission::grove

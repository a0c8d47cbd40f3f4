#pragma once

#include <string_view>

namespace hearth::api::grove {

// A PodCliqueSet in YAML, rs-test: claims shared at all three levels and in both scopes, by
// internal and external templates, with and without filters.
std::string_view SharingExample();

}  // namespace hearth::api::grove

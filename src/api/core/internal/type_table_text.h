#pragma once

#include <string_view>

namespace hearth::api::core::internal {

// kubernetes_types.txt, compiled in. Lives for ever.
std::string_view KubernetesTypesText();

}  // namespace hearth::api::core::internal

#pragma once

#include <string_view>

#include "api/conversion/internal/builder.h"

namespace hearth::api::conversion::internal {

inline constexpr std::string_view kMainContainer = "main";
// The container that a service's frontendSidecar becomes.
inline constexpr std::string_view kFrontendSidecar = "sidecar-frontend";

// The pod of a service, from extraPodMetadata, extraPodSpec, frontendSidecar and the fields that
// speak of main. Nothing when all of these say nothing.
Tree PodToBeta(const Tree& service, Arena& arena);

// Puts the pod of a component into those fields of a service.
void PodToAlpha(const Tree& component, ObjectBuilder& service);

}  // namespace hearth::api::conversion::internal

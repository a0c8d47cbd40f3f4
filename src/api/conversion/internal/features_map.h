#pragma once

#include "api/conversion/internal/builder.h"

// What v1alpha1 turns on by `enabled` and v1beta1 by being there.
namespace hearth::api::conversion::internal {

// scalingAdapter: {} when it is enabled, otherwise nothing.
Tree MarkOf(const Tree& flagged, Arena& arena);
// {enabled: true} when it is there.
Tree FlagOf(const Tree& mark, Arena& arena);

// gpuMemoryService, failover and checkpoint of a service, as experimental has them; nothing when
// there is none. What is not enabled is left out, but for checkpoint, which has the flag in both.
Tree FeaturesToBeta(const Tree& service, Arena& arena);
void FeaturesToAlpha(const Tree& experimental, ObjectBuilder& service);

}  // namespace hearth::api::conversion::internal

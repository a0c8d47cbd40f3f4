#pragma once

#include "api/conversion/internal/builder.h"

namespace hearth::api::conversion::internal {

// The first mount that is a compilation cache, as compilationCache has it; nothing when none is.
Tree CacheToBeta(const Tree& volume_mounts, Arena& arena);
// compilationCache as a mount; nothing when it names no claim.
Tree CacheToAlpha(const Tree& cache, Arena& arena);

// The other mounts of a service as a container has them. Those without a path are left out.
Tree MountsToBeta(const Tree& volume_mounts, Arena& arena);
// Mounts of a container as a service has them; nothing unless each has just a name and a path.
Tree MountsToAlpha(const Tree& volume_mounts, Arena& arena);

}  // namespace hearth::api::conversion::internal

#pragma once

#include "api/conversion/internal/tree.h"

namespace hearth::api::conversion::internal {

// A service as a component named `name`, and back without its name: who holds a component knows
// where the name belongs.
Tree ComponentToBeta(const Tree& service, const Tree& name);
Tree ComponentToAlpha(const Tree& component);

// How many instances there are of it.
Tree ReplicaStatusToBeta(const Tree& status);
Tree ReplicaStatusToAlpha(const Tree& status);

}  // namespace hearth::api::conversion::internal

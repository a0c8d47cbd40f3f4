#pragma once

#include "api/conversion/internal/builder.h"

namespace hearth::api::conversion::internal {

// A service as a component named `name`, and back without its name: who holds a component knows
// where the name belongs.
Tree ComponentToBeta(const Tree& service, const Tree& name, Arena& arena);
void ComponentToAlpha(const Tree& component, ObjectBuilder& service);

// How many instances there are of it.
Tree ReplicaStatusToBeta(const Tree& status, Arena& arena);
Tree ReplicaStatusToAlpha(const Tree& status, Arena& arena);

}  // namespace hearth::api::conversion::internal

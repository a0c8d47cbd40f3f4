#pragma once

#include "api/conversion/internal/arena.h"
#include "base/status.h"

// Whole specs and statuses. None of these fails: what the other version cannot say is left out.
namespace hearth::api::conversion::internal {

Tree GraphSpecToBeta(const Tree& spec, Arena& arena);
Tree GraphSpecToAlpha(const Tree& spec, Arena& arena);
Tree GraphStatusToBeta(const Tree& status, Arena& arena);
Tree GraphStatusToAlpha(const Tree& status, Arena& arena);

// `object_name` is what a component is called that has no name of its own.
Tree ComponentDeploymentSpecToBeta(const Tree& spec, const Tree& object_name, Arena& arena);
Tree ComponentDeploymentSpecToAlpha(const Tree& spec, const Tree& object_name, Arena& arena);
Tree ComponentDeploymentStatusToBeta(const Tree& status, Arena& arena);
Tree ComponentDeploymentStatusToAlpha(const Tree& status, Arena& arena);

// kInvalid when components cannot be the members of a map: one has no name, or the name of another.
Status CheckComponentNames(const Tree& spec);

}  // namespace hearth::api::conversion::internal

#pragma once

#include "api/conversion/internal/tree.h"
#include "base/status.h"

// Whole specs and statuses. None of these fails: what the other version cannot say is left out.
namespace hearth::api::conversion::internal {

Tree GraphSpecToBeta(const Tree& spec);
Tree GraphSpecToAlpha(const Tree& spec);
Tree GraphStatusToBeta(const Tree& status);
Tree GraphStatusToAlpha(const Tree& status);

// `object_name` is what a component is called that has no name of its own.
Tree ComponentDeploymentSpecToBeta(const Tree& spec, const Tree& object_name);
Tree ComponentDeploymentSpecToAlpha(const Tree& spec, const Tree& object_name);
Tree ComponentDeploymentStatusToBeta(const Tree& status);
Tree ComponentDeploymentStatusToAlpha(const Tree& status);

// kInvalid when components cannot be the members of a map: one has no name, or the name of another.
Status CheckComponentNames(const Tree& spec);

}  // namespace hearth::api::conversion::internal

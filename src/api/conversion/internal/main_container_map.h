#pragma once

#include "api/conversion/internal/tree.h"

namespace hearth::api::conversion::internal {

// The container main of a service, without its name: mainContainer over the fields beside it, where
// variables are merged by name and mounts of mainContainer come first. An empty object when the
// service says nothing of it.
Tree MainToBeta(const Tree& service);

// Puts a container into the fields of a service as far as these say it exactly. Returns what is
// left for mainContainer, without the name.
Tree MainToAlpha(const Tree& container, Tree& service);

// envFrom that stands for one Secret; nothing unless the name is a string that is not empty.
Tree EnvFromSecret(const Tree& name);
// The name of the Secret when envFrom is exactly that; otherwise nothing.
Tree SecretOf(const Tree& env_from);

}  // namespace hearth::api::conversion::internal

#pragma once

#include "api/conversion/internal/builder.h"

namespace hearth::api::conversion::internal {

// Adds the content of the container main of a service to the container: mainContainer over the
// fields beside it, where variables are merged by name and mounts of mainContainer come first.
// Nothing when the service says nothing of it. The name of mainContainer does not matter.
void MainToBeta(const Tree& service, ObjectBuilder& container);

// Puts a container into the fields of a service as far as these say it exactly. Returns what is
// left for mainContainer, without the name; nothing when nothing is.
Tree MainToAlpha(const Tree& container, ObjectBuilder& service);

// envFrom that stands for one Secret; nothing unless the name is a string that is not empty.
Tree EnvFromSecret(const Tree& name, Arena& arena);
// The name of the Secret when envFrom is exactly that; otherwise nothing.
Tree SecretOf(const Tree& env_from, Arena& arena);

}  // namespace hearth::api::conversion::internal

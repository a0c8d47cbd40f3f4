#pragma once

#include "json/value.h"

namespace hearth::pods {

// Lays what a user says over a pod spec, a pod template or a container that we made:
// - what the user leaves out, or leaves empty, stays as it is; false and 0 count as said
// - lists whose items have a key (containers, env, volumes by name, ports by containerPort,
//   volumeMounts by mountPath, ...) merge by it, in our order, new items last in the user's;
//   other lists, command and args among them, are replaced
// - a probe, a variable, a volume and a claim are one thing: replaced, never mixed
// - maps such as limits, labels and selectors merge by key
// `within` is the member that `base` is in, so that lists of the same name are told apart:
// "spec", "containers".
void Overlay(json::Value& base, const json::Value& over, std::string_view within);

}  // namespace hearth::pods

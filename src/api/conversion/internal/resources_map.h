#pragma once

#include "api/conversion/internal/builder.h"

namespace hearth::api::conversion::internal {

// `resources` of a service and of a container: cpu, memory, gpu with gpuType, custom become
// requests and limits by resource name. What is no quantity is left out.
Tree ResourcesToBeta(const Tree& resources, Arena& arena);
// Back: nvidia.com/gpu becomes gpu, what has no field of its own custom. Nothing unless this says
// all of it: quantities that are written as numbers, say, are not strings.
Tree ResourcesToAlpha(const Tree& resources, Arena& arena);

// Digits and a suffix at most, as most are; the others are for those who know all about quantities.
bool IsPlainQuantity(std::string_view text);
// For a text that is read as a quantity: what is none takes longer than its length tells.
void SpendParsing(std::string_view text, Arena& arena);

}  // namespace hearth::api::conversion::internal

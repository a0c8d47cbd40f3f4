#pragma once

#include <string>
#include <string_view>

#include "api/conversion/internal/annotations.h"
#include "api/conversion/internal/part.h"

namespace hearth::api::conversion::internal {

enum class Direction { kToBeta, kToAlpha };

// A kind that has two versions.
struct ConvertibleKind {
  std::string_view kind;
  AnnotationNames annotations;
  // `object_name` is metadata.name.
  Passage (*spec)(Direction direction, const Tree& object_name);
  Passage (*status)(Direction direction);
  // Whether the spec can be said in v1alpha1.
  Status (*check_beta)(const Tree& spec);
};

// Null when the kind has one version or is not ours.
const ConvertibleKind* FindKind(std::string_view kind);

}  // namespace hearth::api::conversion::internal

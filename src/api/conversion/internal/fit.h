#pragma once

#include "api/conversion/internal/annotations.h"
#include "base/status.h"

namespace hearth::api::conversion::internal {

// What an API server takes of the annotations of an object, names and texts together. It looks at
// them again after a conversion that changed some: one object that has more fails every list it is
// in.
inline constexpr size_t kMostAnnotationBytes = size_t{256} << 10;

// Whether what is to be kept goes into the annotations beside those of others. What is kept of a
// status is given up when it does not: controllers write it anew. kInvalid, with
// kTooMuchToKeepReason and the name of the largest field, when what is kept of the spec does not.
Status MakeFit(const json::Value& metadata, const AnnotationNames& names, SavedTexts& saved);

}  // namespace hearth::api::conversion::internal

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "json/value.h"

namespace hearth::api::conversion::internal {

// The two annotations of a kind.
struct AnnotationNames {
  std::string_view spec;
  std::string_view status;
};

// What is to be kept in them; absent: nothing.
struct SavedTexts {
  std::optional<std::string> spec;
  std::optional<std::string> status;
};

// The text of an annotation; nothing when it is not there or no text.
std::optional<std::string_view> FindAnnotation(const json::Value& metadata, std::string_view name);

// The metadata with what is to be kept in place of what was kept. Everything else stays as it is,
// down to annotations that are missing, null or empty but for ours: the kept texts remember which.
json::Value WithSaved(const json::Value& metadata, const AnnotationNames& names, SavedTexts saved);

}  // namespace hearth::api::conversion::internal

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/conversion/internal/restore.h"
#include "base/result.h"
#include "schema/schema.h"

namespace hearth::api::conversion::internal {

// How spec or status goes from one version to another.
struct Passage {
  std::string part;  // "spec", "status"
  Mapping there;
  Mapping back;
  schema::SchemaPtr from;  // of the part, in the version it comes from
  schema::SchemaPtr to;
};

// What an annotation of the other version kept.
struct Saved {
  std::string_view annotation;           // its name
  std::optional<std::string_view> text;  // absent: there is none
};

struct Converted {
  json::Value value;
  std::optional<std::string> saved;  // for the annotation; absent when nothing needs to be saved
};

// Converts, puts back what was saved, and tells what must be kept now. Going there and back gives
// the same JSON: whatever the way back would lose or change is found by going it, and saved.
// kInvalid names a value that has the wrong type and cannot be carried over, or the annotation when
// putting it back takes more work than any object needs. Never of a status: what cannot be put
// back or kept of it is given up.
Result<Converted> Convert(const Passage& passage, const json::Value& live, const Saved& saved);

}  // namespace hearth::api::conversion::internal

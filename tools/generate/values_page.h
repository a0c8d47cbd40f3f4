#pragma once

#include <string_view>

#include "base/result.h"
#include "files.h"

namespace hearth::generate {

// docs/reference/helm-values.md: a row for each value of a values.yaml, with the comment above it.
// A mapping that is written on its key's line is one value. kInvalid: one has no comment.
Result<GeneratedFile> ValuesPage(std::string_view values);

}  // namespace hearth::generate

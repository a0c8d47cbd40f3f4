#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/status.h"

namespace hearth::cel::internal {

// "line:column" of a byte of the expression, both from 1, columns in code points.
std::string Position(std::string_view expression, size_t offset);

// "2:7: message" with the place and the bare message as its cause; see Program::Evaluate.
Status FailureAt(std::string_view expression, size_t offset, std::string_view message);

}  // namespace hearth::cel::internal

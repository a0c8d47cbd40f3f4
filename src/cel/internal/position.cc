#include "cel/internal/position.h"

#include <fmt/format.h>

#include <algorithm>

#include "cel/internal/utf8.h"

namespace hearth::cel::internal {

std::string Position(std::string_view expression, size_t offset) {
  const std::string_view before = expression.substr(0, std::min(offset, expression.size()));
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
  return fmt::format("{}:{}", lines + 1, CountCodePoints(before.substr(start)) + 1);
}

Status FailureAt(std::string_view expression, size_t offset, std::string_view message) {
  if (offset == std::string_view::npos) {
    offset = 0;
  }
  const std::string position = Position(expression, offset);
  return InvalidError(fmt::format("{}: {}", position, message))
      .WithCause({.reason = "", .message = std::string(message), .field = position});
}

}  // namespace hearth::cel::internal

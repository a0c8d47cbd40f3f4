#include "admission/dynamo/internal/semver.h"

#include <algorithm>

#include "base/strings.h"

namespace hearth::admission::dynamo {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsNumber(std::string_view text) {
  return !text.empty() && text.size() <= 18 && std::all_of(text.begin(), text.end(), IsDigit);
}

// Words of letters, digits and hyphens, with dots between them.
bool IsDotted(std::string_view text) {
  const auto pieces = Split(text, '.');
  return std::all_of(pieces.begin(), pieces.end(), [](std::string_view piece) {
    return !piece.empty() && std::all_of(piece.begin(), piece.end(), [](char c) {
      return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
    });
  });
}

// Cuts off what follows the mark. False when that is not as it should be.
bool TakeSuffix(std::string_view& text, char mark) {
  const size_t place = text.find(mark);
  if (place == std::string_view::npos) {
    return true;
  }
  const std::string_view suffix = text.substr(place + 1);
  text = text.substr(0, place);
  return IsDotted(suffix);
}

}  // namespace

bool IsSemver(std::string_view text) {
  if (text.starts_with('v')) {
    text.remove_prefix(1);
  }
  if (!TakeSuffix(text, '+') || !TakeSuffix(text, '-')) {
    return false;
  }
  const auto numbers = Split(text, '.');
  return numbers.size() <= 3 && std::all_of(numbers.begin(), numbers.end(), IsNumber);
}

}  // namespace hearth::admission::dynamo

#include "admission/webhook/internal/value_count.h"

namespace hearth::admission::webhook::internal {
namespace {

// Behind the string whose opening quote is at `at`, or the end.
size_t SkipString(std::string_view text, size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return text.size();
}

}  // namespace

size_t MostValues(std::string_view text) {
  size_t count = 1;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      at = SkipString(text, at);
      continue;
    }
    // A container has a first value, and one more behind each comma.
    count += static_cast<size_t>(c == ',' || c == '{' || c == '[');
    ++at;
  }
  return count;
}

size_t CountValues(const json::Value& value) {
  size_t count = 1;
  if (value.IsObject()) {
    for (const auto& [name, member] : value.members()) {
      count += CountValues(member);
    }
  } else if (value.IsArray()) {
    for (const json::Value& item : value.items()) {
      count += CountValues(item);
    }
  }
  return count;
}

}  // namespace hearth::admission::webhook::internal

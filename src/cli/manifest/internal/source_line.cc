#include "cli/manifest/internal/source_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"

namespace hearth::manifest::internal {
namespace {

constexpr size_t kWidth = 120;  // characters shown at most

bool BeginsCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

// The bytes of `count` characters from the `first` on.
std::string_view Characters(std::string_view line, size_t first, size_t count) {
  size_t seen = 0;
  size_t begin = line.size();
  for (size_t i = 0; i < line.size(); ++i) {
    if (!BeginsCharacter(line[i])) {
      continue;
    }
    begin = seen == first ? i : begin;
    if (seen++ == first + count) {
      return line.substr(begin, i - begin);
    }
  }
  return line.substr(begin);
}

size_t Length(std::string_view line) {
  return static_cast<size_t>(std::count_if(line.begin(), line.end(), BeginsCharacter));
}

std::string Harmless(std::string_view text) {
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '\t', ' ');
  return Excerpt(spaced, spaced.size());
}

}  // namespace

SourceLines::SourceLines(std::string_view text) : text_(text), begins_{0} {
  for (size_t i = text.find('\n'); i != std::string_view::npos; i = text.find('\n', i + 1)) {
    begins_.push_back(i + 1);
  }
}

std::string_view SourceLines::Line(int number) const {
  if (number < 1 || static_cast<size_t>(number) > begins_.size()) {
    return {};
  }
  const size_t begin = begins_[static_cast<size_t>(number) - 1];
  std::string_view line = text_.substr(begin, text_.find('\n', begin) - begin);
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  return number == 1 && line.starts_with("\xEF\xBB\xBF") ? line.substr(3) : line;
}

std::string SourceLines::Show(json::TextPosition at) const {
  const std::string_view line = Line(at.line);
  if (line.empty()) {
    return "";
  }
  const size_t column = static_cast<size_t>(std::max(at.column, 1)) - 1;
  const size_t first = Length(line) <= kWidth || column < kWidth / 2 ? 0 : column - kWidth / 2;
  return fmt::format("{:>5} | {}\n      | {}^\n", at.line,
                     Harmless(Characters(line, first, kWidth)), std::string(column - first, ' '));
}

}  // namespace hearth::manifest::internal

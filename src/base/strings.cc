#include "base/strings.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/internal/utf8.h"

namespace hearth {
namespace {

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kDots = "...";

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool IsControl(char c) {
  const auto byte = static_cast<uint8_t>(c);
  return byte < 0x20 || byte == 0x7F;
}

// How many whole words at the start hold only ASCII, in bytes: most text is ASCII from end to end.
size_t AsciiPrefix(std::string_view text) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  size_t at = 0;
  for (uint64_t word = 0; at + sizeof word <= text.size(); at += sizeof word) {
    std::memcpy(&word, text.data() + at, sizeof word);
    if ((word & kHighBits) != 0) {
      break;
    }
  }
  return at;
}

// Appends the first character of `text` as a message may hold it, and returns how many bytes of
// `text` it took.
size_t AppendPrintable(std::string_view text, std::string& out) {
  const size_t length = internal::Utf8Length(text);
  if (length == 0 || (length == 1 && IsControl(text[0]))) {
    out += '?';
    return 1;
  }
  // U+0080 to U+009F steer terminals as well.
  if (length == 2 && text[0] == '\xC2' && static_cast<unsigned char>(text[1]) < 0xA0) {
    out += '?';
    return 2;
  }
  out.append(text.substr(0, length));
  return length;
}

}  // namespace

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (size_t end = text.find(separator); end != std::string_view::npos;
       end = text.find(separator)) {
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  pieces.push_back(text);
  return pieces;
}

std::string Join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string joined;
  std::string_view before;
  for (const std::string& part : parts) {
    joined.append(before).append(part);
    before = separator;
  }
  return joined;
}

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

bool EqualIgnoreCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Lower(x) == Lower(y); });
}

bool ValidUtf8(std::string_view text) {
  text.remove_prefix(AsciiPrefix(text));
  while (!text.empty()) {
    const size_t length = internal::Utf8Length(text);
    if (length == 0) {
      return false;
    }
    text.remove_prefix(length);
    if (length == 1) {
      text.remove_prefix(AsciiPrefix(text));
    }
  }
  return true;
}

std::string Excerpt(std::string_view text, size_t limit) {
  const bool cut = text.size() > limit;
  const std::string_view dots = cut ? kDots.substr(0, limit) : std::string_view();
  const size_t room = limit - dots.size();
  std::string excerpt;
  while (!text.empty() &&
         excerpt.size() + std::max<size_t>(internal::Utf8Length(text), 1) <= room) {
    text.remove_prefix(AppendPrintable(text, excerpt));
  }
  return excerpt.append(dots);
}

}  // namespace hearth

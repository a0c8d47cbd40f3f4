#include "json/internal/escape.h"

#include <algorithm>

#include "json/internal/utf8.h"

namespace hearth::json::internal {
namespace {

constexpr uint32_t kNotHex = 0xFFFFFFFF;
constexpr uint32_t kReplacement = 0xFFFD;
constexpr size_t kUnicodeEscape = 6;  // \uXXXX

uint32_t HexDigit(char c) {
  if (c >= '0' && c <= '9') {
    return static_cast<uint32_t>(c - '0');
  }
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? static_cast<uint32_t>(lower - 'a' + 10) : kNotHex;
}

// The code unit of the \uXXXX that `raw` begins with, or kNotHex.
uint32_t CodeUnit(std::string_view raw) {
  if (raw.size() < kUnicodeEscape || raw[0] != '\\' || raw[1] != 'u') {
    return kNotHex;
  }
  uint32_t unit = 0;
  for (size_t i = 2; i < kUnicodeEscape; ++i) {
    const uint32_t digit = HexDigit(raw[i]);
    if (digit == kNotHex) {
      return kNotHex;
    }
    unit = unit * 16 + digit;
  }
  return unit;
}

bool IsHighSurrogate(uint32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool IsLowSurrogate(uint32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

// What the letter of a two-byte escape stands for; 0 when there is no such escape.
char ShortEscape(char letter) {
  switch (letter) {
    case '"':
    case '\\':
    case '/':
      return letter;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return 0;
  }
}

struct Decoded {
  uint32_t code_point = kReplacement;
  size_t length = 0;  // 0: not a valid escape
};

Decoded DecodeUnicode(std::string_view raw) {
  const uint32_t unit = CodeUnit(raw);
  if (unit == kNotHex || IsLowSurrogate(unit)) {
    return {};
  }
  if (!IsHighSurrogate(unit)) {
    return {unit, kUnicodeEscape};
  }
  const uint32_t low = CodeUnit(raw.substr(kUnicodeEscape));
  if (!IsLowSurrogate(low)) {
    return {};
  }
  return {0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00), 2 * kUnicodeEscape};
}

Decoded Decode(std::string_view raw) {
  if (raw.size() < 2) {
    return {};
  }
  if (raw[1] == 'u') {
    return DecodeUnicode(raw);
  }
  const char c = ShortEscape(raw[1]);
  return c == 0 ? Decoded{} : Decoded{static_cast<uint32_t>(c), 2};
}

}  // namespace

size_t EscapeLength(std::string_view raw) { return Decode(raw).length; }

void AppendUnescaped(std::string& out, std::string_view raw) {
  while (!raw.empty()) {
    const size_t plain = std::min(raw.find('\\'), raw.size());
    out.append(raw.substr(0, plain));
    raw.remove_prefix(plain);
    if (!raw.empty()) {
      const Decoded decoded = Decode(raw);
      AppendUtf8(out, decoded.code_point);
      raw.remove_prefix(decoded.length == 0 ? 1 : decoded.length);
    }
  }
}

bool UnescapedEquals(std::string_view raw, std::string_view text) {
  // An escape is longer than what it stands for.
  if (raw.size() <= text.size()) {
    return raw == text && raw.find('\\') == std::string_view::npos;
  }
  while (!raw.empty()) {
    const size_t plain = std::min(raw.find('\\'), raw.size());
    if (raw.substr(0, plain) != text.substr(0, plain)) {
      return false;
    }
    raw.remove_prefix(plain);
    text.remove_prefix(plain);
    if (!raw.empty()) {
      const Decoded decoded = Decode(raw);
      std::string character;  // short enough to need no memory of its own
      AppendUtf8(character, decoded.code_point);
      if (!text.starts_with(character)) {
        return false;
      }
      raw.remove_prefix(decoded.length == 0 ? 1 : decoded.length);
      text.remove_prefix(character.size());
    }
  }
  return text.empty();
}

}  // namespace hearth::json::internal

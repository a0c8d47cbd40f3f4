#include "schema/internal/go_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>

namespace hearth::schema::internal {
namespace {

// One code point from the front; 0xFFFFFFFF for bytes that are none, of which it takes one.
constexpr uint32_t kNotUtf8 = 0xFFFFFFFF;

uint32_t TakeRune(std::string_view& text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const size_t size = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (size == 0 || size > text.size()) {
    text.remove_prefix(1);
    return kNotUtf8;
  }
  uint32_t rune = size == 1 ? first : first & (0xFF >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    rune = (rune << 6) | (byte(i) & 0x3F);
  }
  text.remove_prefix(size);
  return rune;
}

// Nearly what unicode.IsPrint says: no controls, no spaces but the usual one, nothing unseen.
bool Printable(uint32_t rune) {
  if (rune < 0xA0) {
    return rune >= 0x20 && rune < 0x7F;
  }
  const bool space = rune == 0xA0 || rune == 0x1680 || rune == 0x202F || rune == 0x205F ||
                     rune == 0x3000 || (rune >= 0x2000 && rune <= 0x200F);
  const bool unseen = rune == 0xAD || (rune >= 0x2028 && rune <= 0x202E) ||
                      (rune >= 0x2060 && rune <= 0x206F) || (rune >= 0xE000 && rune <= 0xF8FF) ||
                      rune == 0xFEFF || (rune >= 0xFFF0 && rune <= 0xFFFB) ||
                      (rune & 0xFFFE) == 0xFFFE || rune >= 0xE0000;
  return !space && !unseen;
}

void AppendEscaped(std::string& out, uint32_t rune) {
  switch (rune) {
    case '\a':
      out += "\\a";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\v':
      out += "\\v";
      return;
    default:
      break;
  }
  if (rune < 0x80) {
    out += fmt::format("\\x{:02x}", rune);
  } else if (rune < 0x10000) {
    out += fmt::format("\\u{:04x}", rune);
  } else {
    out += fmt::format("\\U{:08x}", rune);
  }
}

// Shortest digits that read back the same, with an exponent outside of [from, to).
std::string FloatText(double value, double from, double to) {
  const double size = std::fabs(value);
  const bool exponent = size != 0 && (size < from || size >= to);
  char buffer[400];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value,
                    exponent ? std::chars_format::scientific : std::chars_format::fixed);
  return {buffer, end.ptr};
}

}  // namespace

std::string GoQuote(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::string_view before = text;
    const uint32_t rune = TakeRune(text);
    const std::string_view bytes = before.substr(0, before.size() - text.size());
    if (rune == kNotUtf8) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes[0]));
    } else if (rune == '"' || rune == '\\') {
      out.append("\\").append(bytes);
    } else if (Printable(rune)) {
      out += bytes;
    } else {
      AppendEscaped(out, rune);
    }
  }
  return out + "\"";
}

std::string GoText(double value) { return FloatText(value, 1e-4, 1e6); }

std::string GoText(const Number& number) {
  return number.is_int ? std::to_string(number.integer) : GoText(number.real);
}

std::string JsonText(const Number& number) {
  return number.is_int ? std::to_string(number.integer) : FloatText(number.real, 1e-6, 1e21);
}

}  // namespace hearth::schema::internal

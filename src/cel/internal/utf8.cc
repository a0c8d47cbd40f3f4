#include "cel/internal/utf8.h"

#include <algorithm>

namespace hearth::cel::internal {
namespace {

bool IsContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

size_t SequenceLength(unsigned char lead) {
  return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

}  // namespace

size_t CountCodePoints(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return !IsContinuation(byte); }));
}

std::u32string Decode(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  size_t i = 0;
  while (i < text.size()) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t length = std::min(SequenceLength(lead), text.size() - i);
    char32_t point = length == 1 ? lead : lead & (0xFF >> (length + 1));
    for (size_t k = 1; k < length; ++k) {
      point = (point << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3F);
    }
    points.push_back(point);
    i += length;
  }
  return points;
}

void AppendUtf8(char32_t point, std::string& out) {
  if (point < 0x80) {
    out += static_cast<char>(point);
    return;
  }
  const int extra = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  static constexpr unsigned char kLead[] = {0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(kLead[extra] | (point >> (6 * extra)));
  for (int k = extra - 1; k >= 0; --k) {
    out += static_cast<char>(0x80 | ((point >> (6 * k)) & 0x3F));
  }
}

std::string Encode(std::u32string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char32_t point : text) {
    AppendUtf8(point, out);
  }
  return out;
}

size_t ByteOffset(std::string_view text, size_t code_points) {
  size_t i = 0;
  while (i < text.size()) {
    if (!IsContinuation(text[i]) && code_points-- == 0) {
      return i;
    }
    ++i;
  }
  return i;
}

bool IsCodePoint(uint32_t value) { return value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF); }

}  // namespace hearth::cel::internal

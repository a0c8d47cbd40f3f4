#include "json/internal/utf8.h"

#include "json/internal/simd.h"

namespace hearth::json::internal {
namespace {

constexpr uint32_t kReplacement = 0xFFFD;

struct Lead {
  size_t length;        // of the whole character
  unsigned char first;  // smallest and largest second byte; what keeps out overlong forms,
                        // surrogates and what is too large
  unsigned char last;
};

// Unicode's table of well-formed byte sequences.
Lead LeadOf(unsigned char byte) {
  if (byte < 0x80) {
    return {1, 0, 0};
  }
  if (byte < 0xC2 || byte > 0xF4) {
    return {0, 0, 0};
  }
  if (byte < 0xE0) {
    return {2, 0x80, 0xBF};
  }
  if (byte < 0xF0) {
    return {3, static_cast<unsigned char>(byte == 0xE0 ? 0xA0 : 0x80),
            static_cast<unsigned char>(byte == 0xED ? 0x9F : 0xBF)};
  }
  return {4, static_cast<unsigned char>(byte == 0xF0 ? 0x90 : 0x80),
          static_cast<unsigned char>(byte == 0xF4 ? 0x8F : 0xBF)};
}

bool IsTail(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

char Tail(uint32_t code_point, int shift) {
  return static_cast<char>(0x80 | ((code_point >> shift) & 0x3F));
}

// Nearly all of what arrives is ASCII.
std::string_view WithoutAscii(std::string_view text) {
  const char* const end = text.data() + text.size();
  const char* const found = FindNonAscii(text.data(), end);
  return {found, static_cast<size_t>(end - found)};
}

}  // namespace

bool IsUtf8(std::string_view text) {
  for (text = WithoutAscii(text); !text.empty(); text = WithoutAscii(text)) {
    const size_t length = CharacterLength(text);
    if (length == 0) {
      return false;
    }
    text.remove_prefix(length);
  }
  return true;
}

size_t CharacterLength(std::string_view text) {
  if (text.empty()) {
    return 0;
  }
  const Lead lead = LeadOf(static_cast<unsigned char>(text[0]));
  if (lead.length <= 1) {
    return lead.length;
  }
  if (text.size() < lead.length) {
    return 0;
  }
  const auto second = static_cast<unsigned char>(text[1]);
  bool valid = second >= lead.first && second <= lead.last;
  for (size_t i = 2; i < lead.length; ++i) {
    valid = valid && IsTail(text[i]);
  }
  return valid ? lead.length : 0;
}

size_t FindInvalidUtf8(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    const size_t length = CharacterLength(text.substr(at));
    if (length == 0) {
      return at;
    }
    at += length;
  }
  return text.size();
}

void AppendUtf8(std::string& out, uint32_t code_point) {
  if (code_point > 0x10FFFF || (code_point >= 0xD800 && code_point <= 0xDFFF)) {
    code_point = kReplacement;
  }
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    out += static_cast<char>(0xC0 | (code_point >> 6));
    out += Tail(code_point, 0);
  } else if (code_point < 0x10000) {
    out += static_cast<char>(0xE0 | (code_point >> 12));
    out += Tail(code_point, 6);
    out += Tail(code_point, 0);
  } else {
    out += static_cast<char>(0xF0 | (code_point >> 18));
    out += Tail(code_point, 12);
    out += Tail(code_point, 6);
    out += Tail(code_point, 0);
  }
}

}  // namespace hearth::json::internal

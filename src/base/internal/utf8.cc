#include "base/internal/utf8.h"

#include <cstdint>

namespace hearth::internal {
namespace {

// What may follow a lead byte: how many bytes in all, and the range of the second one. The narrowed
// ranges are what keeps out overlong forms, surrogates and code points that are too large.
struct Form {
  size_t length;
  uint8_t second_low;
  uint8_t second_high;
};

Form FormOf(uint8_t lead) {
  if (lead >= 0xC2 && lead <= 0xDF) {
    return {2, 0x80, 0xBF};
  }
  if (lead >= 0xE0 && lead <= 0xEF) {
    return {3, static_cast<uint8_t>(lead == 0xE0 ? 0xA0 : 0x80),
            static_cast<uint8_t>(lead == 0xED ? 0x9F : 0xBF)};
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    return {4, static_cast<uint8_t>(lead == 0xF0 ? 0x90 : 0x80),
            static_cast<uint8_t>(lead == 0xF4 ? 0x8F : 0xBF)};
  }
  return {0, 0, 0};
}

}  // namespace

size_t Utf8Length(std::string_view text) {
  if (text.empty()) {
    return 0;
  }
  const auto lead = static_cast<uint8_t>(text[0]);
  if (lead < 0x80) {
    return 1;
  }
  const Form form = FormOf(lead);
  if (form.length == 0 || text.size() < form.length) {
    return 0;
  }
  const auto second = static_cast<uint8_t>(text[1]);
  if (second < form.second_low || second > form.second_high) {
    return 0;
  }
  for (size_t i = 2; i < form.length; ++i) {
    if ((static_cast<uint8_t>(text[i]) & 0xC0) != 0x80) {
      return 0;
    }
  }
  return form.length;
}

}  // namespace hearth::internal

#include "base/base64.h"

#include <array>
#include <cstdint>

namespace hearth {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr char kPadding = '=';
constexpr uint8_t kNotALetter = 0xFF;

constexpr std::array<uint8_t, 256> MakeValues() {
  std::array<uint8_t, 256> values{};
  values.fill(kNotALetter);
  for (size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<uint8_t>(kAlphabet[i])] = static_cast<uint8_t>(i);
  }
  return values;
}
constexpr std::array<uint8_t, 256> kValues = MakeValues();

char Letter(uint32_t bits, int shift) { return kAlphabet[(bits >> shift) & 0x3F]; }

// Up to three bytes, left-aligned in 24 bits.
uint32_t Group(std::string_view bytes) {
  uint32_t bits = 0;
  for (size_t i = 0; i < 3; ++i) {
    bits = bits << 8 | (i < bytes.size() ? static_cast<uint8_t>(bytes[i]) : 0);
  }
  return bits;
}

Status Bad(std::string_view what, size_t offset) {
  return InvalidError("base64 text: " + std::string(what) + " at byte " + std::to_string(offset));
}

// Takes letters one by one and gives a byte whenever it has eight bits.
class Decoder {
 public:
  Status Take(char c, size_t offset) {
    if (c == '\n' || c == '\r') {
      return {};
    }
    if (c == kPadding) {
      return TakePadding(offset);
    }
    const uint8_t value = kValues[static_cast<uint8_t>(c)];
    if (value == kNotALetter || padding_ > 0) {
      return Bad(padding_ > 0 ? "text after the padding" : "not a base64 letter", offset);
    }
    TakeLetter(value);
    return {};
  }

  Result<std::string> Finish(size_t offset) && {
    if ((letters_ + padding_) % 4 != 0) {
      return Bad("cut short or without padding", offset);
    }
    return std::move(bytes_);
  }

  void Reserve(size_t text_size) { bytes_.reserve(text_size / 4 * 3); }

 private:
  Status TakePadding(size_t offset) {
    // Of a group of four, only the third and the fourth may be padding.
    const size_t place = (letters_ + padding_) % 4;
    if (place < 2) {
      return Bad("padding where a letter must be", offset);
    }
    ++padding_;
    return {};
  }

  void TakeLetter(uint8_t value) {
    ++letters_;
    bits_ = bits_ << 6 | value;
    held_ += 6;
    if (held_ >= 8) {
      held_ -= 8;
      bytes_ += static_cast<char>(bits_ >> held_ & 0xFF);
    }
  }

  std::string bytes_;
  uint32_t bits_ = 0;
  int held_ = 0;
  size_t letters_ = 0;
  size_t padding_ = 0;
};

}  // namespace

std::string EncodeBase64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view group = bytes.substr(at, 3);
    const uint32_t bits = Group(group);
    text += Letter(bits, 18);
    text += Letter(bits, 12);
    text += group.size() > 1 ? Letter(bits, 6) : kPadding;
    text += group.size() > 2 ? Letter(bits, 0) : kPadding;
  }
  return text;
}

Result<std::string> DecodeBase64(std::string_view text) {
  Decoder decoder;
  decoder.Reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    RETURN_IF_ERROR(decoder.Take(text[i], i));
  }
  return std::move(decoder).Finish(text.size());
}

}  // namespace hearth

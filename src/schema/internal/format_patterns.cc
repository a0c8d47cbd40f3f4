// Formats that are a pattern, some with a check digit.
#include <re2/re2.h>

#include <algorithm>
#include <string>

#include "base/strings.h"
#include "schema/internal/format_checks.h"

namespace hearth::schema::internal {
namespace {

constexpr size_t kMaxHostname = 255;
constexpr size_t kMaxHostLabel = 63;

bool Matches(std::string_view text, const RE2& pattern) {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), pattern);
}

std::string Without(std::string_view text, bool (*unwanted)(char)) {
  std::string kept(text);
  kept.erase(std::remove_if(kept.begin(), kept.end(), unwanted), kept.end());
  return kept;
}

bool IsNoDigit(char c) { return c < '0' || c > '9'; }
bool IsSpaceOrMinus(char c) {
  return std::string_view(" \t\n\f\r-").find(c) != std::string_view::npos;
}

bool Luhn(std::string_view digits) {
  int sum = 0;
  bool twice = false;
  for (size_t i = digits.size(); i-- > 0; twice = !twice) {
    const int digit = (digits[i] - '0') * (twice ? 2 : 1);
    sum += digit >= 10 ? digit % 10 + 1 : digit;
  }
  return sum % 10 == 0;
}

}  // namespace

// One label, or labels with dots of which the last is of letters. The pieces are matched one by
// one: as a single pattern with its counts this takes megabytes.
bool IsHostname(std::string_view text) {
  static const RE2 kSingle(R"(^[a-zA-Z0-9\p{S}\p{L}]-?[a-zA-Z0-9\p{S}\p{L}]*$)");
  static const RE2 kInner(
      R"(^[a-zA-Z0-9\p{S}\p{L}]([-a-zA-Z0-9\p{S}\p{L}]*[a-zA-Z0-9\p{S}\p{L}])?$)");
  static const RE2 kLast(R"(^[a-zA-Z\p{L}][a-zA-Z\p{L}]+$)");
  const auto labels = Split(text, '.');
  if (text.size() > kMaxHostname ||
      std::any_of(labels.begin(), labels.end(),
                  [](std::string_view label) { return label.size() > kMaxHostLabel; })) {
    return false;
  }
  if (labels.size() == 1) {
    return Matches(text, kSingle);
  }
  return Matches(labels.back(), kLast) &&
         std::all_of(labels.begin(), labels.end() - 1,
                     [](std::string_view label) { return Matches(label, kInner); });
}

bool IsUuid(std::string_view text) {
  static const RE2 kPattern(
      "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$");
  return Matches(text, kPattern);
}

bool IsUuid3(std::string_view text) {
  static const RE2 kPattern(
      "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$");
  return Matches(text, kPattern);
}

bool IsUuid4(std::string_view text) {
  static const RE2 kPattern(
      "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$");
  return Matches(text, kPattern);
}

bool IsUuid5(std::string_view text) {
  static const RE2 kPattern(
      "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$");
  return Matches(text, kPattern);
}

bool IsBase64(std::string_view text) {
  static const RE2 kPattern(
      "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$");
  return Matches(text, kPattern);
}

bool IsBsonObjectId(std::string_view text) {
  static const RE2 kPattern("^[0-9a-fA-F]{24}$");
  return Matches(text, kPattern);
}

bool IsIsbn10(std::string_view text) {
  static const RE2 kPattern("^(?:[0-9]{9}X|[0-9]{10})$");
  const std::string isbn = Without(text, IsSpaceOrMinus);
  if (!Matches(isbn, kPattern)) {
    return false;
  }
  int sum = 0;
  for (int i = 0; i < 10; ++i) {
    const char c = isbn[static_cast<size_t>(i)];
    sum += (i + 1) * (c == 'X' ? 10 : c - '0');
  }
  return sum % 11 == 0;
}

bool IsIsbn13(std::string_view text) {
  static const RE2 kPattern("^[0-9]{13}$");
  const std::string isbn = Without(text, IsSpaceOrMinus);
  if (!Matches(isbn, kPattern)) {
    return false;
  }
  int sum = 0;
  for (size_t i = 0; i < 13; ++i) {
    sum += (isbn[i] - '0') * (i % 2 == 0 ? 1 : 3);
  }
  return sum % 10 == 0;
}

bool IsCreditCard(std::string_view text) {
  static const RE2 kPattern(
      R"(^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|)"
      R"(3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$)");
  const std::string digits = Without(text, IsNoDigit);
  return Matches(digits, kPattern) && Luhn(digits);
}

bool IsSsn(std::string_view text) {
  static const RE2 kPattern(R"(^\d{3}[- ]?\d{2}[- ]?\d{4}$)");
  return text.size() == 11 && Matches(text, kPattern);
}

bool IsHexColor(std::string_view text) {
  static const RE2 kPattern("^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$");
  return Matches(text, kPattern);
}

bool IsRgbColor(std::string_view text) {
  static const RE2 kPattern(R"(^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,)"
                            R"(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,)"
                            R"(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$)");
  return Matches(text, kPattern);
}

}  // namespace hearth::schema::internal

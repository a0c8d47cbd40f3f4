#include "json/internal/number.h"

#include <charconv>
#include <cmath>

namespace hearth::json::internal {
namespace {

bool IsDigit(const char* p, const char* end) { return p != end && *p >= '0' && *p <= '9'; }

// Behind one digit or more; null when there is none.
const char* SkipDigits(const char* p, const char* end) {
  if (!IsDigit(p, end)) {
    return nullptr;
  }
  while (IsDigit(p, end)) {
    ++p;
  }
  return p;
}

const char* SkipExponent(const char* p, const char* end) {
  if (p == end || (*p != 'e' && *p != 'E')) {
    return p;
  }
  ++p;
  if (p != end && (*p == '+' || *p == '-')) {
    ++p;
  }
  return SkipDigits(p, end);
}

template <typename T>
std::optional<T> FromToken(std::string_view token) {
  T value{};
  const char* end = token.data() + token.size();
  const auto [stopped, error] = std::from_chars(token.data(), end, value);
  return error == std::errc() && stopped == end ? std::optional<T>(value) : std::nullopt;
}

template <typename T>
void AppendAsText(std::string& out, T value) {
  char buffer[32];  // a double needs 24
  const auto written = std::to_chars(buffer, buffer + sizeof(buffer), value);
  out.append(buffer, written.ptr);
}

}  // namespace

const char* NumberEnd(const char* p, const char* end) {
  if (p != end && *p == '-') {
    ++p;
  }
  const bool zero = p != end && *p == '0';  // a zero in front stands alone
  p = zero ? p + 1 : SkipDigits(p, end);
  if (p != nullptr && p != end && *p == '.') {
    p = SkipDigits(p + 1, end);
  }
  return p == nullptr ? nullptr : SkipExponent(p, end);
}

std::optional<int64_t> TokenToInt(std::string_view token) { return FromToken<int64_t>(token); }
std::optional<double> TokenToDouble(std::string_view token) { return FromToken<double>(token); }

void AppendInt(std::string& out, int64_t value) { AppendAsText(out, value); }
void AppendUint(std::string& out, uint64_t value) { AppendAsText(out, value); }

void AppendDouble(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  AppendAsText(out, value);
}

}  // namespace hearth::json::internal

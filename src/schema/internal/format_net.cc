#include <arpa/inet.h>

#include <optional>
#include <string>

#include "schema/internal/format_checks.h"

namespace hearth::schema::internal {
namespace {

bool IsHex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

std::optional<int> SmallNumber(std::string_view text, int max) {
  int value = 0;
  if (text.empty()) {
    return std::nullopt;
  }
  for (const char c : text) {
    if (c < '0' || c > '9') {
      return std::nullopt;
    }
    value = value * 10 + (c - '0');
    if (value > max) {
      return std::nullopt;
    }
  }
  return value;
}

// Four numbers with dots; zeros in front are taken, as Kubernetes still does.
bool IsDotted(std::string_view text) {
  for (int part = 0; part < 4; ++part) {
    const size_t dot = part < 3 ? text.find('.') : text.size();
    if (dot == std::string_view::npos || !SmallNumber(text.substr(0, dot), 255)) {
      return false;
    }
    text.remove_prefix(part < 3 ? dot + 1 : dot);
  }
  return true;
}

bool IsColoned(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) {
    return false;
  }
  in6_addr address;
  return inet_pton(AF_INET6, std::string(text).c_str(), &address) == 1;
}

bool IsOctetCount(size_t count) { return count == 6 || count == 8 || count == 20; }

bool HexGroups(std::string_view text, size_t digits, char separator) {
  for (size_t i = 0; i < text.size(); ++i) {
    const bool between = i % (digits + 1) == digits;
    if (between ? text[i] != separator : !IsHex(text[i])) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool IsIpv4(std::string_view text) {
  return IsDotted(text) || (text.find('.') != std::string_view::npos && IsColoned(text));
}

bool IsIpv6(std::string_view text) {
  return text.find(':') != std::string_view::npos && IsColoned(text);
}

bool IsCidr(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    return false;
  }
  const std::string_view address = text.substr(0, slash);
  const std::string_view bits = text.substr(slash + 1);
  if (IsDotted(address)) {
    return SmallNumber(bits, 32).has_value();
  }
  return IsColoned(address) && SmallNumber(bits, 128).has_value();
}

bool IsMac(std::string_view text) {
  if (text.size() < 14) {
    return false;
  }
  if (text[2] == ':' || text[2] == '-') {
    return (text.size() + 1) % 3 == 0 && IsOctetCount((text.size() + 1) / 3) &&
           HexGroups(text, 2, text[2]);
  }
  return text[4] == '.' && (text.size() + 1) % 5 == 0 &&
         IsOctetCount(2 * ((text.size() + 1) / 5)) && HexGroups(text, 4, '.');
}

}  // namespace hearth::schema::internal

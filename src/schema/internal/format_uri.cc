// A URI as Go's url.ParseRequestURI takes it: absolute, or a path from the root.
#include <algorithm>
#include <string>

#include "schema/internal/format_checks.h"

namespace hearth::schema::internal {
namespace {

bool IsAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
int Hex(char c) {
  return IsDigit(c)             ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

bool IsEscape(std::string_view text, size_t at) {
  return at + 2 < text.size() && Hex(text[at + 1]) >= 0 && Hex(text[at + 2]) >= 0;
}

bool ValidEscapes(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && !IsEscape(text, i)) {
      return false;
    }
  }
  return true;
}

bool HostChar(char c) {
  return static_cast<unsigned char>(c) >= 0x80 || IsAlpha(c) || IsDigit(c) ||
         std::string_view("-_.~!$&'()*+,;=:[]<>\"").find(c) != std::string_view::npos;
}

bool ValidHost(std::string_view host) {
  for (size_t i = 0; i < host.size(); ++i) {
    if (host[i] == '%') {
      // Only bytes that are not ASCII may be escaped here, and the percent sign.
      if (!IsEscape(host, i) || (Hex(host[i + 1]) < 8 && host.substr(i, 3) != "%25")) {
        return false;
      }
    } else if (!HostChar(host[i])) {
      return false;
    }
  }
  return true;
}

bool ValidPort(std::string_view port) {
  return port.empty() || (port[0] == ':' && std::all_of(port.begin() + 1, port.end(), IsDigit));
}

bool ValidHostAndPort(std::string_view host) {
  if (host.starts_with('[')) {
    const size_t close = host.rfind(']');
    return close != std::string_view::npos && ValidPort(host.substr(close + 1)) &&
           ValidHost(host.substr(0, close));
  }
  const size_t colon = host.rfind(':');
  return (colon == std::string_view::npos || ValidPort(host.substr(colon))) && ValidHost(host);
}

bool ValidUserInfo(std::string_view user) {
  return std::all_of(user.begin(), user.end(),
                     [](char c) {
                       return IsAlpha(c) || IsDigit(c) ||
                              std::string_view("-._:~!$&'()*+,;=%@").find(c) !=
                                  std::string_view::npos;
                     }) &&
         ValidEscapes(user);
}

bool ValidAuthority(std::string_view authority) {
  const size_t at = authority.rfind('@');
  if (at == std::string_view::npos) {
    return ValidHostAndPort(authority);
  }
  return ValidUserInfo(authority.substr(0, at)) && ValidHostAndPort(authority.substr(at + 1));
}

// The length of "scheme:", 0 when there is none, npos when it is broken.
size_t SchemeLength(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ':') {
      return i == 0 ? std::string_view::npos : i + 1;
    }
    const bool inner = IsDigit(c) || c == '+' || c == '-' || c == '.';
    if (!IsAlpha(c) && (!inner || i == 0)) {
      return 0;
    }
  }
  return 0;
}

}  // namespace

bool IsRequestUri(std::string_view text) {
  const bool control =
      std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; });
  if (text.empty() || control) {
    return false;
  }
  const size_t scheme = SchemeLength(text);
  if (scheme == std::string_view::npos) {
    return false;
  }
  std::string_view rest = text == "*" ? "/" : text.substr(scheme);
  rest = rest.substr(0, rest.find('?'));
  if (!rest.starts_with('/')) {
    return scheme > 0;  // mailto:somebody
  }
  if (scheme > 0 && rest.starts_with("//")) {
    rest.remove_prefix(2);
    const size_t slash = std::min(rest.find('/'), rest.size());
    if (!ValidAuthority(rest.substr(0, slash))) {
      return false;
    }
    rest.remove_prefix(slash);
  }
  return ValidEscapes(rest);
}

}  // namespace hearth::schema::internal

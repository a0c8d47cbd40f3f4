#include "net/endpoint.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/un.h>

#include <algorithm>
#include <charconv>

#include "base/strings.h"

namespace hearth::net {
namespace {

constexpr uint16_t kHttpPort = 80;
constexpr uint16_t kHttpsPort = 443;
// Room for the final zero, or for the first one of an abstract name.
constexpr size_t kMaxUnixPath = sizeof(sockaddr_un::sun_path) - 1;
constexpr size_t kMaxHost = 253;  // what the name system can carry

Status BadUrl(std::string_view url, std::string_view why) {
  return InvalidError(fmt::format("URL \"{}\": {}", Excerpt(url, 200), why));
}

bool IsHostCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_';
}

bool IsIpv4(const std::string& host, in_addr* address) {
  return inet_pton(AF_INET, host.c_str(), address) == 1;
}

bool IsIpv6(const std::string& host, in6_addr* address) {
  return inet_pton(AF_INET6, host.c_str(), address) == 1;
}

uint16_t DefaultPort(bool tls) { return tls ? kHttpsPort : kHttpPort; }

std::string Bracketed(const std::string& host) {
  return host.find(':') == std::string::npos ? host : fmt::format("[{}]", host);
}

Result<Endpoint> ParseUnix(std::string_view url, std::string_view rest) {
  Endpoint endpoint;
  endpoint.unix_path = std::string(rest);
  if (rest.size() < 2 || (rest[0] != '/' && rest[0] != '@')) {
    return BadUrl(url, "a unix socket needs an absolute path (unix:///run/x.sock) or an @name");
  }
  if (rest.size() > kMaxUnixPath) {
    return BadUrl(url, fmt::format("a unix socket's path has {} bytes at most", kMaxUnixPath));
  }
  if (rest.find('\0') != std::string_view::npos) {
    return BadUrl(url, "the path holds a zero byte");
  }
  return endpoint;
}

// Both outputs point into `authority`; the port is empty when none is written.
struct HostAndPort {
  std::string_view host;
  std::string_view port;
  bool has_port = false;
  bool bracketed = false;
};

Result<HostAndPort> SplitAuthority(std::string_view url, std::string_view authority) {
  HostAndPort parts;
  std::string_view after_host;
  if (authority.starts_with('[')) {
    const size_t end = authority.find(']');
    if (end == std::string_view::npos) {
      return BadUrl(url, "the bracket of an IPv6 address is not closed");
    }
    parts.bracketed = true;
    parts.host = authority.substr(1, end - 1);
    after_host = authority.substr(end + 1);
  } else {
    const size_t colon = std::min(authority.find(':'), authority.size());
    parts.host = authority.substr(0, colon);
    after_host = authority.substr(colon);
  }
  if (!after_host.empty()) {
    if (after_host[0] != ':') {
      return BadUrl(url, "only a port may follow the host");
    }
    parts.has_port = true;
    parts.port = after_host.substr(1);
  }
  return parts;
}

Result<uint16_t> ParsePort(std::string_view url, std::string_view text) {
  uint16_t port = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, port);
  if (text.empty() || error != std::errc() || stop != end) {
    return BadUrl(url, "the port is not a number between 0 and 65535");
  }
  return port;
}

Status CheckHost(std::string_view url, const HostAndPort& parts) {
  const std::string host(parts.host);
  if (parts.bracketed) {
    in6_addr address;
    return IsIpv6(host, &address) ? Status::Ok() : BadUrl(url, "not an IPv6 address in brackets");
  }
  if (host.empty()) {
    return BadUrl(url, "the host is missing");
  }
  if (host.size() > kMaxHost || !std::all_of(host.begin(), host.end(), IsHostCharacter)) {
    return BadUrl(url, "the host is neither a name nor an address (IPv6 goes in brackets)");
  }
  return Status::Ok();
}

Status CheckPath(std::string_view url, std::string_view path) {
  for (const char c : path) {
    if (static_cast<unsigned char>(c) <= ' ' || c == '\x7f') {
      return BadUrl(url, "the path holds a space or a control character");
    }
  }
  return Status::Ok();
}

Result<Endpoint> ParseTcp(std::string_view url, bool tls, std::string_view rest,
                          std::string* path) {
  if (rest.find_first_of("?#") != std::string_view::npos) {
    return BadUrl(url, "a query or a fragment has no place here");
  }
  const size_t slash = std::min(rest.find('/'), rest.size());
  const std::string_view authority = rest.substr(0, slash);
  // A lone slash says nothing more than none at all.
  const std::string_view behind = rest.size() == slash + 1 ? "" : rest.substr(slash);
  if (authority.find('@') != std::string_view::npos) {
    return InvalidError("the URL carries a user name or a password; give credentials separately");
  }
  ASSIGN_OR_RETURN(const HostAndPort parts, SplitAuthority(url, authority));
  RETURN_IF_ERROR(CheckHost(url, parts));
  RETURN_IF_ERROR(CheckPath(url, behind));
  Endpoint endpoint{.tls = tls, .host = std::string(parts.host), .port = DefaultPort(tls)};
  if (parts.has_port) {
    ASSIGN_OR_RETURN(endpoint.port, ParsePort(url, parts.port));
  }
  if (path != nullptr) {
    *path = std::string(behind);
  } else if (!behind.empty()) {
    return BadUrl(url, "a path has no place here");
  }
  return endpoint;
}

}  // namespace

Result<Endpoint> Endpoint::ParseUrl(std::string_view url, std::string* path) {
  if (path != nullptr) {
    path->clear();
  }
  const size_t separator = url.find("://");
  if (separator == std::string_view::npos) {
    return BadUrl(url, "expected http://host, https://host or unix:///path");
  }
  const std::string_view scheme = url.substr(0, separator);
  const std::string_view rest = url.substr(separator + 3);
  if (EqualIgnoreCase(scheme, "unix")) {
    return ParseUnix(url, rest);
  }
  if (EqualIgnoreCase(scheme, "http") || EqualIgnoreCase(scheme, "https")) {
    return ParseTcp(url, scheme.size() == 5, rest, path);
  }
  return BadUrl(url, "the scheme is not http, https or unix");
}

bool Endpoint::IsLoopback() const {
  if (IsUnix() || EqualIgnoreCase(host, "localhost")) {
    return true;
  }
  if (in_addr v4; IsIpv4(host, &v4)) {
    return (ntohl(v4.s_addr) >> 24) == 127;
  }
  if (in6_addr v6; IsIpv6(host, &v6)) {
    const bool mapped_v4 = IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[12] == 127;
    return IN6_IS_ADDR_LOOPBACK(&v6) || mapped_v4;
  }
  return false;
}

std::string Endpoint::ToString() const {
  if (IsUnix()) {
    return "unix://" + unix_path;
  }
  return fmt::format("{}://{}:{}", tls ? "https" : "http", Bracketed(host), port);
}

std::string Endpoint::HostHeader() const {
  if (IsUnix()) {
    return "localhost";
  }
  return port == DefaultPort(tls) ? Bracketed(host) : fmt::format("{}:{}", Bracketed(host), port);
}

}  // namespace hearth::net

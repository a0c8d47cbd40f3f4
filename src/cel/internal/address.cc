#include "cel/internal/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/strings.h"

namespace hearth::cel::internal {
namespace {

constexpr size_t kMaxText = 64;

bool ReadBytes(const std::string& text, Address& address) {
  address.size = text.find(':') == std::string::npos ? 4 : 16;
  const int family = address.size == 4 ? AF_INET : AF_INET6;
  return text.size() <= kMaxText && inet_pton(family, text.c_str(), address.bytes.data()) == 1;
}

bool IsIpv4InIpv6(const Address& address) {
  static constexpr std::array<uint8_t, 12> kPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  return address.size == 16 && std::equal(kPrefix.begin(), kPrefix.end(), address.bytes.begin());
}

uint16_t Group(const Address& address, size_t i) {
  return static_cast<uint16_t>(address.bytes[2 * i] << 8 | address.bytes[2 * i + 1]);
}

// Where the longest run of two or more zero groups starts, and its length.
std::pair<size_t, size_t> LongestZeros(const Address& address) {
  std::pair<size_t, size_t> best{8, 1};
  for (size_t i = 0; i < 8; ++i) {
    size_t end = i;
    while (end < 8 && Group(address, end) == 0) {
      ++end;
    }
    if (end - i > best.second) {
      best = {i, end - i};
    }
  }
  return best;
}

}  // namespace

Result<Address> ParseAddress(std::string_view text) {
  const std::string shown = Excerpt(text, 60);
  if (text.find('%') != std::string_view::npos) {
    return InvalidError(fmt::format("IP address \"{}\" with zone value is not allowed", shown));
  }
  Address address;
  if (text.find('\0') != std::string_view::npos || !ReadBytes(std::string(text), address)) {
    return InvalidError(
        fmt::format("IP Address \"{}\" parse error during conversion from string: "
                    "ParseAddr: unable to parse IP",
                    shown));
  }
  if (IsIpv4InIpv6(address)) {
    return InvalidError(fmt::format("IPv4-mapped IPv6 address \"{}\" is not allowed", shown));
  }
  return address;
}

Result<Network> ParseNetwork(std::string_view text) {
  const auto fail = [&](std::string_view why) {
    return InvalidError(
        fmt::format("network address parse error during conversion from string: {} (\"{}\")", why,
                    Excerpt(text, 60)));
  };
  const size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) {
    return fail("no '/'");
  }
  const auto address = ParseAddress(text.substr(0, slash));
  if (!address.ok()) {
    return fail(address.status().message());
  }
  const std::string_view digits = text.substr(slash + 1);
  int bits = -1;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  const bool plain = read.ec == std::errc() && read.ptr == digits.data() + digits.size() &&
                     (digits.size() == 1 || digits.front() != '0') && digits.front() != '-';
  if (!plain || bits < 0 || bits > static_cast<int>(address->size) * 8) {
    return fail("prefix length out of range");
  }
  return Network{*address, bits};
}

std::string AddressText(const Address& address) {
  if (address.size == 4) {
    const auto& b = address.bytes;
    return fmt::format("{}.{}.{}.{}", b[0], b[1], b[2], b[3]);
  }
  const auto [start, length] = LongestZeros(address);
  std::string out;
  for (size_t i = 0; i < 8; ++i) {
    if (i == start) {
      out += "::";
      i += length - 1;
      continue;
    }
    out += out.empty() || out.back() == ':' ? "" : ":";
    out += fmt::format("{:x}", Group(address, i));
  }
  return out;
}

std::string NetworkText(const Network& network) {
  return fmt::format("{}/{}", AddressText(network.address), network.bits);
}

Address Masked(const Address& address, int bits) {
  Address masked = address;
  for (size_t i = 0; i < masked.size; ++i) {
    const int kept = std::clamp(bits - static_cast<int>(i) * 8, 0, 8);
    masked.bytes[i] = static_cast<uint8_t>(masked.bytes[i] & (0xFF00 >> kept));
  }
  return masked;
}

Value MakeIp(const Address& address) { return Value::OfOpaque(std::make_shared<IpValue>(address)); }

const Address& AddressOf(const Value& ip) {
  return static_cast<const IpValue&>(ip.opaque()).address();
}

Value IpFromText(std::string_view text) {
  const auto address = ParseAddress(text);
  return address.ok() ? MakeIp(*address) : Value::Error(std::string(address.status().message()));
}

}  // namespace hearth::cel::internal

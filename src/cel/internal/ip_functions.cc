#include <algorithm>
#include <string>

#include "cel/internal/address.h"
#include "cel/internal/function.h"

namespace hearth::cel::internal {
namespace {

bool AllZero(const Address& address) {
  return std::all_of(address.bytes.begin(), address.bytes.end(), [](uint8_t b) { return b == 0; });
}

bool IsBroadcast(const Address& address) {
  return address.size == 4 && std::all_of(address.bytes.begin(), address.bytes.begin() + 4,
                                          [](uint8_t b) { return b == 0xFF; });
}

bool IsLoopbackAddress(const Address& address) {
  if (address.size == 4) {
    return address.bytes[0] == 127;
  }
  Address one{.size = 16};
  one.bytes[15] = 1;
  return address == one;
}

bool IsMulticast(const Address& address) {
  return address.size == 4 ? (address.bytes[0] & 0xF0) == 0xE0 : address.bytes[0] == 0xFF;
}

bool IsLinkLocalUnicastAddress(const Address& address) {
  return address.size == 4 ? address.bytes[0] == 169 && address.bytes[1] == 254
                           : address.bytes[0] == 0xFE && (address.bytes[1] & 0xC0) == 0x80;
}

bool IsLinkLocalMulticastAddress(const Address& address) {
  return address.size == 4
             ? address.bytes[0] == 224 && address.bytes[1] == 0 && address.bytes[2] == 0
             : address.bytes[0] == 0xFF && (address.bytes[1] & 0x0F) == 0x02;
}

bool IsGlobalUnicastAddress(const Address& address) {
  return !AllZero(address) && !IsBroadcast(address) && !IsLoopbackAddress(address) &&
         !IsMulticast(address) && !IsLinkLocalUnicastAddress(address);
}

template <bool (*test)(const Address&)>
Value Test(const Call& call) {
  return Value::Bool(test(AddressOf(call[0])));
}

Value Ip(const Call& call) { return IpFromText(call[0].text()); }
Value IsIp(const Call& call) { return Value::Bool(ParseAddress(call[0].text()).ok()); }
Value Family(const Call& call) { return Value::Int(AddressOf(call[0]).size == 4 ? 4 : 6); }
Value ToText(const Call& call) { return Value::String(AddressText(AddressOf(call[0]))); }

Value IsCanonical(const Call& call) {
  const auto address = ParseAddress(call[0].text());
  return address.ok() ? Value::Bool(AddressText(*address) == call[0].text())
                      : Value::Error(std::string(address.status().message()));
}

constexpr auto kGlobal = Style::kGlobal;
constexpr auto kMember = Style::kMember;
const Overload kFunctions[] = {
    {"ip", kGlobal, {Kind::kString}, Ip, CostRule::kText},
    {"isIP", kGlobal, {Kind::kString}, IsIp, CostRule::kText},
    {"ip.isCanonical", kGlobal, {Kind::kString}, IsCanonical, CostRule::kTextTwice},
    {"string", kGlobal, {Kind::kIp}, ToText},
    {"family", kMember, {Kind::kIp}, Family},
    {"isUnspecified", kMember, {Kind::kIp}, Test<AllZero>},
    {"isLoopback", kMember, {Kind::kIp}, Test<IsLoopbackAddress>},
    {"isLinkLocalMulticast", kMember, {Kind::kIp}, Test<IsLinkLocalMulticastAddress>},
    {"isLinkLocalUnicast", kMember, {Kind::kIp}, Test<IsLinkLocalUnicastAddress>},
    {"isGlobalUnicast", kMember, {Kind::kIp}, Test<IsGlobalUnicastAddress>},
};

}  // namespace

Overloads IpFunctions() { return kFunctions; }

}  // namespace hearth::cel::internal

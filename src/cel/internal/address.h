#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cel/opaque.h"

namespace hearth::cel::internal {

// An IPv4 or IPv6 address.
struct Address {
  std::array<uint8_t, 16> bytes{};
  size_t size = 4;  // 4 or 16 of them
  friend bool operator==(const Address&, const Address&) = default;
};

// A network: an address, not necessarily its first, and how many leading bits are the network's.
struct Network {
  Address address;
  int bits = 0;
  friend bool operator==(const Network&, const Network&) = default;
};

// Without zones and IPv4 in IPv6; kInvalid otherwise.
Result<Address> ParseAddress(std::string_view text);
Result<Network> ParseNetwork(std::string_view text);
std::string AddressText(const Address& address);  // RFC 5952
std::string NetworkText(const Network& network);

// The bits past the network's set to zero.
Address Masked(const Address& address, int bits);

class IpValue final : public Opaque {
 public:
  explicit IpValue(const Address& address) : Opaque(Kind::kIp), address_(address) {}
  bool Equals(const Opaque& other) const override {
    return address_ == static_cast<const IpValue&>(other).address_;
  }
  size_t size() const override { return address_.size; }
  const Address& address() const { return address_; }

 private:
  Address address_;
};

Value MakeIp(const Address& address);
const Address& AddressOf(const Value& ip);
// ip("..."): the address as a value, or the error.
Value IpFromText(std::string_view text);

}  // namespace hearth::cel::internal

#include <memory>
#include <string>

#include "cel/internal/address.h"
#include "cel/internal/function.h"

namespace hearth::cel::internal {
namespace {

class CidrValue final : public Opaque {
 public:
  explicit CidrValue(const Network& network) : Opaque(Kind::kCidr), network_(network) {}
  bool Equals(const Opaque& other) const override {
    return network_ == static_cast<const CidrValue&>(other).network_;
  }
  size_t size() const override { return static_cast<size_t>(network_.bits + 7) / 8; }
  const Network& network() const { return network_; }

 private:
  Network network_;
};

const Network& NetworkOf(const Value& value) {
  return static_cast<const CidrValue&>(value.opaque()).network();
}

Value Wrap(const Network& network) { return Value::OfOpaque(std::make_shared<CidrValue>(network)); }

Value CidrFromText(std::string_view text) {
  const auto network = ParseNetwork(text);
  return network.ok() ? Wrap(*network) : Value::Error(std::string(network.status().message()));
}

bool Contains(const Network& network, const Address& address) {
  return network.address.size == address.size &&
         Masked(network.address, network.bits) == Masked(address, network.bits);
}

Value Cidr(const Call& call) { return CidrFromText(call[0].text()); }
Value IsCidr(const Call& call) { return Value::Bool(ParseNetwork(call[0].text()).ok()); }
Value IpOf(const Call& call) { return MakeIp(NetworkOf(call[0]).address); }
Value PrefixLength(const Call& call) { return Value::Int(NetworkOf(call[0]).bits); }
Value ToText(const Call& call) { return Value::String(NetworkText(NetworkOf(call[0]))); }

Value MaskedCidr(const Call& call) {
  const Network& network = NetworkOf(call[0]);
  return Wrap({Masked(network.address, network.bits), network.bits});
}

Value ContainsIp(const Call& call) {
  const Value ip = call[1].Is(Kind::kString) ? IpFromText(call[1].text()) : call[1];
  return ip.IsError() ? ip : Value::Bool(Contains(NetworkOf(call[0]), AddressOf(ip)));
}

Value ContainsCidr(const Call& call) {
  Value other = call[1].Is(Kind::kString) ? CidrFromText(call[1].text()) : call[1];
  if (other.IsError()) {
    return other;
  }
  const Network& outer = NetworkOf(call[0]);
  const Network& inner = NetworkOf(other);
  return Value::Bool(outer.bits <= inner.bits && Contains(outer, inner.address));
}

constexpr auto kGlobal = Style::kGlobal;
constexpr auto kMember = Style::kMember;
constexpr auto kCidr = Kind::kCidr;
const Overload kFunctions[] = {
    {"cidr", kGlobal, {Kind::kString}, Cidr, CostRule::kText},
    {"isCIDR", kGlobal, {Kind::kString}, IsCidr, CostRule::kText},
    {"string", kGlobal, {kCidr}, ToText},
    {"ip", kMember, {kCidr}, IpOf},
    {"prefixLength", kMember, {kCidr}, PrefixLength},
    {"masked", kMember, {kCidr}, MaskedCidr},
    {"containsIP", kMember, {kCidr, Kind::kIp}, ContainsIp, CostRule::kContainsIp},
    {"containsIP", kMember, {kCidr, Kind::kString}, ContainsIp, CostRule::kContainsIpText},
    {"containsCIDR", kMember, {kCidr, kCidr}, ContainsCidr, CostRule::kContainsCidr},
    {"containsCIDR", kMember, {kCidr, Kind::kString}, ContainsCidr, CostRule::kContainsCidrText},
};

}  // namespace

Overloads CidrFunctions() { return kFunctions; }

}  // namespace hearth::cel::internal

#include "gms/core/lease.h"

#include <array>
#include <utility>

namespace hearth::gms {
namespace {

template <typename T>
using Names = std::pair<T, std::string_view>;

constexpr std::array kRequests = {
    Names<LeaseRequest>{LeaseRequest::kRw, "rw"},
    Names<LeaseRequest>{LeaseRequest::kRo, "ro"},
    Names<LeaseRequest>{LeaseRequest::kRwOrRo, "rw_or_ro"},
    Names<LeaseRequest>{LeaseRequest::kRwDataOrRw, "rw_data_or_rw"},
    Names<LeaseRequest>{LeaseRequest::kRwShadow, "rw_shadow"},
};
constexpr std::array kGrants = {
    Names<Grant>{Grant::kRw, "rw"},
    Names<Grant>{Grant::kRo, "ro"},
    Names<Grant>{Grant::kRwData, "rw_data"},
};
constexpr std::array kStates = {
    Names<DomainState>{DomainState::kEmpty, "EMPTY"},
    Names<DomainState>{DomainState::kRw, "RW"},
    Names<DomainState>{DomainState::kCommitted, "COMMITTED"},
    Names<DomainState>{DomainState::kLayoutCommitted, "LAYOUT_COMMITTED"},
    Names<DomainState>{DomainState::kRo, "RO"},
};

template <typename Table, typename T>
std::string_view NameIn(const Table& table, T value) {
  for (const auto& [known, name] : table) {
    if (known == value) {
      return name;
    }
  }
  return "unknown";
}

template <typename Table>
auto ValueIn(const Table& table, std::string_view wanted)
    -> std::optional<decltype(table[0].first)> {
  for (const auto& [value, name] : table) {
    if (name == wanted) {
      return value;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view WireName(LeaseRequest request) { return NameIn(kRequests, request); }
std::string_view WireName(Grant grant) { return NameIn(kGrants, grant); }
std::string_view WireName(DomainState state) { return NameIn(kStates, state); }

std::optional<LeaseRequest> LeaseRequestFromWire(std::string_view name) {
  return ValueIn(kRequests, name);
}
std::optional<Grant> GrantFromWire(std::string_view name) { return ValueIn(kGrants, name); }

}  // namespace hearth::gms

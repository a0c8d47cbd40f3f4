#include "gms/core/lease.h"

#include <gtest/gtest.h>

namespace hearth::gms {
namespace {

TEST(Lease, RequestsAreNamedAsOnTheWire) {
  for (const std::string_view name : {"rw", "ro", "rw_or_ro", "rw_data_or_rw", "rw_shadow"}) {
    const auto request = LeaseRequestFromWire(name);
    ASSERT_TRUE(request.has_value()) << name;
    EXPECT_EQ(WireName(*request), name);
  }
  EXPECT_FALSE(LeaseRequestFromWire("rw_data").has_value()) << "cannot be asked for";
  EXPECT_FALSE(LeaseRequestFromWire("RW").has_value());
  EXPECT_FALSE(LeaseRequestFromWire("").has_value());
}

TEST(Lease, GrantsAreNamedAsOnTheWire) {
  for (const std::string_view name : {"rw", "ro", "rw_data"}) {
    const auto grant = GrantFromWire(name);
    ASSERT_TRUE(grant.has_value()) << name;
    EXPECT_EQ(WireName(*grant), name);
  }
  EXPECT_FALSE(GrantFromWire("rw_or_ro").has_value());
}

TEST(Lease, StatesAreNamedInCapitals) {
  EXPECT_EQ(WireName(DomainState::kEmpty), "EMPTY");
  EXPECT_EQ(WireName(DomainState::kRw), "RW");
  EXPECT_EQ(WireName(DomainState::kCommitted), "COMMITTED");
  EXPECT_EQ(WireName(DomainState::kLayoutCommitted), "LAYOUT_COMMITTED");
  EXPECT_EQ(WireName(DomainState::kRo), "RO");
}

TEST(Lease, WritersThatNeedReadersGoneArePlain) {
  EXPECT_TRUE(IsPlainWriter(LeaseRequest::kRw));
  EXPECT_TRUE(IsPlainWriter(LeaseRequest::kRwDataOrRw));
  EXPECT_FALSE(IsPlainWriter(LeaseRequest::kRwOrRo));
  EXPECT_FALSE(IsPlainWriter(LeaseRequest::kRwShadow));
  EXPECT_FALSE(IsPlainWriter(LeaseRequest::kRo));
}

}  // namespace
}  // namespace hearth::gms

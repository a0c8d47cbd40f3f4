#include "gms/server/access_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "gms/protocol/errors.h"

namespace hearth::gms::server {
namespace {

// W-07
TEST(AccessPolicy, AdmitsItsOwnUserAndRootUnlessOthersAreNamed) {
  AccessPolicy policy{.own_uid = 1000};
  EXPECT_OK(policy.MayConnect(1000, 5));
  EXPECT_OK(policy.MayConnect(0, 0));
  const Status refused = policy.MayConnect(1001, 5);
  EXPECT_EQ(refused.reason(), ReasonOf(ErrorCode::kPeerRefused));
  EXPECT_THAT(refused.message(), testing::HasSubstr("--allow-uid 1001"));
  EXPECT_EQ(policy.socket_mode(), 0600U);

  policy.allowed_uids = {1001};
  policy.allowed_gids = {7};
  EXPECT_OK(policy.MayConnect(1001, 5));
  EXPECT_OK(policy.MayConnect(1002, 7));
  EXPECT_FALSE(policy.MayConnect(1002, 5).ok());
  EXPECT_EQ(policy.socket_mode(), 0666U);
}

TEST(AccessPolicy, WhoMayUseTheServerMayNotYetAdministerIt) {
  const AccessPolicy policy{.own_uid = 1000, .allowed_uids = {1001}};
  EXPECT_OK(policy.MayAdminister(1000));
  EXPECT_OK(policy.MayAdminister(0));
  EXPECT_FALSE(policy.MayAdminister(1001).ok());
}

}  // namespace
}  // namespace hearth::gms::server

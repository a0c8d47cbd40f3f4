#include "agent/restore/placeholder_rights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"

namespace hearth::agent {
namespace {

using snapshot::images::Rights;
using testing::HasSubstr;

constexpr uint64_t kTrace = 1ULL << 19U;
constexpr uint64_t kAdmin = 1ULL << 21U;

TEST(PlaceholderRights, WhoMayTraceIsRefusedUnlessItOwnsTheNodeAnyway) {
  EXPECT_OK(CheckCannotTrace({}, {}));
  const Status refused = CheckCannotTrace({.id = "c1"}, {.most_capabilities = kTrace});
  EXPECT_EQ(refused.code(), Code::kUnsupported);
  EXPECT_EQ(refused.reason(), "TracingContainer");
  EXPECT_OK(CheckCannotTrace({}, {.most_capabilities = kTrace | kAdmin}));
  // Its first process gave it up; others in it need not have.
  EXPECT_EQ(CheckCannotTrace({.capabilities = {"CAP_SYS_PTRACE"}}, {}).reason(),
            "TracingContainer");
}

// procMount: Unmasked must not come back where it is not allowed.
TEST(PlaceholderRights, WhatOnlyWhoWaitsHasMaskedIsNotOpenedAgain) {
  const RootView root{.resolve = {},
                      .exists = [](const std::string& path) { return path != "/proc/none"; },
                      .is_directory = {}};
  const ManagedPaths waits{
      .mounts = {}, .masked = {"/proc/kcore", "/proc/none"}, .readonly = {"/proc/sys"}};
  EXPECT_OK(CheckMasks({"/proc/sys", "/proc/kcore", "/proc/keys"}, waits, root));
  const Status unmasked = CheckMasks({"/proc/sys"}, waits, root);
  EXPECT_EQ(unmasked.code(), Code::kPermissionDenied);
  EXPECT_EQ(unmasked.reason(), "MoreRights");
  EXPECT_THAT(unmasked.message(), HasSubstr("(/proc/kcore)"));
  EXPECT_EQ(CheckMasks({"/proc/kcore"}, waits, root).reason(), "MoreRights") << "read-only ones";
}

TEST(PlaceholderRights, WhatIsRestoredHasNoMoreThanWhoWaits) {
  const Rights saved{.capabilities = 0b101, .no_new_privileges = false};
  EXPECT_OK(CheckNoMoreRights(saved, {.most_capabilities = 0b111}));
  const Status more = CheckNoMoreRights(saved, {.most_capabilities = 0b110});
  EXPECT_EQ(more.code(), Code::kPermissionDenied);
  EXPECT_THAT(more.message(), HasSubstr("numbers 0)"));
  EXPECT_EQ(
      CheckNoMoreRights(saved, {.most_capabilities = 0b101, .no_new_privileges = true}).reason(),
      "MoreRights");
}

}  // namespace
}  // namespace hearth::agent

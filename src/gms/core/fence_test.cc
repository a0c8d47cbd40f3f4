#include "gms/core/fence.h"

#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "gms/core/refusals.h"
#include "gms/core/testing/domain_driver.h"

namespace hearth::gms {
namespace {

using testing::DomainDriver;

class Fence : public ::testing::Test {
 protected:
  void ExpectBlocked(std::string_view message) {
    const auto prepared = fence.Prepare("token");
    EXPECT_CODE(Code::kConflict, prepared);
    EXPECT_EQ(prepared.status().message(), message);
    EXPECT_FALSE(fence.state().ready);
  }

  DomainDriver weights, kv_cache;
  CheckpointFence fence{weights.domain, kv_cache.domain};
};

// G01: prepared once, the same token again, nobody comes in.
TEST_F(Fence, KeepsEverybodyOut) {
  weights.Publish();
  ASSERT_OK_AND_ASSIGN(const auto first, fence.Prepare("one"));
  EXPECT_TRUE(first.ready);
  EXPECT_EQ(first.token, "one");
  ASSERT_OK_AND_ASSIGN(const auto again, fence.Prepare("two"));
  EXPECT_EQ(again.token, "one");
  EXPECT_EQ(weights.StateOf(weights.Ask(LeaseRequest::kRo)), "fenced");
  EXPECT_EQ(kv_cache.StateOf(kv_cache.Ask(LeaseRequest::kRw)), "fenced");
  EXPECT_TRUE(weights.domain.Look().fenced && kv_cache.domain.Look().fenced);
  EXPECT_EQ(fence.state().token, "one");
  EXPECT_EQ(weights.Events(), "rw_connected committed fenced");
}

// G02: only the right token resolves, and only one way.
TEST_F(Fence, AbortNeedsItsToken) {
  weights.Publish();
  ASSERT_OK(fence.Prepare("one"));
  const auto wrong = fence.Abort("other");
  EXPECT_CODE(Code::kConflict, wrong);
  EXPECT_EQ(wrong.status().message(), "checkpoint token does not match the prepared checkpoint");
  EXPECT_TRUE(fence.state().ready);
  ASSERT_OK_AND_ASSIGN(const auto aborted, fence.Abort("one"));
  EXPECT_FALSE(aborted.ready);
  EXPECT_EQ(aborted.token, std::nullopt);
  EXPECT_OK(fence.Abort("one"));
  const auto stale = fence.Complete("one");
  EXPECT_CODE(Code::kConflict, stale);
  EXPECT_EQ(stale.status().message(), "checkpoint token is stale or already resolved");
  EXPECT_EQ(weights.StateOf(weights.AskOnce(LeaseRequest::kRo)), "ro");

  weights.Leave(SessionId{2});
  ASSERT_OK_AND_ASSIGN(const auto next, fence.Prepare("two"));
  EXPECT_EQ(next.token, "two");
  EXPECT_CODE(Code::kConflict, fence.Abort("one"));
}

// G03: complete may be asked again.
TEST_F(Fence, CompleteIsRetrySafe) {
  weights.Publish();
  ASSERT_OK(fence.Prepare("one"));
  EXPECT_OK(fence.Complete("one"));
  EXPECT_OK(fence.Complete("one"));
  EXPECT_EQ(fence.Abort("one").status().reason(), refusal::kTokenStale);
  EXPECT_EQ(weights.Events(), "rw_connected committed fenced unfenced");
}

TEST_F(Fence, EmptyTokenIsRefused) {
  const auto empty = fence.Abort("");
  EXPECT_CODE(Code::kInvalid, empty);
  EXPECT_EQ(empty.status().message(), "checkpoint token must not be empty");
  EXPECT_CODE(Code::kConflict, fence.Complete("never prepared"));
}

// G04: what is in the way of a fence.
TEST_F(Fence, WeightsMustBeCommitted) {
  ExpectBlocked("weights must be committed before checkpoint");
  const SessionId writer = weights.Ask(LeaseRequest::kRw);
  ExpectBlocked("weights has active or waiting sessions");
  weights.Commit(writer);
  ExpectBlocked("weights must contain committed allocations");
}

TEST_F(Fence, ReadersAndWaitingWritersAreInTheWay) {
  weights.Publish();
  const SessionId reader = weights.Ask(LeaseRequest::kRo);
  ExpectBlocked("weights has active or waiting sessions");
  const SessionId writer = weights.Ask(LeaseRequest::kRw);
  weights.Leave(reader);
  weights.Leave(writer);
  EXPECT_OK(fence.Prepare("one"));
}

TEST_F(Fence, KvCacheMustBeEmptyAndIdle) {
  weights.Publish();
  SessionId writer = kv_cache.Ask(LeaseRequest::kRw);
  ExpectBlocked("kv_cache has active or waiting sessions");
  kv_cache.Allocate(writer);
  kv_cache.Seal(writer);
  kv_cache.Leave(writer);
  ExpectBlocked("kv_cache must be empty before checkpoint");
  kv_cache.Publish(0);
  ExpectBlocked("kv_cache must not be committed before checkpoint");
}

TEST_F(Fence, WriterThatWaitsForAnAdoptionIsInTheWay) {
  weights.Publish();
  const SessionId owner = kv_cache.Ask(LeaseRequest::kRw);
  kv_cache.Seal(owner);
  kv_cache.domain.HoldAdoption(owner);
  kv_cache.Leave(owner);
  kv_cache.Ask(LeaseRequest::kRwDataOrRw);
  ExpectBlocked("kv_cache has active or waiting sessions");
}

// G05: whoever waits when the fence goes up is turned away, too.
TEST_F(Fence, WaitingReadersAreTurnedAway) {
  weights.Publish();
  const SessionId reader = kv_cache.Ask(LeaseRequest::kRo);
  EXPECT_EQ(kv_cache.StateOf(reader), "waits");
  ASSERT_OK(fence.Prepare("one"));
  kv_cache.Settle();
  EXPECT_EQ(kv_cache.StateOf(reader), "fenced");
}

// G06: one fence spans both domains; there is no fence without them.
TEST_F(Fence, BothDomainsOpenTogether) {
  weights.Publish();
  ASSERT_OK(fence.Prepare("one"));
  ASSERT_OK(fence.Complete("one"));
  EXPECT_EQ(weights.StateOf(weights.Ask(LeaseRequest::kRo)), "ro");
  EXPECT_EQ(kv_cache.StateOf(kv_cache.Ask(LeaseRequest::kRw)), "rw");
}

// W-56: a fence whose owner crashed does not stand for ever.
TEST_F(Fence, FallsAtItsDeadline) {
  weights.Publish();
  const SteadyTime deadline = weights.now + std::chrono::seconds(10);
  ASSERT_OK(fence.Prepare("one", deadline));
  EXPECT_EQ(fence.deadline(), deadline);
  fence.Expire(deadline - std::chrono::nanoseconds(1));
  EXPECT_TRUE(fence.state().ready);
  fence.Expire(deadline);
  EXPECT_FALSE(fence.state().ready);
  EXPECT_EQ(fence.deadline(), SteadyTime::max());
  EXPECT_OK(fence.Abort("one"));
  EXPECT_CODE(Code::kConflict, fence.Complete("one"));
}

TEST_F(Fence, FallsWithItsOwner) {
  weights.Publish();
  ASSERT_OK(fence.Prepare("one", SteadyTime::max(), 4711));
  fence.OwnerGone(1);
  fence.OwnerGone(0);
  EXPECT_TRUE(fence.state().ready);
  fence.OwnerGone(4711);
  EXPECT_FALSE(fence.state().ready);
  EXPECT_EQ(weights.StateOf(weights.Ask(LeaseRequest::kRo)), "ro");
}

TEST_F(Fence, LastCallerOwnsIt) {
  weights.Publish();
  ASSERT_OK(fence.Prepare("one", weights.now, 1));
  ASSERT_OK(fence.Prepare("two", SteadyTime::max(), 2));
  fence.OwnerGone(1);
  fence.Expire(SteadyTime::max());
  EXPECT_TRUE(fence.state().ready);
  fence.OwnerGone(2);
  EXPECT_FALSE(fence.state().ready);
}

}  // namespace
}  // namespace hearth::gms

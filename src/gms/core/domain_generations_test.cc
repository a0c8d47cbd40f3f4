// Generations: what is kept, who sees which, and when memory goes.
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "gms/core/refusals.h"
#include "gms/core/testing/domain_driver.h"

namespace hearth::gms {
namespace {

using testing::DomainDriver;

// W-01: a writer that dies after the grant destroys nothing, whatever the policy.
TEST(Generations, GrantAloneDestroysNothing) {
  for (const ReplacePolicy policy :
       {ReplacePolicy::kKeepUntilCommit, ReplacePolicy::kDestroyFirst}) {
    DomainDriver d({.replace = policy});
    const auto committed = d.Publish();
    const SessionId reader = d.Ask(LeaseRequest::kRo);
    const SessionId doomed = d.Ask(LeaseRequest::kRw);
    d.Leave(reader);
    EXPECT_EQ(d.StateOf(doomed), "rw");
    d.Leave(doomed);
    EXPECT_EQ(d.State(), "COMMITTED");
    EXPECT_EQ(d.domain.Look().hash, committed.hash);
    EXPECT_EQ(d.memory_out().size(), 1U);
  }
}

// W-02: what is committed stays until there is something better.
TEST(Generations, CommitReplacesAndReleasesTheOldOne) {
  DomainDriver d;
  const auto first = d.Publish(2);
  const SessionId writer = d.Ask(LeaseRequest::kRw);
  d.Allocate(writer);
  EXPECT_EQ(d.memory_out().size(), 3U);
  EXPECT_EQ(d.domain.Look().generations, 2U);
  EXPECT_EQ(d.domain.Look().kept_bytes, 3U * 4096);
  EXPECT_EQ(d.domain.Look().bytes, 4096U);
  const auto second = d.Commit(writer);
  EXPECT_GT(second.generation, first.generation);
  EXPECT_EQ(d.memory_out().size(), 1U);
  EXPECT_EQ(d.domain.Look().generations, 1U);
  EXPECT_EQ(d.Events(),
            "rw_connected committed rw_connected committed superseded(2) allocations_cleared(2)");
}

TEST(Generations, CommittingNothingReplacesToo) {
  DomainDriver d;
  d.Publish(2);
  const auto empty = d.Publish(0);
  EXPECT_EQ(d.domain.Look().allocations, 0U);
  EXPECT_EQ(d.domain.Look().generation, empty.generation);
  EXPECT_TRUE(d.memory_out().empty());
}

TEST(Generations, ShadowWriterLeavesReadersAlone) {
  DomainDriver d;
  const auto old = d.Publish(2);
  const SessionId reader = d.Ask(LeaseRequest::kRo);
  const SessionId shadow = d.Ask(LeaseRequest::kRwShadow);
  EXPECT_EQ(d.StateOf(shadow), "rw");
  d.Allocate(shadow);
  EXPECT_EQ(d.AllocationsSeenBy(reader), 2U);
  EXPECT_EQ(d.AllocationsSeenBy(shadow), 1U);
  const SessionId newcomer = d.Ask(LeaseRequest::kRo);
  EXPECT_EQ(d.StateOf(newcomer), "ro") << "the committed generation meanwhile";
  EXPECT_EQ(*d.domain.GenerationOf(newcomer), old.generation);
  const Domain::Facts facts = d.domain.Look();
  EXPECT_EQ(facts.state, DomainState::kRo);
  EXPECT_TRUE(facts.has_writer && facts.ready && facts.committed);
  EXPECT_EQ(facts.generation, old.generation);
  EXPECT_EQ(facts.allocations, 2U);
}

TEST(Generations, OldReadersKeepTheirsUntilTheLastLeaves) {
  DomainDriver d;
  d.Publish(2);
  const SessionId a = d.Ask(LeaseRequest::kRo);
  const SessionId b = d.Ask(LeaseRequest::kRo);
  const SessionId shadow = d.Ask(LeaseRequest::kRwShadow);
  d.Allocate(shadow);
  const auto fresh = d.Commit(shadow);
  const SessionId c = d.Ask(LeaseRequest::kRo);
  EXPECT_EQ(d.AllocationsSeenBy(a), 2U);
  EXPECT_EQ(d.AllocationsSeenBy(c), 1U);
  EXPECT_EQ(*d.domain.GenerationOf(c), fresh.generation);
  EXPECT_EQ(d.domain.Look().generations, 2U);
  d.Leave(a);
  EXPECT_EQ(d.memory_out().size(), 3U);
  d.Leave(b);
  EXPECT_EQ(d.memory_out().size(), 1U);
  EXPECT_EQ(d.State(), "RO");
  EXPECT_EQ(d.AllocationsSeenBy(c), 1U);
}

TEST(Generations, ShadowOverSeveralGenerationsKeepsEachThatIsRead) {
  DomainDriver d;
  d.Publish();
  std::vector<SessionId> readers;
  for (int i = 0; i < 5; ++i) {
    readers.push_back(d.Ask(LeaseRequest::kRo));
    const SessionId shadow = d.Ask(LeaseRequest::kRwShadow);
    d.Allocate(shadow);
    d.Commit(shadow);
  }
  EXPECT_EQ(d.domain.Look().generations, 6U);
  d.Leave(readers[2]);
  EXPECT_EQ(d.domain.Look().generations, 5U);
  for (const SessionId reader : readers) {
    d.Leave(reader);
  }
  EXPECT_EQ(d.domain.Look().generations, 1U);
  EXPECT_EQ(d.memory_out().size(), 1U);
}

TEST(Generations, FailedShadowChangesNothing) {
  DomainDriver d;
  const auto old = d.Publish();
  const SessionId reader = d.Ask(LeaseRequest::kRo);
  const SessionId shadow = d.Ask(LeaseRequest::kRwShadow);
  d.Allocate(shadow);
  d.Leave(shadow);
  EXPECT_EQ(d.StateOf(reader), "ro");
  EXPECT_EQ(d.domain.Look().generation, old.generation);
  EXPECT_EQ(d.memory_out().size(), 1U);
}

TEST(Generations, ShadowOnEmptyIsAPlainWriter) {
  DomainDriver d;
  const SessionId shadow = d.Ask(LeaseRequest::kRwShadow);
  EXPECT_EQ(d.State(), "RW");
  const SessionId reader = d.Ask(LeaseRequest::kRo);
  EXPECT_EQ(d.StateOf(reader), "waits");
  d.Allocate(shadow);
  d.Commit(shadow, true);
  EXPECT_EQ(d.StateOf(reader), "ro");
}

TEST(Generations, ShadowCannotSealBesideReaders) {
  DomainDriver d;
  d.Publish();
  const SessionId shadow = d.Ask(LeaseRequest::kRwShadow);
  const auto sealed = d.domain.CommitLayout(shadow);
  EXPECT_CODE(Code::kPermissionDenied, sealed);
  EXPECT_EQ(sealed.status().reason(), refusal::kShadowCannotSeal);
  EXPECT_EQ(d.StateOf(shadow), "rw") << "it may go on";
}

TEST(Generations, PolicyDoesNotTouchWhatAShadowWritesBeside) {
  DomainDriver d({.replace = ReplacePolicy::kDestroyFirst});
  const auto old = d.Publish();
  const SessionId shadow = d.Ask(LeaseRequest::kRwShadow);
  d.Allocate(shadow);
  EXPECT_FALSE(d.domain.ReclaimSuperseded());
  d.Leave(shadow);
  EXPECT_EQ(d.domain.Look().generation, old.generation);
}

TEST(Generations, PressureLetsTheKeptOneGo) {
  DomainDriver d;
  d.Publish(3);
  EXPECT_FALSE(d.domain.ReclaimSuperseded()) << "committed and nobody replaces it";
  const SessionId writer = d.Ask(LeaseRequest::kRw);
  EXPECT_TRUE(d.domain.ReclaimSuperseded());
  d.Settle();
  EXPECT_TRUE(d.memory_out().empty());
  EXPECT_FALSE(d.domain.ReclaimSuperseded());
  d.Allocate(writer);
  d.Leave(writer);
  EXPECT_EQ(d.State(), "EMPTY") << "nothing to come back to";
}

// W-10: rw_or_ro on a sealed layout gets rw, but the layout is there again if that was a mistake.
TEST(Generations, SealedLayoutComesBackWhenItsReplacementFails) {
  DomainDriver d;
  const SessionId sealer = d.Ask(LeaseRequest::kRw);
  const std::string id = d.Allocate(sealer);
  d.Seal(sealer);
  d.Leave(sealer);
  const SessionId mistaken = d.Ask(LeaseRequest::kRwOrRo);
  d.Allocate(mistaken);
  d.Leave(mistaken);
  EXPECT_EQ(d.State(), "LAYOUT_COMMITTED");
  const SessionId adopter = d.Ask(LeaseRequest::kRwDataOrRw);
  EXPECT_EQ(d.StateOf(adopter), "rw_data");
  EXPECT_NE((*d.domain.LayoutOf(adopter))->Find(id), nullptr);
}

TEST(Generations, SealReplacesWhatWasCommitted) {
  DomainDriver d;
  d.Publish(2);
  const SessionId writer = d.Ask(LeaseRequest::kRw);
  d.Allocate(writer);
  d.Seal(writer);
  EXPECT_EQ(d.memory_out().size(), 1U);
  d.Leave(writer);
  EXPECT_EQ(d.State(), "LAYOUT_COMMITTED");
}

// W-16: a sealed layout that is replaced is told as well.
TEST(Generations, ReplacedSealedLayoutIsTold) {
  DomainDriver d;
  const SessionId sealer = d.Ask(LeaseRequest::kRw);
  d.Allocate(sealer);
  d.Seal(sealer);
  d.Leave(sealer);
  d.Publish(0);
  EXPECT_EQ(d.Events(),
            "rw_connected layout_committed(1) rw_disconnected(1) "
            "rw_connected committed superseded(1) allocations_cleared(1)");
}

// W-18: adoption waits until the former owner's work has surely ended.
TEST(Generations, AdoptionWaitsWhileHeld) {
  DomainDriver d;
  const SessionId owner = d.Ask(LeaseRequest::kRw);
  d.Allocate(owner);
  d.Seal(owner);
  const SessionId standby = d.Ask(LeaseRequest::kRwDataOrRw);
  const SessionId behind = d.Ask(LeaseRequest::kRw);
  d.domain.HoldAdoption(owner);
  d.Leave(owner);
  EXPECT_EQ(d.State(), "LAYOUT_COMMITTED");
  EXPECT_TRUE(d.domain.Look().adoption_held);
  EXPECT_EQ(d.StateOf(standby), "waits");
  EXPECT_EQ(d.StateOf(behind), "waits") << "it keeps its place";
  d.domain.ReleaseAdoption(SessionId{99});
  d.Settle();
  EXPECT_EQ(d.StateOf(standby), "waits");
  d.domain.ReleaseAdoption(owner);
  d.Settle();
  EXPECT_EQ(d.StateOf(standby), "rw_data");
}

TEST(Generations, HoldIsOnlyForAdoption) {
  DomainDriver d;
  const SessionId owner = d.Ask(LeaseRequest::kRw);
  d.Allocate(owner);
  d.Seal(owner);
  d.domain.HoldAdoption(owner);
  d.Leave(owner);
  const SessionId writer = d.Ask(LeaseRequest::kRw);
  EXPECT_EQ(d.StateOf(writer), "rw") << "fresh memory is safe";
  d.Allocate(writer);
  d.Seal(writer);
  EXPECT_FALSE(d.domain.Look().adoption_held) << "what was held back is gone";
  d.Leave(writer);
  EXPECT_EQ(d.StateOf(d.Ask(LeaseRequest::kRwDataOrRw)), "rw_data");
}

// W-57: an adopter finds the index and the geometry that the engine before it wrote.
TEST(Generations, EngineKeysStayOpenInASealedLayout) {
  DomainDriver d;
  const SessionId owner = d.Ask(LeaseRequest::kRw);
  const std::string id = d.Allocate(owner);
  const std::string geometry = std::string(kEngineKeyPrefix) + "geometry";
  const std::string index = std::string(kEngineKeyPrefix) + "prefix-index";
  ASSERT_OK(d.Put(owner, geometry, id, "block=16"));
  const auto sealed = d.Seal(owner);
  ASSERT_OK(d.Put(owner, index, id, "hash->block"));
  EXPECT_CODE(Code::kPermissionDenied, d.Put(owner, "tensor.0", id));
  d.Leave(owner);
  const SessionId adopter = d.Ask(LeaseRequest::kRwDataOrRw);
  ASSERT_OK_AND_ASSIGN(const Layout* layout, d.domain.LayoutOf(adopter));
  EXPECT_EQ(layout->Get(geometry)->value, "block=16");
  EXPECT_EQ(layout->Get(index)->value, "hash->block");
  EXPECT_EQ(*d.domain.HashOf(adopter), sealed.hash);
  EXPECT_EQ(layout->Hash(), sealed.hash);
  ASSERT_OK_AND_ASSIGN(const bool deleted, d.domain.Delete(adopter, index));
  EXPECT_TRUE(deleted);
}

// An upgrade: a fresh domain begins with what its predecessor had.
TEST(Generations, SuccessorBeginsWithWhatWasThere) {
  DomainDriver old;
  const auto committed = old.Publish(2);
  const auto kept = old.domain.Newest();
  ASSERT_TRUE(kept.has_value());
  EXPECT_FALSE(kept->sealed);
  Layout copy;
  for (const Allocation* a : kept->layout->BySlot()) {
    ASSERT_OK(copy.Add(a->id, a->size, a->aligned_size, a->tag, a->memory));
  }
  Domain fresh;
  ASSERT_OK(fresh.Install(std::move(copy), kept->generation, kept->sealed));
  EXPECT_EQ(fresh.Look().state, DomainState::kCommitted);
  EXPECT_EQ(fresh.Look().hash, committed.hash);
  EXPECT_EQ(fresh.Look().generation, committed.generation);
  fresh.Request(SessionId{1}, LeaseRequest::kRwShadow, {});
  EXPECT_GT(*fresh.GenerationOf(SessionId{1}), committed.generation);
  EXPECT_CODE(Code::kConflict, fresh.Install(Layout(), 9, false));
}

TEST(Generations, SealedOrNothingIsHandedOverAsSuch) {
  DomainDriver d;
  EXPECT_FALSE(d.domain.Newest().has_value());
  const SessionId writer = d.Ask(LeaseRequest::kRw);
  EXPECT_FALSE(d.domain.Newest().has_value());
  d.Seal(writer);
  EXPECT_TRUE(d.domain.Newest()->sealed);
  Domain fresh;
  ASSERT_OK(fresh.Install(Layout(), 4, true));
  EXPECT_EQ(fresh.Look().state, DomainState::kLayoutCommitted);
}

}  // namespace
}  // namespace hearth::gms

#include "gms/core/domain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "gms/core/refusals.h"
#include "gms/core/testing/domain_driver.h"

namespace hearth::gms {
namespace {

using std::chrono::milliseconds;
using testing::DomainDriver;
using ::testing::HasSubstr;

constexpr DomainOptions kAsUpstream{.replace = ReplacePolicy::kDestroyFirst};

// A01: what a writer commits is what a reader sees.
TEST(Domain, ReaderSeesWhatWasCommitted) {
  DomainDriver d;
  const SessionId writer = d.Ask(LeaseRequest::kRw);
  const std::string id = d.Allocate(writer);
  ASSERT_OK(d.domain.Put(writer, "tensor.0", {id, 16, std::string("a\0b", 3)}));
  const auto committed = d.Commit(writer);
  EXPECT_EQ(d.StateOf(writer), "gone");

  const SessionId reader = d.Ask(LeaseRequest::kRo);
  EXPECT_EQ(d.StateOf(reader), "ro");
  EXPECT_TRUE(d.domain.Look().committed);
  EXPECT_EQ(d.State(), "RO");
  EXPECT_EQ(d.AllocationsSeenBy(reader), 1U);
  ASSERT_OK_AND_ASSIGN(const Layout* layout, d.domain.LayoutOf(reader));
  const Metadata* metadata = layout->Get("tensor.0");
  ASSERT_NE(metadata, nullptr);
  EXPECT_EQ(metadata->allocation_id, id);
  EXPECT_EQ(metadata->offset_bytes, 16U);
  EXPECT_EQ(metadata->value, std::string("a\0b", 3));
  ASSERT_OK_AND_ASSIGN(const std::string hash, d.domain.HashOf(reader));
  EXPECT_EQ(hash.size(), 64U);
  EXPECT_EQ(hash, committed.hash);

  d.Leave(reader);
  EXPECT_EQ(d.State(), "COMMITTED");
}

// A02: a writer that dies leaves nothing.
TEST(Domain, DeadWriterLeavesNothing) {
  DomainDriver d;
  const SessionId writer = d.Ask(LeaseRequest::kRw);
  ASSERT_OK(d.Put(writer, "k", d.Allocate(writer)));
  d.Leave(writer);
  EXPECT_EQ(d.State(), "EMPTY");
  EXPECT_TRUE(d.memory_out().empty());
  const SessionId next = d.Ask(LeaseRequest::kRw);
  EXPECT_EQ(d.AllocationsSeenBy(next), 0U);
  EXPECT_TRUE((*d.domain.LayoutOf(next))->metadata().empty());
}

// A03: rw_or_ro writes first and reads afterwards.
TEST(Domain, RwOrRoWritesWhenNothingIsCommitted) {
  DomainDriver d;
  const SessionId first = d.Ask(LeaseRequest::kRwOrRo);
  EXPECT_EQ(d.StateOf(first), "rw");
  d.Allocate(first);
  d.Commit(first);
  const SessionId second = d.Ask(LeaseRequest::kRwOrRo);
  EXPECT_EQ(d.StateOf(second), "ro");
  EXPECT_TRUE(d.domain.Look().committed);
}

// A04: probes after a commit.
TEST(Domain, ProbesSeeTheCommit) {
  DomainDriver d;
  d.Publish();
  const Domain::Facts facts = d.domain.Look();
  EXPECT_EQ(facts.state, DomainState::kCommitted);
  EXPECT_TRUE(facts.ready && facts.committed && facts.layout_committed);
  EXPECT_FALSE(facts.has_writer);
  EXPECT_EQ(facts.allocations, 1U);
  EXPECT_EQ(facts.bytes, 4096U);
  EXPECT_EQ(facts.hash.size(), 64U);
  EXPECT_EQ(facts.readers, 0U);
  EXPECT_EQ(facts.waiting_writers, 0U);
  EXPECT_EQ(d.Events(), "rw_connected committed");
}

// A05: a second writer sees nothing at once.
TEST(Domain, SecondWriterBeginsEmpty) {
  for (const DomainOptions& options : {DomainOptions{}, kAsUpstream}) {
    DomainDriver d(options);
    d.Publish();
    const SessionId writer = d.Ask(LeaseRequest::kRw);
    EXPECT_EQ(d.StateOf(writer), "rw");
    EXPECT_EQ(d.AllocationsSeenBy(writer), 0U);
    EXPECT_EQ(*d.domain.HashOf(writer), "");
    const Domain::Facts facts = d.domain.Look();
    EXPECT_EQ(facts.state, DomainState::kRw);
    EXPECT_FALSE(facts.committed || facts.ready || facts.layout_committed);
    EXPECT_EQ(facts.allocations, 0U);
    EXPECT_EQ(facts.hash, "");
  }
}

// A06: a writer waits for readers, who keep what they have.
TEST(Domain, WriterWaitsForReaders) {
  DomainDriver d;
  d.Publish();
  const SessionId reader = d.Ask(LeaseRequest::kRo);
  const SessionId writer = d.Ask(LeaseRequest::kRw);
  EXPECT_EQ(d.StateOf(writer), "waits");
  EXPECT_EQ(d.State(), "RO");
  EXPECT_EQ(d.domain.Look().waiting_writers, 1U);
  EXPECT_EQ(d.AllocationsSeenBy(reader), 1U);
  d.Leave(reader);
  EXPECT_EQ(d.StateOf(writer), "rw");
  EXPECT_EQ(d.AllocationsSeenBy(writer), 0U);
}

// A07, A08: later readers stay behind a waiting writer.
TEST(Domain, WaitingWriterKeepsLaterReadersOut) {
  for (const LeaseRequest late : {LeaseRequest::kRo, LeaseRequest::kRwOrRo}) {
    DomainDriver d;
    d.Publish();
    const SessionId reader = d.Ask(LeaseRequest::kRo);
    const SessionId writer = d.Ask(LeaseRequest::kRw);
    const SessionId second = d.Ask(late, d.now + milliseconds(100));
    EXPECT_EQ(d.StateOf(second), "waits");
    d.PassTime(milliseconds(99));
    EXPECT_EQ(d.StateOf(second), "waits");
    d.PassTime(milliseconds(1));
    EXPECT_EQ(d.StateOf(second), "timed out");
    d.Leave(reader);
    EXPECT_EQ(d.StateOf(writer), "rw");
  }
}

// A09: a writer that gives up lets them in.
TEST(Domain, WriterThatTimesOutLetsReadersIn) {
  DomainDriver d;
  d.Publish();
  const SessionId first = d.Ask(LeaseRequest::kRo);
  const SessionId writer = d.Ask(LeaseRequest::kRw, d.now + milliseconds(100));
  const SessionId second = d.Ask(LeaseRequest::kRo);
  EXPECT_EQ(d.domain.NextDeadline(), d.now + milliseconds(100));
  d.PassTime(milliseconds(100));
  EXPECT_EQ(d.StateOf(writer), "timed out");
  EXPECT_EQ(d.StateOf(first), "ro");
  EXPECT_EQ(d.StateOf(second), "ro");
  EXPECT_EQ(d.domain.Look().waiting_writers, 0U);
  EXPECT_EQ(d.domain.NextDeadline(), SteadyTime::max());
}

// A10: readers are counted.
TEST(Domain, StateFollowsTheReaders) {
  DomainDriver d;
  d.Publish();
  const SessionId first = d.Ask(LeaseRequest::kRo);
  const SessionId second = d.Ask(LeaseRequest::kRo);
  EXPECT_EQ(d.domain.Look().readers, 2U);
  d.Leave(first);
  EXPECT_EQ(d.State(), "RO");
  EXPECT_EQ(d.domain.Look().readers, 1U);
  d.Leave(second);
  EXPECT_EQ(d.State(), "COMMITTED");
}

// A11: readers change nothing.
TEST(Domain, ReadersMayChangeNothing) {
  DomainDriver d;
  d.Publish();
  const SessionId reader = d.Ask(LeaseRequest::kRo);
  const std::vector<Status> refused = {
      d.domain.Allocate(reader, "x", 1, 1, "t", 99).status(),
      d.domain.MayAllocate(reader, "x"),
      d.domain.Free(reader, "allocation-1").status(),
      d.Put(reader, "k", "allocation-1"),
      d.domain.Delete(reader, "k").status(),
      d.domain.Commit(reader, false).status(),
      d.domain.CommitLayout(reader).status(),
      d.domain.Abort(reader),
  };
  for (const Status& status : refused) {
    EXPECT_CODE(Code::kPermissionDenied, status);
    EXPECT_EQ(status.reason(), refusal::kReadOnly);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("Request not allowed for RO session in state RO"));
  }
  EXPECT_EQ(refused[0].message(), "AllocateRequest not allowed for RO session in state RO");
  EXPECT_EQ(d.AllocationsSeenBy(reader), 1U);
}

TEST(Domain, StrangersAndWaitersMayDoNothing) {
  DomainDriver d;
  d.Ask(LeaseRequest::kRw);
  const SessionId waiter = d.Ask(LeaseRequest::kRw);
  for (const SessionId session : {waiter, SessionId{77}}) {
    EXPECT_CODE(Code::kPermissionDenied, d.domain.MayAllocate(session, "x"));
    EXPECT_CODE(Code::kPermissionDenied, d.domain.LayoutOf(session));
    EXPECT_CODE(Code::kPermissionDenied, d.domain.HashOf(session));
    EXPECT_CODE(Code::kPermissionDenied, d.domain.GenerationOf(session));
    EXPECT_EQ(d.domain.Commit(session, false).status().reason(), refusal::kNoLease);
    EXPECT_EQ(d.domain.GrantOf(session), std::nullopt);
  }
}

// A12: what a session is told about the domain is so.
TEST(Domain, FactsFollowWriterAndReader) {
  DomainDriver d;
  const SessionId writer = d.Ask(LeaseRequest::kRw);
  d.Allocate(writer);
  d.Allocate(writer);
  EXPECT_TRUE(d.domain.Look().has_writer);
  EXPECT_EQ(d.domain.Look().allocations, 2U);
  EXPECT_FALSE(d.domain.Look().ready);
  d.Commit(writer);
  d.Ask(LeaseRequest::kRo);
  EXPECT_FALSE(d.domain.Look().has_writer);
  EXPECT_EQ(d.domain.Look().readers, 1U);
  EXPECT_TRUE(d.domain.Look().ready);
}

// A15: what is freed is gone, what is kept is not.
TEST(Domain, FreeGivesMemoryBackAtOnce) {
  DomainDriver d;
  const SessionId writer = d.Ask(LeaseRequest::kRw);
  const std::string kept = d.Allocate(writer);
  const std::string pruned = d.Allocate(writer);
  EXPECT_TRUE(d.Free(writer, pruned));
  EXPECT_EQ(d.memory_out().size(), 1U);
  EXPECT_FALSE(d.Free(writer, pruned)) << "unknown is no error";
  EXPECT_EQ((*d.domain.LayoutOf(writer))->Find(pruned), nullptr);
  EXPECT_NE((*d.domain.LayoutOf(writer))->Find(kept), nullptr);
}

// A20: with upstream's policy, a writer that changed something and died leaves nothing.
TEST(Domain, DestroyFirstLosesWhatWasCommittedWithTheFirstChange) {
  DomainDriver d(kAsUpstream);
  d.Publish();
  const SessionId writer = d.Ask(LeaseRequest::kRw);
  EXPECT_EQ(d.memory_out().size(), 1U) << "the grant alone destroys nothing";
  d.Allocate(writer);
  EXPECT_EQ(d.memory_out().size(), 1U) << "only the new one";
  d.Leave(writer);
  EXPECT_EQ(d.State(), "EMPTY");
  EXPECT_TRUE(d.memory_out().empty());
  EXPECT_EQ(d.Events(),
            "rw_connected committed rw_connected allocations_cleared(1) "
            "rw_aborted allocations_cleared(1)");
}

// A20 with our policy: what was committed comes back.
TEST(Domain, KeepUntilCommitBringsBackWhatWasCommitted) {
  DomainDriver d;
  const auto committed = d.Publish();
  const SessionId writer = d.Ask(LeaseRequest::kRw);
  d.Allocate(writer);
  d.Leave(writer);
  EXPECT_EQ(d.State(), "COMMITTED");
  EXPECT_EQ(d.domain.Look().hash, committed.hash);
  EXPECT_EQ(d.domain.Look().generation, committed.generation);
  EXPECT_EQ(d.memory_out().size(), 1U);
}

// A24: sealing narrows the grant.
TEST(Domain, SealedShapeCannotChange) {
  DomainDriver d;
  const SessionId writer = d.Ask(LeaseRequest::kRw);
  const std::string id = d.Allocate(writer);
  const auto sealed = d.Seal(writer);
  EXPECT_EQ(sealed.hash.size(), 64U);
  EXPECT_EQ(d.StateOf(writer), "rw_data");
  EXPECT_FALSE(d.domain.Look().committed);
  EXPECT_TRUE(d.domain.Look().layout_committed);
  EXPECT_EQ(d.domain.Look().hash, sealed.hash);
  EXPECT_EQ(d.State(), "RW");
  const std::vector<Status> refused = {d.domain.MayAllocate(writer, "x"),
                                       d.domain.Free(writer, id).status(),
                                       d.Put(writer, "k", id),
                                       d.domain.Delete(writer, "k").status(),
                                       d.domain.Commit(writer, true).status(),
                                       d.domain.CommitLayout(writer).status(),
                                       d.domain.Abort(writer)};
  for (const Status& status : refused) {
    EXPECT_CODE(Code::kPermissionDenied, status);
    EXPECT_EQ(status.reason(), refusal::kSealed);
    EXPECT_THAT(std::string(status.message()), HasSubstr("not allowed: the layout is committed"));
  }
  EXPECT_EQ(d.Events(), "rw_connected layout_committed(1)");
}

// A25: sealed survives its writer, unsealed does not.
TEST(Domain, SealedLayoutSurvivesItsWriter) {
  DomainDriver unsealed;
  const SessionId first = unsealed.Ask(LeaseRequest::kRw);
  unsealed.Allocate(first);
  unsealed.Leave(first);
  EXPECT_EQ(unsealed.State(), "EMPTY");
  EXPECT_EQ(unsealed.domain.Look().allocations, 0U);

  DomainDriver sealed;
  const SessionId second = sealed.Ask(LeaseRequest::kRw);
  sealed.Allocate(second);
  sealed.Seal(second);
  sealed.Leave(second);
  EXPECT_EQ(sealed.State(), "LAYOUT_COMMITTED");
  EXPECT_EQ(sealed.domain.Look().allocations, 1U);
  EXPECT_FALSE(sealed.domain.Look().ready);
  EXPECT_EQ(sealed.Events(), "rw_connected layout_committed(1) rw_disconnected(1)");
}

// A26: one standby after the other adopts it.
TEST(Domain, StandbysAdoptTheSealedLayoutOneAfterTheOther) {
  DomainDriver d;
  const SessionId writer = d.Ask(LeaseRequest::kRwDataOrRw);
  EXPECT_EQ(d.StateOf(writer), "rw") << "nothing to adopt yet";
  const std::string id = d.Allocate(writer);
  const auto sealed = d.Seal(writer);
  const SessionId early = d.Ask(LeaseRequest::kRwDataOrRw);
  EXPECT_EQ(d.StateOf(early), "waits");
  d.Leave(writer);
  EXPECT_EQ(d.StateOf(early), "rw_data");
  EXPECT_NE((*d.domain.LayoutOf(early))->Find(id), nullptr);
  EXPECT_EQ(*d.domain.HashOf(early), sealed.hash);
  EXPECT_EQ(*d.domain.GenerationOf(early), sealed.generation);
  EXPECT_EQ(d.State(), "RW");
  EXPECT_TRUE(d.domain.Look().layout_committed);
  d.Leave(early);
  EXPECT_EQ(d.State(), "LAYOUT_COMMITTED");
  const SessionId late = d.Ask(LeaseRequest::kRwDataOrRw);
  EXPECT_NE((*d.domain.LayoutOf(late))->Find(id), nullptr);
  d.Leave(late);
  EXPECT_EQ(d.State(), "LAYOUT_COMMITTED");
  EXPECT_EQ(d.memory_out().size(), 1U);
}

TEST(Domain, RwDataOrRwReplacesWhatIsCommitted) {
  DomainDriver d;
  d.Publish();
  const SessionId session = d.Ask(LeaseRequest::kRwDataOrRw);
  EXPECT_EQ(d.StateOf(session), "rw");
  EXPECT_EQ(d.AllocationsSeenBy(session), 0U);
}

// A27: a plain writer replaces a sealed layout. W-10: so does rw_or_ro, as clients expect.
TEST(Domain, PlainWriterBeginsEmptyOnASealedLayout) {
  for (const LeaseRequest request :
       {LeaseRequest::kRw, LeaseRequest::kRwOrRo, LeaseRequest::kRwShadow}) {
    for (const DomainOptions& options : {DomainOptions{}, kAsUpstream}) {
      DomainDriver d(options);
      const SessionId sealer = d.Ask(LeaseRequest::kRw);
      d.Allocate(sealer);
      d.Seal(sealer);
      d.Leave(sealer);
      const SessionId writer = d.Ask(request);
      EXPECT_EQ(d.StateOf(writer), "rw");
      EXPECT_EQ(d.AllocationsSeenBy(writer), 0U);
      EXPECT_EQ(d.domain.Look().allocations, 0U);
      EXPECT_FALSE(d.domain.Look().layout_committed);
    }
  }
}

// A28: nothing to read in a sealed layout.
TEST(Domain, ReaderWaitsOnASealedLayout) {
  DomainDriver d;
  const SessionId sealer = d.Ask(LeaseRequest::kRw);
  d.Seal(sealer);
  d.Leave(sealer);
  const SessionId reader = d.Ask(LeaseRequest::kRo, d.now + milliseconds(200));
  EXPECT_EQ(d.StateOf(reader), "waits");
  d.PassTime(milliseconds(200));
  EXPECT_EQ(d.StateOf(reader), "timed out");
  EXPECT_EQ(d.State(), "LAYOUT_COMMITTED");
}

// A29: commits of contents are as they were before sealing existed.
TEST(Domain, ContentsCommitIsNoSeal) {
  DomainDriver d;
  const SessionId writer = d.Ask(LeaseRequest::kRw);
  d.Allocate(writer);
  d.Commit(writer);
  EXPECT_EQ(d.State(), "COMMITTED");
  EXPECT_TRUE(d.domain.Look().ready);
  EXPECT_EQ(d.AllocationsSeenBy(d.Ask(LeaseRequest::kRo)), 1U);
}

TEST(Domain, DeadlineThatHasPassedTriesOnce) {
  DomainDriver d;
  EXPECT_EQ(d.StateOf(d.AskOnce(LeaseRequest::kRo)), "timed out");
  EXPECT_EQ(d.StateOf(d.AskOnce(LeaseRequest::kRw)), "rw");
  EXPECT_EQ(d.StateOf(d.AskOnce(LeaseRequest::kRw)), "timed out");
  EXPECT_EQ(d.domain.Look().waiting, 0U);
}

// J01: an engine pauses and resumes; what the probes of both domains tell.
TEST(Domain, PausedEngineLeavesTheKnownHistory) {
  DomainDriver weights;
  const auto committed = weights.Publish();
  SessionId reader = weights.Ask(LeaseRequest::kRo);
  DomainDriver kv_cache;
  SessionId writer = kv_cache.Ask(LeaseRequest::kRw);
  kv_cache.Allocate(writer);

  weights.Leave(reader);
  kv_cache.Leave(writer);
  EXPECT_EQ(weights.State(), "COMMITTED");
  EXPECT_EQ(weights.domain.Look().allocations, 1U);
  EXPECT_EQ(kv_cache.State(), "EMPTY");
  EXPECT_EQ(kv_cache.domain.Look().allocations, 0U);

  reader = weights.Ask(LeaseRequest::kRo);
  writer = kv_cache.Ask(LeaseRequest::kRw);
  EXPECT_EQ(*weights.domain.HashOf(reader), committed.hash);
  EXPECT_EQ(weights.Events(), "rw_connected committed");
  EXPECT_EQ(kv_cache.Events(), "rw_connected rw_aborted allocations_cleared(1) rw_connected");
}

// J02: a shadow engine resumes when the primary is killed.
TEST(Domain, FailoverLeavesTheKnownHistory) {
  DomainDriver kv_cache;
  std::vector<SessionId> engines;
  for (int engine = 0; engine < 2; ++engine) {  // A and B start and pause
    const SessionId writer = kv_cache.Ask(LeaseRequest::kRw);
    kv_cache.Allocate(writer);
    kv_cache.Leave(writer);
  }
  const SessionId primary = kv_cache.Ask(LeaseRequest::kRw);
  kv_cache.Allocate(primary);
  const SessionId resuming = kv_cache.Ask(LeaseRequest::kRw);
  EXPECT_EQ(kv_cache.StateOf(resuming), "waits");
  kv_cache.Leave(primary);
  EXPECT_EQ(kv_cache.StateOf(resuming), "rw");
  kv_cache.domain.events().Add(EventKind::kAllocationOom);
  EXPECT_EQ(kv_cache.Events(),
            "rw_connected rw_aborted allocations_cleared(1) "
            "rw_connected rw_aborted allocations_cleared(1) "
            "rw_connected rw_aborted allocations_cleared(1) "
            "rw_connected allocation_oom");
}

// E08, E09: an abort gives the memory back before it returns, and the next writer knows nothing.
TEST(Domain, AbortReleasesBeforeItReturns) {
  DomainDriver d;
  const SessionId writer = d.Ask(LeaseRequest::kRw);
  const std::string id = d.Allocate(writer);
  ASSERT_OK(d.Abort(writer));
  EXPECT_TRUE(d.memory_out().empty());
  EXPECT_EQ(d.State(), "EMPTY");
  EXPECT_CODE(Code::kPermissionDenied, d.domain.MayAllocate(writer, "x"));
  const SessionId next = d.Ask(LeaseRequest::kRw);
  EXPECT_EQ((*d.domain.LayoutOf(next))->Find(id), nullptr);
  EXPECT_EQ(d.Allocate(next, id), id) << "ids are free again";
}

// E10: commit turns the same session into a reader.
TEST(Domain, CommitInPlaceGoesOnAsReader) {
  DomainDriver d;
  const SessionId writer = d.Ask(LeaseRequest::kRw);
  const std::string id = d.Allocate(writer);
  const auto committed = d.Commit(writer, true);
  EXPECT_EQ(d.StateOf(writer), "ro");
  EXPECT_EQ(*d.domain.GenerationOf(writer), committed.generation);
  EXPECT_EQ(d.State(), "RO");
  EXPECT_EQ(d.domain.Look().readers, 1U);
  const SessionId other = d.Ask(LeaseRequest::kRo);
  EXPECT_EQ((*d.domain.LayoutOf(other))->Find(id)->memory,
            (*d.domain.LayoutOf(writer))->Find(id)->memory);
}

// W-05: nobody slips in between an in-place commit and reading.
TEST(Domain, CommitInPlaceKeepsWaitingWritersOut) {
  DomainDriver d;
  const SessionId writer = d.Ask(LeaseRequest::kRw);
  d.Allocate(writer);
  const SessionId rival = d.Ask(LeaseRequest::kRw);
  d.Commit(writer, true);
  EXPECT_EQ(d.StateOf(writer), "ro");
  EXPECT_EQ(d.StateOf(rival), "waits");
  d.Leave(writer);
  EXPECT_EQ(d.StateOf(rival), "rw");
}

TEST(Domain, PlacesTellWhoHoldsAndWhoWaitsInOrder) {
  DomainDriver d;
  const SessionId writer = d.Ask(LeaseRequest::kRw);
  const SessionId reader = d.Ask(LeaseRequest::kRo);
  const SessionId next = d.Ask(LeaseRequest::kRwDataOrRw);
  const auto places = d.domain.Places();
  ASSERT_EQ(places.size(), 3U);
  EXPECT_EQ(places[0].session, writer);
  EXPECT_EQ(places[0].grant, Grant::kRw);
  EXPECT_EQ(places[0].generation, 1U);
  EXPECT_EQ(places[1].session, reader);
  EXPECT_EQ(places[1].grant, std::nullopt);
  EXPECT_EQ(places[2].session, next);
  EXPECT_EQ(places[2].request, LeaseRequest::kRwDataOrRw);
  EXPECT_EQ(d.domain.Look().waiting, 2U);
  EXPECT_EQ(d.domain.Look().waiting_writers, 1U);
}

TEST(Domain, LeavingTwiceOrUnknownDoesNothing) {
  DomainDriver d;
  const SessionId writer = d.Ask(LeaseRequest::kRw);
  d.Leave(SessionId{99});
  EXPECT_EQ(d.State(), "RW");
  d.Leave(writer);
  d.Leave(writer);
  EXPECT_EQ(d.Events(), "rw_connected rw_aborted allocations_cleared");
}

}  // namespace
}  // namespace hearth::gms

// Who comes in when: tickets, bounded preference of writers, waiters that go.
#include <gtest/gtest.h>

#include "gms/core/testing/domain_driver.h"

namespace hearth::gms {
namespace {

using testing::DomainDriver;

// W-01, E11: a waiter that hangs up blocks nobody and gets nothing.
TEST(Fairness, DeadWaiterIsDroppedAtOnce) {
  DomainDriver d;
  d.Publish();
  const SessionId reader = d.Ask(LeaseRequest::kRo);
  const SessionId writer = d.Ask(LeaseRequest::kRw);
  const SessionId blocked = d.Ask(LeaseRequest::kRo);
  EXPECT_EQ(d.StateOf(blocked), "waits");
  d.Leave(writer);
  EXPECT_EQ(d.StateOf(blocked), "ro");
  d.Leave(reader);
  d.Leave(blocked);
  EXPECT_EQ(d.State(), "COMMITTED");
  EXPECT_EQ(d.memory_out().size(), 1U);
}

// E12: the writer in line goes before rw_or_ro, after all readers, the former writer among them.
TEST(Fairness, WaitingWriterGoesBeforeALateRwOrRo) {
  DomainDriver d;
  const SessionId first = d.Ask(LeaseRequest::kRw);
  d.Allocate(first);
  d.Commit(first, true);
  const SessionId reader = d.Ask(LeaseRequest::kRo);
  const SessionId writer = d.Ask(LeaseRequest::kRw);
  const SessionId late = d.Ask(LeaseRequest::kRwOrRo);
  EXPECT_EQ(d.StateOf(late), "waits");
  d.Leave(reader);
  EXPECT_EQ(d.StateOf(writer), "waits");
  d.Leave(first);
  EXPECT_EQ(d.StateOf(writer), "rw");
  EXPECT_EQ(d.StateOf(late), "waits");
  d.Allocate(writer);
  d.Commit(writer);
  EXPECT_EQ(d.StateOf(late), "ro");
}

TEST(Fairness, RwOrRoBehindAWriterDoesNotTakeItsPlace) {
  DomainDriver d;
  const SessionId holder = d.Ask(LeaseRequest::kRw);
  const SessionId writer = d.Ask(LeaseRequest::kRw);
  const SessionId late = d.Ask(LeaseRequest::kRwOrRo);
  d.Leave(holder);
  EXPECT_EQ(d.StateOf(writer), "rw");
  EXPECT_EQ(d.StateOf(late), "waits");
  d.Leave(writer);
  EXPECT_EQ(d.StateOf(late), "rw");
}

// W-54: first come, first served.
TEST(Fairness, WritersComeInByTicket) {
  DomainDriver d;
  SessionId holder = d.Ask(LeaseRequest::kRw);
  std::vector<SessionId> line;
  for (const LeaseRequest request :
       {LeaseRequest::kRw, LeaseRequest::kRwDataOrRw, LeaseRequest::kRwShadow,
        LeaseRequest::kRwOrRo, LeaseRequest::kRw}) {
    line.push_back(d.Ask(request));
  }
  for (const SessionId next : line) {
    d.Leave(holder);
    EXPECT_EQ(d.StateOf(next), "rw");
    holder = next;
  }
}

TEST(Fairness, ReaderThatCameFirstGoesFirst) {
  DomainDriver d;
  const SessionId holder = d.Ask(LeaseRequest::kRw);
  const SessionId reader = d.Ask(LeaseRequest::kRo);
  const SessionId writer = d.Ask(LeaseRequest::kRw);
  d.Allocate(holder);
  d.Commit(holder);
  EXPECT_EQ(d.StateOf(reader), "ro");
  EXPECT_EQ(d.StateOf(writer), "waits");
}

TEST(Fairness, ReaderOfNothingDoesNotBlockWriters) {
  DomainDriver d;
  const SessionId reader = d.Ask(LeaseRequest::kRo);
  const SessionId writer = d.Ask(LeaseRequest::kRw);
  EXPECT_EQ(d.StateOf(writer), "rw");
  d.Leave(writer);
  EXPECT_EQ(d.StateOf(reader), "waits");
  d.Publish();
  EXPECT_EQ(d.StateOf(reader), "ro");
}

// W-54: a line of writers does not starve a reader.
TEST(Fairness, ReaderIsPassedOverOnlySoOften) {
  DomainDriver d({.writers_ahead_of_readers = 3});
  d.Publish();
  SessionId holder = d.Ask(LeaseRequest::kRw);
  std::vector<SessionId> writers;
  for (int i = 0; i < 10; ++i) {
    writers.push_back(d.Ask(LeaseRequest::kRw));
  }
  const SessionId reader = d.Ask(LeaseRequest::kRo);
  for (int i = 0; i < 3; ++i) {
    d.Commit(holder);
    holder = writers[static_cast<size_t>(i)];
    EXPECT_EQ(d.StateOf(holder), "rw") << i;
    EXPECT_EQ(d.StateOf(reader), "waits") << i;
  }
  const SessionId later = d.Ask(LeaseRequest::kRo);
  d.Commit(holder);
  EXPECT_EQ(d.StateOf(reader), "ro") << "its turn, seven writers early";
  EXPECT_EQ(d.StateOf(writers[3]), "waits");
  EXPECT_EQ(d.StateOf(later), "waits") << "not its turn yet";
  d.Leave(reader);
  EXPECT_EQ(d.StateOf(writers[3]), "rw");
}

TEST(Fairness, WriterIsNotStarvedByReadersEvenWithoutPatience) {
  DomainDriver d({.writers_ahead_of_readers = 0});  // as 1
  d.Publish();
  SessionId reader = d.Ask(LeaseRequest::kRo);
  const SessionId writer = d.Ask(LeaseRequest::kRw);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(d.StateOf(d.Ask(LeaseRequest::kRo)), "waits");
  }
  d.Leave(reader);
  EXPECT_EQ(d.StateOf(writer), "rw");
  d.Commit(writer);
  EXPECT_EQ(d.domain.Look().readers, 5U);
}

TEST(Fairness, ShadowInLineKeepsNoReaderOut) {
  DomainDriver d;
  d.Publish();
  const SessionId writing = d.Ask(LeaseRequest::kRwShadow);
  const SessionId waiting = d.Ask(LeaseRequest::kRwShadow);
  const SessionId reader = d.Ask(LeaseRequest::kRo);
  EXPECT_EQ(d.StateOf(waiting), "waits");
  EXPECT_EQ(d.StateOf(reader), "ro");
  d.Leave(writing);
  EXPECT_EQ(d.StateOf(waiting), "rw");
}

TEST(Fairness, ShadowStaysBehindAWriterInLine) {
  DomainDriver d;
  d.Publish();
  const SessionId reader = d.Ask(LeaseRequest::kRo);
  const SessionId writer = d.Ask(LeaseRequest::kRw);
  const SessionId shadow = d.Ask(LeaseRequest::kRwShadow);
  EXPECT_EQ(d.StateOf(shadow), "waits");
  d.Leave(reader);
  EXPECT_EQ(d.StateOf(writer), "rw");
  d.Leave(writer);
  EXPECT_EQ(d.StateOf(shadow), "rw");
}

TEST(Fairness, OneCommitLetsAllReadersIn) {
  DomainDriver d;
  const SessionId writer = d.Ask(LeaseRequest::kRw);
  std::vector<SessionId> readers;
  for (int i = 0; i < 1000; ++i) {
    readers.push_back(d.Ask(LeaseRequest::kRo));
  }
  d.Commit(writer, true);
  EXPECT_EQ(d.domain.Look().readers, 1001U);
  EXPECT_EQ(d.domain.Look().waiting, 0U);
}

TEST(Fairness, ExpiredWaitersAreToldInOrder) {
  DomainDriver d;
  d.domain.Request(SessionId{1}, LeaseRequest::kRw, d.now);
  d.domain.Request(SessionId{2}, LeaseRequest::kRw, d.now, d.now + std::chrono::seconds(2));
  d.domain.Request(SessionId{3}, LeaseRequest::kRw, d.now, d.now + std::chrono::seconds(1));
  d.domain.Request(SessionId{4}, LeaseRequest::kRw, d.now, d.now + std::chrono::seconds(9));
  d.domain.TakeEffects();
  d.domain.Expire(d.now + std::chrono::seconds(2));
  const auto effects = d.domain.TakeEffects();
  EXPECT_EQ(effects.timed_out, (std::vector<SessionId>{{2}, {3}}));
  EXPECT_EQ(d.domain.NextDeadline(), d.now + std::chrono::seconds(9));
}

}  // namespace
}  // namespace hearth::gms

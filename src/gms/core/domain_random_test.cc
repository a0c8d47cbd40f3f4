// Long random runs of a domain beside a naive model of it: every answer, every piece of memory and
// what everybody sees must agree after every step.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/random.h"
#include "gms/core/domain.h"
#include "gms/core/testing/naive_domain.h"

namespace hearth::gms {
namespace {

using testing::NaiveDomain;

class SideBySide {
 public:
  SideBySide(DomainOptions options, uint64_t seed)
      : real_(options), naive_(options), random_(seed) {}

  void Steps(int count) {
    for (int i = 0; i < count && !::testing::Test::HasFailure(); ++i) {
      Step();
      CompareEffects();
      CompareFacts();
      CompareSessions();
      EXPECT_FALSE(::testing::Test::HasFailure()) << "step " << i << ", act " << act_;
    }
  }

  // When everybody has gone and the last generation is replaced by nothing, nothing is out.
  void End() {
    naive_.SetFenced(false);
    real_.SetFenced(false);
    while (!naive_.sessions().empty()) {
      const SessionId id = naive_.sessions().front().id;
      naive_.Leave(id);
      real_.Leave(id);
    }
    const SessionId last{next_session_};
    real_.Request(last, LeaseRequest::kRw, now_);
    ASSERT_TRUE(real_.Commit(last, false).ok());
    for (const MemoryHandle memory : real_.TakeEffects().released) {
      EXPECT_EQ(out_.erase(memory), 1U);
    }
    EXPECT_TRUE(out_.empty()) << out_.size() << " pieces of memory leaked";
  }

 private:
  SessionId Somebody() {
    const auto& sessions = naive_.sessions();
    return sessions.empty() ? SessionId{next_session_ + 1}
                            : sessions[random_.Below(sessions.size())].id;
  }
  // Mostly the writer: others are refused, which is worth a look but not most of the time.
  SessionId Writer() {
    for (const auto& session : naive_.sessions()) {
      if (session.grant && *session.grant != Grant::kRo && random_.Below(8) != 0) {
        return session.id;
      }
    }
    return Somebody();
  }
  std::string SomeName() { return "a" + std::to_string(random_.Below(4)); }

  void Step() {
    act_ = random_.Below(20);
    switch (act_) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
        return Ask();
      case 5:
      case 6:
      case 7:
        return Leave(Somebody());
      case 8:
      case 9:
      case 10:
        return Allocate();
      case 11:
        return Free();
      case 12:
      case 13:
        return Commit();
      case 14:
        return Seal();
      case 15:
        EXPECT_EQ(real_.ReclaimSuperseded(), naive_.Reclaim());
        return;
      case 16:
      case 17:
        now_ += std::chrono::seconds(random_.Below(3));
        real_.Expire(now_);
        return naive_.Expire(now_);
      case 18:
        return Fence();
      default:
        return Hold();
    }
  }

  void Ask() {
    if (naive_.sessions().size() >= 12) {
      return;
    }
    const SessionId id{next_session_++};
    const auto request = static_cast<LeaseRequest>(random_.Below(5));
    const SteadyTime deadline =
        random_.Below(3) == 0 ? now_ + std::chrono::seconds(random_.Below(4)) : SteadyTime::max();
    real_.Request(id, request, now_, deadline);
    naive_.Request(id, request, now_, deadline);
  }
  void Leave(SessionId id) {
    real_.Leave(id);
    naive_.Leave(id);
  }
  void Allocate() {
    const SessionId id = Writer();
    const std::string name = SomeName();
    const MemoryHandle memory = next_memory_++;
    const bool may = real_.MayAllocate(id, name).ok();
    const bool done = real_.Allocate(id, name, 4096, 4096, "t", memory).ok();
    EXPECT_EQ(may, done);
    EXPECT_EQ(done, naive_.Allocate(id, name, memory));
    if (done) {
      out_.insert(memory);
      (void)real_.Put(id, "k" + std::to_string(random_.Below(4)), {name, random_.Below(4096), "v"});
    }
  }
  void Free() {
    const SessionId id = Writer();
    const std::string name = SomeName();
    const auto freed = real_.Free(id, name);
    EXPECT_EQ(freed.ok() && *freed, naive_.Free(id, name));
  }
  void Commit() {
    const SessionId id = Writer();
    const bool stay = random_.Below(2) == 0;
    EXPECT_EQ(real_.Commit(id, stay).ok(), naive_.Commit(id, stay));
  }
  void Seal() {
    const SessionId id = Writer();
    EXPECT_EQ(real_.CommitLayout(id).ok(), naive_.Seal(id));
  }
  void Fence() {
    const bool fenced = random_.Below(4) == 0;
    real_.SetFenced(fenced);
    naive_.SetFenced(fenced);
  }
  void Hold() {
    const bool held = random_.Below(3) == 0;
    if (held) {
      real_.HoldAdoption(SessionId{1});
    } else {
      real_.ReleaseAdoption(SessionId{1});
    }
    naive_.SetAdoptionHeld(held);
  }

  template <typename T>
  static std::vector<T> Sorted(std::vector<T> values) {
    std::sort(values.begin(), values.end());
    return values;
  }

  void CompareEffects() {
    const Domain::Effects effects = real_.TakeEffects();
    EXPECT_EQ(Sorted(effects.released), Sorted(std::exchange(naive_.released, {})));
    EXPECT_EQ(effects.timed_out, std::exchange(naive_.timed_out, {}));
    EXPECT_EQ(effects.fenced, std::exchange(naive_.fenced, {}));
    for (const MemoryHandle memory : effects.released) {
      EXPECT_EQ(out_.erase(memory), 1U) << "memory " << memory << " came back twice";
    }
  }

  void CompareFacts() {
    const Domain::Facts facts = real_.Look();
    EXPECT_EQ(facts.state, naive_.state());
    EXPECT_EQ(facts.has_writer, naive_.has_writer());
    EXPECT_EQ(facts.readers, naive_.readers());
    EXPECT_EQ(facts.committed, naive_.committed());
    EXPECT_EQ(facts.layout_committed, naive_.layout_committed());
    EXPECT_EQ(facts.allocations, naive_.probed_allocations());
    EXPECT_EQ(facts.kept_bytes, out_.size() * 4096);
    EXPECT_EQ(facts.hash.empty(), !facts.layout_committed);
  }

  void CompareSessions() {
    EXPECT_EQ(real_.Places().size(), naive_.sessions().size());
    for (const NaiveDomain::Session& session : naive_.sessions()) {
      ASSERT_EQ(real_.GrantOf(session.id), session.grant) << session.id.value;
      if (session.grant) {
        const Layout& layout = **real_.LayoutOf(session.id);
        ASSERT_EQ(layout.allocation_count(), session.generation->allocations.size());
        for (const auto& [name, memory] : session.generation->allocations) {
          ASSERT_NE(layout.Find(name), nullptr);
          EXPECT_EQ(layout.Find(name)->memory, memory);
        }
        for (const auto& [key, metadata] : layout.metadata()) {
          EXPECT_NE(layout.Find(metadata.allocation_id), nullptr) << "metadata of nothing";
        }
      }
    }
  }

  Domain real_;
  NaiveDomain naive_;
  Random random_;
  SteadyTime now_{std::chrono::hours(1)};
  uint64_t next_session_ = 2;
  MemoryHandle next_memory_ = 1;
  std::set<MemoryHandle> out_;
  uint64_t act_ = 0;
};

TEST(DomainRandom, AgreesWithTheNaiveModel) {
  for (const ReplacePolicy policy :
       {ReplacePolicy::kKeepUntilCommit, ReplacePolicy::kDestroyFirst}) {
    for (const int patience : {1, 2, 16}) {
      for (uint64_t seed = 1; seed <= 4; ++seed) {
        SCOPED_TRACE("policy " + std::to_string(static_cast<int>(policy)) + " patience " +
                     std::to_string(patience) + " seed " + std::to_string(seed));
        SideBySide run({.replace = policy, .writers_ahead_of_readers = patience}, seed);
        run.Steps(4000);
        run.End();
      }
    }
  }
}

}  // namespace
}  // namespace hearth::gms

#include "controller/internal/lease_lock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"
#include "controller/testing/direct_transport.h"
#include "controller/testing/memory_api.h"

namespace hearth::controller::internal {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

const kube::ObjectKey kLease{"ns", "lock"};

LeaderElector::Options OptionsFor(const std::string& identity) {
  return {.lease = kLease, .identity = identity};
}

kube::ClientOptions OneTry() {
  kube::ClientOptions options;
  options.max_tries = 1;
  return options;
}

// Candidates with clocks of their own before one server, in one thread. Requests are lost, answers
// are lost, packets come late, the others go on while one waits, and the wall clocks disagree.
// After every tick it is checked that at most one leads.
class World {
 public:
  World(int candidates, uint64_t seed) : random_(seed) {
    for (int i = 0; i < candidates; ++i) {
      members_.push_back(std::make_unique<Member>(*this, i));
    }
  }

  void StepAnyone() {
    Member& member = *members_[random_.Below(members_.size())];
    if (!member.busy) {
      member.busy = true;
      Step(member);
      member.busy = false;
    }
  }

  void Tick(Duration by) {
    for (const auto& member : members_) {
      member->clock.Advance(by);
    }
    Check();
  }

  void Trouble() {
    Tick(Duration(milliseconds(random_.Below(2500))));
    Member& member = *members_[random_.Below(members_.size())];
    if (random_.Below(20) == 0) {
      member.cut_off = !member.cut_off;
    }
    if (!late_.empty() && random_.Below(3) == 0) {
      api_.Answer(late_.back());
      late_.pop_back();
    }
    if (random_.Below(200) == 0 && all_have_seen_) {
      api_.Remove(kube::types::Leases(), kLease);
    }
  }

  void Heal() {
    calm_ = true;
    late_.clear();
    for (const auto& member : members_) {
      member->cut_off = false;
    }
  }

  int leading() const {
    int count = 0;
    for (const auto& member : members_) {
      count += member->lock.leading() ? 1 : 0;
    }
    return count;
  }
  int terms() const { return terms_; }
  bool violated() const { return violated_; }

 private:
  struct Member {
    Member(World& world, int index)
        : clock(WallTime(hours(index * 1000))),
          transport([this, &world](const http::Request& request, const WaitLimit& limit) {
            return world.Carry(*this, request, limit);
          }),
          client(transport, clock, OneTry()),
          lock(client, clock, OptionsFor("candidate-" + std::to_string(index))) {}

    ManualClock clock;
    DirectTransport transport;
    kube::Client client;
    LeaseLock lock;
    bool busy = false;
    bool cut_off = false;
    bool seen = false;
  };

  void Step(Member& member) {
    const WaitLimit limit = WaitLimit::For(member.clock, seconds(5));
    if (!member.lock.leading()) {
      const Result<bool> leads = member.lock.TryAcquire(limit);
      terms_ += leads.ok() && *leads ? 1 : 0;
      member.seen = member.seen || leads.ok();
      all_have_seen_ = std::all_of(members_.begin(), members_.end(),
                                   [](const auto& each) { return each->seen; });
    } else if (!calm_ && random_.Below(20) == 0) {
      static_cast<void>(member.lock.Release(limit));
    } else {
      static_cast<void>(member.lock.Renew(limit));
    }
    Check();
  }

  Result<http::Response> Carry(Member& member, const http::Request& request,
                               const WaitLimit& limit) {
    if (calm_) {
      return api_.Answer(request);
    }
    OthersGoOn();
    if (member.cut_off || random_.Below(10) == 0) {
      if (random_.Below(2) == 0) {
        late_.push_back(request);
      }
      return UnavailableError("lost on the way");
    }
    const http::Response response = api_.Answer(request);
    OthersGoOn();
    if (random_.Below(10) == 0) {
      return UnavailableError("the answer was lost");
    }
    RETURN_IF_ERROR(limit.Check(member.clock, "request"));
    return response;
  }

  void OthersGoOn() {
    if (depth_ >= 3) {
      return;
    }
    ++depth_;
    for (uint64_t i = random_.Below(4); i > 0; --i) {
      Trouble();
      StepAnyone();
    }
    --depth_;
  }

  void Check() { violated_ = violated_ || leading() > 1; }

  Random random_;
  MemoryApi api_;
  std::vector<http::Request> late_;
  int depth_ = 0;
  int terms_ = 0;
  bool all_have_seen_ = false;
  bool calm_ = false;
  bool violated_ = false;
  std::vector<std::unique_ptr<Member>> members_;
};

TEST(LeaseLockSimulation, TwoNeverLeadTogether) {
  int terms = 0;
  for (uint64_t seed = 0; seed < 120; ++seed) {
    World world(2 + static_cast<int>(seed % 3), seed);
    for (int step = 0; step < 150; ++step) {
      world.Trouble();
      world.StepAnyone();
      ASSERT_FALSE(world.violated()) << "seed " << seed << ", step " << step;
    }
    terms += world.terms();
  }
  EXPECT_GT(terms, 1000) << "the simulation hardly ever elects anybody, so it shows nothing";
}

TEST(LeaseLockSimulation, OneLeadsOnceTheTroubleIsOver) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    World world(3, seed);
    for (int step = 0; step < 50; ++step) {
      world.Trouble();
      world.StepAnyone();
    }
    world.Heal();
    for (int step = 0; step < 200; ++step) {
      world.Tick(milliseconds(300));
      world.StepAnyone();
    }
    EXPECT_EQ(world.leading(), 1) << "seed " << seed;
  }
}

class LeaseLockTest : public testing::Test {
 protected:
  WaitLimit Limit() { return WaitLimit::For(clock_, seconds(5)); }
  std::string Spec(std::string_view field) {
    const auto lease = api_.Find(kube::types::Leases(), kLease);
    const json::Value* value = lease ? lease->FindPath("spec." + std::string(field)) : nullptr;
    return value == nullptr ? "" : value->IsString() ? value->string() : value->Write();
  }
  bool Acquire(LeaseLock& lock) {
    const Result<bool> leads = lock.TryAcquire(Limit());
    EXPECT_OK(leads);
    return leads.ok() && *leads;
  }

  ManualClock clock_;
  MemoryApi api_;
  DirectTransport transport_{
      [this](const http::Request& request, const WaitLimit&) { return api_.Answer(request); }};
  kube::Client client_{transport_, clock_, OneTry()};
  LeaseLock a_{client_, clock_, OptionsFor("a")};
  LeaseLock b_{client_, clock_, OptionsFor("b")};
};

TEST_F(LeaseLockTest, FirstOneCreatesTheLease) {
  EXPECT_TRUE(Acquire(a_));
  EXPECT_EQ(Spec("holderIdentity"), "a");
  EXPECT_EQ(Spec("leaseDurationSeconds"), "15");
  EXPECT_EQ(Spec("leaseTransitions"), "0");
  EXPECT_EQ(Spec("acquireTime"), "2023-11-14T22:13:20.000000Z");
  EXPECT_EQ(Spec("renewTime"), "2023-11-14T22:13:20.000000Z");
}

TEST_F(LeaseLockTest, RenewingMovesOnlyTheRenewTime) {
  EXPECT_TRUE(Acquire(a_));
  clock_.Advance(seconds(2));
  EXPECT_OK(a_.Renew(Limit()));
  EXPECT_EQ(Spec("acquireTime"), "2023-11-14T22:13:20.000000Z");
  EXPECT_EQ(Spec("renewTime"), "2023-11-14T22:13:22.000000Z");
  EXPECT_EQ(Spec("leaseTransitions"), "0");
}

TEST_F(LeaseLockTest, SilentLeaderIsReplacedAfterItsDuration) {
  EXPECT_TRUE(Acquire(a_));
  EXPECT_FALSE(Acquire(b_));
  clock_.Advance(seconds(15) - Duration(1));
  EXPECT_FALSE(Acquire(b_));
  EXPECT_FALSE(a_.leading()) << "it must have stopped long before";
  clock_.Advance(Duration(1));
  EXPECT_TRUE(Acquire(b_));
  EXPECT_EQ(Spec("holderIdentity"), "b");
  EXPECT_EQ(Spec("leaseTransitions"), "1");
}

TEST_F(LeaseLockTest, TimesInTheRecordDecideNothing) {
  api_.Put(kube::types::Leases(),
           json::Value::Object(
               {{"metadata", json::Value::Object({{"name", "lock"}, {"namespace", "ns"}})},
                {"spec", json::Value::Object({{"holderIdentity", "old"},
                                              {"leaseDurationSeconds", 20},
                                              {"renewTime", "1999-01-01T00:00:00.000000Z"}})}}));
  EXPECT_FALSE(Acquire(a_));
  clock_.Advance(seconds(20) - Duration(1));
  EXPECT_FALSE(Acquire(a_));
  clock_.Advance(Duration(1));
  EXPECT_TRUE(Acquire(a_));
}

TEST_F(LeaseLockTest, ReleasedLeaseIsTakenAtOnce) {
  EXPECT_TRUE(Acquire(a_));
  EXPECT_FALSE(Acquire(b_));
  EXPECT_OK(a_.Release(Limit()));
  EXPECT_FALSE(a_.leading());
  EXPECT_EQ(Spec("holderIdentity"), "");
  EXPECT_EQ(Spec("leaseDurationSeconds"), "1");
  EXPECT_TRUE(Acquire(b_));
}

TEST_F(LeaseLockTest, ReleaseLeavesAnothersLeaseAlone) {
  EXPECT_TRUE(Acquire(a_));
  EXPECT_FALSE(Acquire(b_));
  clock_.Advance(seconds(15));
  EXPECT_TRUE(Acquire(b_));
  EXPECT_OK(a_.Release(Limit()));
  EXPECT_EQ(Spec("holderIdentity"), "b");
}

TEST_F(LeaseLockTest, RenewAfterSomebodyElseTookItIsALoss) {
  EXPECT_TRUE(Acquire(a_));
  json::Value lease = *api_.Find(kube::types::Leases(), kLease);
  lease["spec"].Set("holderIdentity", "thief");
  api_.Put(kube::types::Leases(), lease);
  const Status renewed = a_.Renew(Limit());
  EXPECT_CODE(Code::kConflict, renewed);
  EXPECT_EQ(renewed.reason(), kLostReason);
  EXPECT_FALSE(a_.leading());
}

TEST_F(LeaseLockTest, ForeignEditOfTheLeaseIsNoLoss) {
  EXPECT_TRUE(Acquire(a_));
  json::Value lease = *api_.Find(kube::types::Leases(), kLease);
  lease.MakePath("metadata.labels").Set("team", "x");
  api_.Put(kube::types::Leases(), lease);
  EXPECT_OK(a_.Renew(Limit()));
  EXPECT_TRUE(a_.leading());
  const json::Value after = *api_.Find(kube::types::Leases(), kLease);
  EXPECT_NE(after.FindPath("metadata.labels.team"), nullptr) << "the edit was written over";
}

TEST_F(LeaseLockTest, LeaderMakesADeletedLeaseAnew) {
  EXPECT_TRUE(Acquire(a_));
  api_.Remove(kube::types::Leases(), kLease);
  EXPECT_OK(a_.Renew(Limit()));
  EXPECT_EQ(Spec("holderIdentity"), "a");
}

TEST_F(LeaseLockTest, DeletedLeaseOfALeaderThatWasSeenIsNotTakenAtOnce) {
  EXPECT_TRUE(Acquire(a_));
  EXPECT_FALSE(Acquire(b_));
  clock_.Advance(seconds(9));
  EXPECT_OK(a_.Renew(Limit()));
  clock_.Advance(seconds(7));
  api_.Remove(kube::types::Leases(), kLease);
  EXPECT_FALSE(Acquire(b_)) << "a does not know yet and acts on";
  EXPECT_TRUE(a_.leading());
  clock_.Advance(seconds(15));
  EXPECT_TRUE(Acquire(b_));
}

TEST_F(LeaseLockTest, LeadsFromTheTimeTheRequestWasSent) {
  DirectTransport slow([this](const http::Request& request, const WaitLimit&) {
    clock_.Advance(seconds(4));
    return api_.Answer(request);
  });
  kube::Client client(slow, clock_, OneTry());
  LeaseLock lock(client, clock_, OptionsFor("slow"));
  // Reading takes four seconds and does not count, writing takes four that do.
  EXPECT_TRUE(Acquire(lock));
  EXPECT_EQ(lock.leads_until() - clock_.Now(), seconds(6));
}

TEST_F(LeaseLockTest, RenewalThatComesBackTooLateIsALoss) {
  Duration delay{};
  DirectTransport slow([&](const http::Request& request, const WaitLimit&) {
    const http::Response answer = api_.Answer(request);
    clock_.Advance(delay);
    return answer;
  });
  kube::Client client(slow, clock_, OneTry());
  LeaseLock lock(client, clock_, OptionsFor("slow"));
  EXPECT_TRUE(Acquire(lock));
  clock_.Advance(seconds(6));
  delay = seconds(4);
  EXPECT_CODE(Code::kDeadlineExceeded, lock.Renew(Limit()));
  EXPECT_FALSE(lock.leading()) << "whoever was told that it ended has stopped";
  EXPECT_CODE(Code::kDeadlineExceeded, lock.Renew(Limit()));
}

TEST_F(LeaseLockTest, HugeDurationInARecordDoesNotOverflow) {
  ObservedLease observed;
  observed.Observe({.holder = "x", .duration_seconds = INT64_MAX}, clock_.Now());
  EXPECT_TRUE(observed.HeldByAnother("a", clock_.Now() + hours(24), seconds(15)));
  observed.Observe({.holder = "x", .duration_seconds = -5}, clock_.Now());
  EXPECT_TRUE(observed.HeldByAnother("a", clock_.Now() + seconds(14), seconds(15)));
  EXPECT_FALSE(observed.HeldByAnother("a", clock_.Now() + seconds(15), seconds(15)));
}

}  // namespace
}  // namespace hearth::controller::internal

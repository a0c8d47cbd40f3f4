#include "agent/node/capture_leases.h"

#include <gtest/gtest.h>

#include <functional>
#include <future>

#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"
#include "controller/testing/direct_transport.h"
#include "controller/testing/memory_api.h"
#include "json/value.h"

namespace hearth::agent::node {
namespace {

using namespace std::chrono_literals;

// A clock that somebody sets: what it shows jumps, what passed does not.
class SetClock : public ManualClock {
 public:
  WallTime WallNow() const override { return ManualClock::WallNow() + jump_.load(); }
  void Jump(Duration by) { jump_ = jump_.load() + by; }

 private:
  std::atomic<Duration> jump_ = Duration(0);
};

class CaptureLeasesTest : public testing::Test {
 protected:
  CaptureLeases Agent(const std::string& identity) {
    return {client_, clock_, {identity, 30s, 10s}, Logger::Null()};
  }
  Result<CaptureLeases::Attempt> Take(CaptureLeases& leases) {
    return leases.Take({kOne, kTwo}, WaitLimit::Forever());
  }
  std::string Holder(const kube::ObjectKey& key) {
    const auto lease = api_.Find(kube::types::Leases(), key);
    return lease ? lease->FindPath("spec.holderIdentity")->StringOr("") : "nobody";
  }
  void Put(const kube::ObjectKey& key, const std::string& holder, int seconds) {
    json::Value lease = kube::NewObject(kube::types::Leases(), key);
    lease["spec"].Set("holderIdentity", holder);
    lease["spec"].Set("leaseDurationSeconds", seconds);
    lease["spec"].Set("leaseTransitions", ++puts_);  // no two are the same
    api_.Put(kube::types::Leases(), std::move(lease));
  }

  const kube::ObjectKey kOne{"ns", "checkpoint-lease-lark"};
  const kube::ObjectKey kTwo{"agents", "checkpoint-artifact-1"};
  int puts_ = 0;
  SetClock clock_;
  controller::MemoryApi api_;
  std::atomic<bool> cut_ = false;
  std::atomic<int> asked_ = 0;
  std::function<void(const http::Request&)> before_;  // what happens just before a request
  controller::DirectTransport transport_{
      [this](const http::Request& request, const WaitLimit&) -> Result<http::Response> {
        ++asked_;
        if (before_) {
          before_(request);
        }
        if (cut_) {
          http::Response response;
          response.status = 500;
          return response;
        }
        return api_.Answer(request);
      }};
  kube::Client client_{transport_, clock_, {.max_tries = 1}};
};

TEST_F(CaptureLeasesTest, TakesAllOrNothing) {
  Put(kTwo, "other", 30);
  CaptureLeases mine = Agent("me");
  const auto attempt = Take(mine);
  ASSERT_OK(attempt);
  EXPECT_EQ(attempt->held, nullptr);
  EXPECT_EQ(attempt->retry_after, 30s);
  EXPECT_EQ(attempt->holder, "other");
  EXPECT_EQ(Holder(kOne), "nobody") << "the first was not given back";
}

// Each request is a way to the server and back before anything can begin.
TEST_F(CaptureLeasesTest, ALeaseThatIsNotThereTakesOneRequest) {
  CaptureLeases mine = Agent("me");
  EXPECT_NE(Take(mine)->held, nullptr);
  EXPECT_EQ(asked_, 2);
  EXPECT_EQ(Holder(kOne), "me");
  EXPECT_EQ(Holder(kTwo), "me");
}

TEST_F(CaptureLeasesTest, TakesWhatIsGivenBackBetweenTwoLooks) {
  Put(kOne, "other", 30);
  before_ = [this](const http::Request& request) {
    if (request.method == "GET") {
      api_.Remove(kube::types::Leases(), kOne);
    }
  };
  CaptureLeases mine = Agent("me");
  EXPECT_NE(Take(mine)->held, nullptr);
  EXPECT_EQ(Holder(kOne), "me");
}

// A server's answer may be lost although it did what it was asked to.
TEST_F(CaptureLeasesTest, FindsItsOwn) {
  Put(kOne, "me", 30);
  CaptureLeases mine = Agent("me");
  EXPECT_NE(Take(mine)->held, nullptr);
}

TEST_F(CaptureLeasesTest, TakesOverWhatDidNotMoveForItsTime) {
  Put(kOne, "dead", 20);
  CaptureLeases mine = Agent("me");
  EXPECT_EQ(Take(mine)->held, nullptr);
  clock_.Advance(15s);
  Put(kOne, "dead", 20);  // it lives, and renews
  EXPECT_EQ(Take(mine)->retry_after, 20s);
  clock_.Advance(20s);
  const auto attempt = Take(mine);
  ASSERT_OK(attempt);
  EXPECT_NE(attempt->held, nullptr);
  EXPECT_EQ(Holder(kOne), "me");
}

TEST_F(CaptureLeasesTest, LeasesWithoutHolderOrDurationAreFree) {
  Put(kOne, "", 30);
  Put(kTwo, "somebody", 0);
  CaptureLeases mine = Agent("me");
  EXPECT_NE(Take(mine)->held, nullptr);
}

TEST_F(CaptureLeasesTest, RenewsAndGivesBack) {
  CaptureLeases mine = Agent("me");
  auto attempt = Take(mine);
  ASSERT_OK(attempt);
  const auto renewed = [&] {
    return api_.Find(kube::types::Leases(), kOne)->FindPath("spec.renewTime")->StringOr("");
  };
  const std::string before = renewed();
  attempt->held->KeepRenewing([] { FAIL() << "it is held"; });
  clock_.AwaitWaiters(1);
  clock_.Advance(10s);
  clock_.AwaitWaiters(1);
  EXPECT_NE(renewed(), before);
  EXPECT_OK(attempt->held->Release(WaitLimit::Forever()));
  EXPECT_EQ(Holder(kOne), "nobody");
  EXPECT_EQ(Holder(kTwo), "nobody");
  EXPECT_OK(attempt->held->lost());
}

TEST_F(CaptureLeasesTest, WhatAnotherTookIsLostAndNotDeleted) {
  CaptureLeases mine = Agent("me");
  auto attempt = Take(mine);
  ASSERT_OK(attempt);
  std::promise<void> lost;
  attempt->held->KeepRenewing([&] { lost.set_value(); });
  clock_.AwaitWaiters(1);
  Put(kTwo, "other", 30);
  clock_.Advance(10s);
  lost.get_future().wait();
  EXPECT_CODE(Code::kConflict, attempt->held->lost());
  EXPECT_OK(attempt->held->Release(WaitLimit::Forever()));
  EXPECT_EQ(Holder(kTwo), "other");
}

TEST_F(CaptureLeasesTest, AServerThatDoesNotAnswerIsForgivenUntilTheLeaseIsOver) {
  CaptureLeases mine = Agent("me");
  auto attempt = Take(mine);
  ASSERT_OK(attempt);
  std::promise<void> lost;
  attempt->held->KeepRenewing([&] { lost.set_value(); });
  cut_ = true;
  for (int i = 0; i < 2; ++i) {
    clock_.AwaitWaiters(1);
    clock_.Advance(10s);
  }
  clock_.AwaitWaiters(1);
  EXPECT_OK(attempt->held->lost());
  clock_.Advance(10s);
  lost.get_future().wait();
  EXPECT_FALSE(attempt->held->lost().ok());
}

// 10.6: a node whose clock is set, ahead or back, neither loses what it holds nor takes what others
// do.
TEST_F(CaptureLeasesTest, AClockThatJumpsChangesNothing) {
  for (const Duration jump : {Duration(2h), Duration(-3h)}) {
    CaptureLeases mine = Agent("me");
    auto attempt = Take(mine);
    ASSERT_OK(attempt);
    ASSERT_NE(attempt->held, nullptr);
    const auto renewed = [&] {
      return api_.Find(kube::types::Leases(), kOne)->FindPath("spec.renewTime")->StringOr("");
    };
    attempt->held->KeepRenewing([] { FAIL() << "it is held"; });
    CaptureLeases theirs = Agent("other");
    EXPECT_EQ(Take(theirs)->held, nullptr);
    for (int i = 0; i < 4; ++i) {
      clock_.AwaitWaiters(1);
      const std::string before = renewed();
      clock_.Jump(jump);
      EXPECT_EQ(Take(theirs)->held, nullptr) << "by a clock that was set";
      clock_.Advance(10s);
      clock_.AwaitWaiters(1);
      EXPECT_NE(renewed(), before);
    }
    EXPECT_OK(attempt->held->lost());
    EXPECT_EQ(Holder(kOne), "me");
    EXPECT_OK(attempt->held->Release(WaitLimit::Forever()));
  }
}

}  // namespace
}  // namespace hearth::agent::node

#include "controller/leader_elector.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/stop_waker.h"
#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"
#include "controller/testing/direct_transport.h"
#include "controller/testing/memory_api.h"

namespace hearth::controller {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const kube::ObjectKey kLease{"ns", "lock"};

class LeaderElectorTest : public testing::Test {
 protected:
  std::unique_ptr<LeaderElector> Make(const std::string& identity) {
    auto made = LeaderElector::Create(client_, clock_, {.lease = kLease, .identity = identity},
                                      Logger::Null(), &metrics_);
    EXPECT_OK(made);
    return std::move(made).value();
  }

  static kube::ClientOptions OneTry() {
    kube::ClientOptions options;
    options.max_tries = 1;
    return options;
  }

  // A server that hangs keeps the request until its time is over.
  Result<http::Response> Carry(const http::Request& request, const WaitLimit& limit) {
    std::mutex mutex;
    std::condition_variable cv;
    StopWaker waker(limit.stop, mutex, cv);
    std::unique_lock lock(mutex);
    while (hangs_) {
      RETURN_IF_ERROR(limit.Check(clock_, "request"));
      clock_.WaitUntil(lock, cv, limit.deadline);
    }
    return api_.Answer(request);
  }

  void Steal() {
    json::Value lease = *api_.Find(kube::types::Leases(), kLease);
    lease["spec"].Set("holderIdentity", "thief");
    api_.Put(kube::types::Leases(), lease);
  }

  std::string Holder() {
    return api_.Find(kube::types::Leases(), kLease)->FindPath("spec.holderIdentity")->string();
  }

  double MasterStatus() {
    return metrics_.gauge("leader_election_master_status", "", {{"name", "lock"}}).value();
  }

  ManualClock clock_;
  Metrics metrics_;
  MemoryApi api_;
  std::atomic<bool> hangs_{false};
  DirectTransport transport_{[this](const http::Request& request, const WaitLimit& limit) {
    return Carry(request, limit);
  }};
  kube::Client client_{transport_, clock_, OneTry()};
  std::stop_source stop_;
};

TEST_F(LeaderElectorTest, LeadsAndRenewsUntilStopped) {
  const auto elector = Make("a");
  EXPECT_FALSE(elector->leading());
  ASSERT_OK(elector->Acquire(stop_.get_token()));
  EXPECT_TRUE(elector->leading());
  EXPECT_EQ(MasterStatus(), 1);
  auto held = std::async(std::launch::async, [&] { return elector->Hold(stop_.get_token()); });
  for (int i = 0; i < 20; ++i) {
    clock_.AwaitWaiters(1);
    clock_.Advance(seconds(2));
  }
  clock_.AwaitWaiters(1);
  EXPECT_TRUE(elector->leading());
  stop_.request_stop();
  EXPECT_OK(held.get());
  EXPECT_EQ(Holder(), "a") << "released before everything stopped";
  EXPECT_OK(elector->Release(WaitLimit::Forever()));
  EXPECT_EQ(Holder(), "");
  EXPECT_EQ(MasterStatus(), 0);
}

TEST_F(LeaderElectorTest, HungServerEndsTheLeadInTime) {
  const auto elector = Make("a");
  ASSERT_OK(elector->Acquire(stop_.get_token()));
  const SteadyTime renewed = clock_.Now();
  hangs_ = true;
  auto held = std::async(std::launch::async, [&] { return elector->Hold(stop_.get_token()); });
  // Waits two seconds, asks for five, waits two, asks for the one that is left.
  for (const Duration wait : {seconds(2), seconds(5), seconds(2), seconds(1)}) {
    clock_.AwaitWaiters(1);
    clock_.Advance(wait);
  }
  EXPECT_CODE(Code::kDeadlineExceeded, held.get());
  EXPECT_EQ(clock_.Now() - renewed, seconds(10));
  EXPECT_FALSE(elector->leading());
  EXPECT_EQ(MasterStatus(), 0);
  // Nothing is ours to release, so nothing is sent to hang.
  EXPECT_OK(elector->Release(WaitLimit::Forever()));
}

TEST_F(LeaderElectorTest, StopEndsAHangingRenewal) {
  const auto elector = Make("a");
  ASSERT_OK(elector->Acquire(stop_.get_token()));
  hangs_ = true;
  auto held = std::async(std::launch::async, [&] { return elector->Hold(stop_.get_token()); });
  clock_.AwaitWaiters(1);
  clock_.Advance(seconds(2));
  clock_.AwaitWaiters(1);
  stop_.request_stop();
  EXPECT_OK(held.get());
}

TEST_F(LeaderElectorTest, TakenLeaseEndsTheLeadAtTheNextRenewal) {
  const auto elector = Make("a");
  ASSERT_OK(elector->Acquire(stop_.get_token()));
  auto held = std::async(std::launch::async, [&] { return elector->Hold(stop_.get_token()); });
  clock_.AwaitWaiters(1);
  Steal();
  clock_.Advance(seconds(2));
  const Status lost = held.get();
  EXPECT_CODE(Code::kConflict, lost);
  EXPECT_NE(lost.message().find("thief"), std::string_view::npos);
  EXPECT_FALSE(elector->leading());
  EXPECT_OK(elector->Release(WaitLimit::Forever()));
  EXPECT_EQ(Holder(), "thief");
}

TEST_F(LeaderElectorTest, StandbyTakesOverWhenTheLeaderReleases) {
  const auto leader = Make("a");
  const auto standby = Make("b");
  ASSERT_OK(leader->Acquire(stop_.get_token()));
  auto acquired =
      std::async(std::launch::async, [&] { return standby->Acquire(stop_.get_token()); });
  clock_.AwaitWaiters(1);
  ASSERT_OK(leader->Release(WaitLimit::Forever()));
  // The longest pause between two looks.
  clock_.Advance(milliseconds(4400));
  EXPECT_OK(acquired.get());
  EXPECT_TRUE(standby->leading());
}

TEST_F(LeaderElectorTest, AcquireGoesOnThroughFailuresUntilStopped) {
  api_.Intercept([](const http::Request&) {
    http::Response refused;
    refused.status = 500;
    return std::optional(refused);
  });
  const auto elector = Make("a");
  auto acquired =
      std::async(std::launch::async, [&] { return elector->Acquire(stop_.get_token()); });
  for (int i = 0; i < 3; ++i) {
    clock_.AwaitWaiters(1);
    clock_.Advance(milliseconds(4400));
  }
  clock_.AwaitWaiters(1);
  stop_.request_stop();
  EXPECT_CODE(Code::kCancelled, acquired.get());
  EXPECT_FALSE(elector->leading());
}

TEST_F(LeaderElectorTest, TimesThatCannotWorkAreRefused) {
  const auto make = [&](Duration lease, Duration renew, Duration retry) {
    return LeaderElector::Create(
        client_, clock_,
        {.lease = kLease, .lease_duration = lease, .renew_deadline = renew, .retry_period = retry},
        Logger::Null(), nullptr);
  };
  EXPECT_CODE(Code::kInvalid, make(seconds(10), seconds(10), seconds(2)));
  EXPECT_CODE(Code::kInvalid, make(seconds(15), milliseconds(2400), seconds(2)));
  EXPECT_CODE(Code::kInvalid, make(seconds(15), seconds(10), seconds(0)));
  EXPECT_OK(make(seconds(15), seconds(10), seconds(2)));
  EXPECT_CODE(Code::kInvalid, LeaderElector::Create(client_, clock_, {}, Logger::Null(), nullptr));
}

TEST_F(LeaderElectorTest, InstancesHaveDifferentIdentities) {
  EXPECT_NE(Make("")->identity(), Make("")->identity());
}

}  // namespace
}  // namespace hearth::controller

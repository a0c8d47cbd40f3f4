#include "gms/server/internal/domain_service.h"

#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "gms/server/internal/connection.h"
#include "gms/server/testing/server_rig.h"

namespace hearth::gms::server {
namespace {

// Who may still write to a sealed layout when its lease has ended. W-18
class SealedWriterTest : public testing::Test {
 protected:
  static constexpr SessionId kWriter{1};
  static constexpr SessionId kStandby{2};

  void Seal() {
    ASSERT_EQ(Ask(kWriter, LeaseRequest::kRw), Grant::kRw);
    ASSERT_OK(cache_.domain().Allocate(kWriter, "a", 1, 4096, "kv", 1));
    ASSERT_OK(cache_.domain().CommitLayout(kWriter));
  }
  std::optional<Grant> Ask(SessionId session, LeaseRequest request) {
    cache_.domain().Request(session, request, RealClock().Now(), SteadyTime::max());
    (void)cache_.domain().TakeEffects();
    return cache_.domain().GrantOf(session);
  }
  bool StandbyWaits() { return !Ask(kStandby, LeaseRequest::kRwDataOrRw); }

  const ServerOptions options_{.adopt_quarantine = std::chrono::hours(1)};
  EpollLoop loop_;
  FdTraffic traffic_{loop_, 1000, 10};
  UnfinishedRequests unfinished_{0};
  ServerState state_{.loop = loop_,
                     .traffic = traffic_,
                     .unfinished = unfinished_,
                     .options = options_,
                     .log = Logger::Null()};
  DeviceDomains device_{state_, ServerRig::HostDevice(0)};
  DomainService& cache_ = device_.kv_cache();
};

TEST_F(SealedWriterTest, WhoseProcessHasNoNumberHereIsWaitedForAndToldOf) {
  Seal();
  cache_.Leave(kWriter, Peer{.pid = 0}, PeerProcess{});
  EXPECT_TRUE(StandbyWaits());
  EXPECT_EQ(cache_.SealedWriter(), kUnknownProcess);
}

TEST_F(SealedWriterTest, WhoseProcessHasEndedIsSucceededAtOnce) {
  Seal();
  cache_.Leave(kWriter, Peer{.pid = 0}, PeerProcess{.ended = true});
  EXPECT_EQ(cache_.SealedWriter(), 0);
  EXPECT_FALSE(StandbyWaits());
}

TEST_F(SealedWriterTest, ThatThePredecessorCouldNotNumberIsWaitedForByItsSuccessor) {
  Layout layout;
  ASSERT_OK(layout.Add("a", 1, 4096, "kv", 1));
  ASSERT_OK(cache_.domain().Install(std::move(layout), 7, /*sealed=*/true));
  cache_.TakeOverSealedWriter(kUnknownProcess);
  EXPECT_TRUE(StandbyWaits());
  EXPECT_EQ(cache_.SealedWriter(), kUnknownProcess) << "and by the one after that";
}

}  // namespace
}  // namespace hearth::gms::server

#include "gms/server/internal/fd_traffic.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <vector>

#include "base/check.h"

namespace hearth::gms::server {
namespace {

// A client's connection, with both ends in our hand.
struct Client {
  explicit Client(FdTraffic& traffic) : lane(std::make_unique<FdTraffic::Lane>(traffic)) {
    std::array<int, 2> ends{};
    CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    ours.reset(ends[0]);
    theirs.reset(ends[1]);
  }
  // One byte, with which so many descriptors went as far as the traffic knows.
  bool Send(size_t fds) {
    if (!lane->MayLend(ours.get(), fds)) {
      return false;
    }
    CHECK(::send(ours.get(), "x", 1, MSG_DONTWAIT) == 1);
    lane->Sent(ours.get(), 1, fds);
    return true;
  }
  void Fetch() {
    std::array<char, 64> bytes;
    while (::recv(theirs.get(), bytes.data(), bytes.size(), MSG_DONTWAIT) > 0) {
    }
  }

  std::unique_ptr<FdTraffic::Lane> lane;
  UniqueFd ours;
  UniqueFd theirs;
};

// Takes whatever it is given and fetches nothing.
void Hang(FdTraffic& traffic, std::vector<std::unique_ptr<Client>>& clients) {
  clients.push_back(std::make_unique<Client>(traffic));
  while (clients.back()->Send(traffic.Share())) {
  }
}

TEST(FdTraffic, TheMoreHangTheLessEachFurtherOneTakes) {
  EpollLoop loop;
  FdTraffic traffic(loop, 1024, 4096);
  EXPECT_EQ(traffic.Share(), 64U);
  std::vector<std::unique_ptr<Client>> hanging;
  for (int i = 0; i < 40; ++i) {
    Hang(traffic, hanging);
  }
  EXPECT_LT(traffic.count(), 1024U) << "there is room for somebody who fetches";
  Client honest(traffic);
  size_t got = 0;
  while (got < 500) {
    const size_t some = traffic.Share();
    ASSERT_TRUE(honest.Send(some));
    honest.Fetch();
    got += some;
  }
}

TEST(FdTraffic, WhatWasFetchedMakesRoomAlsoWhereNobodySendsMore) {
  EpollLoop loop;
  FdTraffic traffic(loop, 1000, 4096);
  std::vector<std::unique_ptr<Client>> idle;
  for (int i = 0; i < 100; ++i) {
    idle.push_back(std::make_unique<Client>(traffic));
    ASSERT_TRUE(idle.back()->Send(traffic.Share()));
    idle.back()->Fetch();
  }
  const SteadyTime end = RealClock().Now() + std::chrono::seconds(30);
  while (traffic.Share() < 50 && RealClock().Now() < end) {
  }
  EXPECT_GE(traffic.Share(), 50U) << traffic.count();
}

TEST(FdTraffic, NobodyGetsMoreThanItsShareAndEverybodyOneFrame) {
  EpollLoop loop;
  FdTraffic traffic(loop, 1'000'000, 4);
  Client client(traffic);
  EXPECT_TRUE(client.Send(9)) << "nothing else is on its way";
  EXPECT_FALSE(client.Send(1));
  client.Fetch();
  EXPECT_TRUE(client.Send(4));
  EXPECT_FALSE(client.Send(1));
  EXPECT_TRUE(client.Send(0));
}

// Closing takes nothing back: only the client can.
TEST(FdTraffic, WhatIsOnItsWayToAClientThatIsGivenUpCountsUntilTheClientIsGone) {
  EpollLoop loop;
  FdTraffic traffic(loop, 1000, 4096);
  Client client(traffic);
  ASSERT_TRUE(client.Send(60));
  traffic.End(std::move(client.lane), std::move(client.ours));
  EXPECT_EQ(traffic.count(), 60U);
  EXPECT_EQ(traffic.kept_sockets(), 1U);
  std::array<char, 4> bytes;
  EXPECT_EQ(::recv(client.theirs.get(), bytes.data(), 1, 0), 1) << "what was sent is there";
  EXPECT_EQ(::recv(client.theirs.get(), bytes.data(), 1, 0), 0) << "and then the end";
  while (traffic.kept_sockets() > 0) {
    loop.Turn(std::chrono::seconds(1));
  }
  EXPECT_EQ(traffic.count(), 0U);
}

TEST(FdTraffic, AClientThatHasFetchedEverythingLeavesNothingBehind) {
  EpollLoop loop;
  FdTraffic traffic(loop, 1000, 4096);
  Client client(traffic);
  ASSERT_TRUE(client.Send(60));
  client.Fetch();
  traffic.End(std::move(client.lane), std::move(client.ours));
  EXPECT_EQ(traffic.count(), 0U);
  EXPECT_EQ(traffic.kept_sockets(), 0U);
}

}  // namespace
}  // namespace hearth::gms::server

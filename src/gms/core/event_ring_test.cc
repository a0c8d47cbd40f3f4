#include "gms/core/event_ring.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "base/testing/manual_clock.h"

namespace hearth::gms {
namespace {

TEST(EventRing, KeepsTheLast256WithoutGapsInTheirNumbers) {
  EventRing ring;
  for (int i = 0; i < 300; ++i) {
    ring.Add(EventKind::kCommitted, static_cast<uint64_t>(i));
  }
  ASSERT_EQ(ring.events().size(), EventRing::kKept);
  EXPECT_EQ(ring.events().front().sequence, 45U);
  EXPECT_EQ(ring.events().front().allocation_count, 44U);
  EXPECT_EQ(ring.events().back().sequence, 300U);
  EXPECT_EQ(ring.last_sequence(), 300U);
}

TEST(EventRing, ListenerHearsEachOnce) {
  EventRing ring;
  std::vector<uint64_t> heard;
  ring.Add(EventKind::kRwConnected);
  ring.SetListener([&](const Event& event) { heard.push_back(event.sequence); });
  ring.Add(EventKind::kCommitted);
  ring.Add(EventKind::kSuperseded, 3, 7);
  EXPECT_EQ(heard, (std::vector<uint64_t>{2, 3}));
}

// W-16: events say when.
TEST(EventRing, StampsWithItsClock) {
  ManualClock clock;
  EventRing ring;
  ring.SetClock(clock);
  ring.Add(EventKind::kCommitted);
  clock.Advance(std::chrono::seconds(5));
  ring.Add(EventKind::kCommitted);
  EXPECT_EQ(ring.events()[1].at - ring.events()[0].at, std::chrono::seconds(5));
}

TEST(EventRing, KindsHaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (int kind = 0; kind <= static_cast<int>(EventKind::kUnfenced); ++kind) {
    names.insert(WireName(static_cast<EventKind>(kind)));
  }
  EXPECT_EQ(names.size(), static_cast<size_t>(EventKind::kUnfenced) + 1);
  EXPECT_TRUE(names.contains("rw_disconnected"));
  EXPECT_FALSE(names.contains("unknown"));
}

}  // namespace
}  // namespace hearth::gms

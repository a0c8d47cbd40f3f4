#include "controller/side_by_side.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <stdexcept>
#include <thread>
#include <vector>

namespace hearth::controller {
namespace {

TEST(SideBySide, EachIsDoneOnce) {
  std::vector<std::atomic<int>> done(100);
  SideBySide(done.size(), [&](size_t index) { ++done[index]; });
  for (const auto& times : done) {
    EXPECT_EQ(times, 1);
  }
}

TEST(SideBySide, AsManyAsAskedForAreUnderWayAtATime) {
  std::barrier all(4);  // four must meet, so four must be under way
  SideBySide(
      4, [&](size_t) { all.arrive_and_wait(); }, 4);
}

TEST(SideBySide, NoMoreThanAskedForAreUnderWay) {
  std::atomic<int> now = 0;
  std::atomic<int> most = 0;
  SideBySide(
      50,
      [&](size_t) {
        const int under_way = ++now;
        int seen = most;
        while (seen < under_way && !most.compare_exchange_weak(seen, under_way)) {
        }
        std::this_thread::yield();
        --now;
      },
      3);
  EXPECT_LE(most, 3);
}

TEST(SideBySide, OneAloneStaysOnItsThread) {
  std::thread::id where;
  SideBySide(1, [&](size_t) { where = std::this_thread::get_id(); });
  EXPECT_EQ(where, std::this_thread::get_id());
  SideBySide(0, [&](size_t) { FAIL(); });
}

TEST(SideBySide, WhatIsThrownBesideTheCallerIsThrownByIt) {
  std::barrier both(2);
  std::atomic<int> begun = 0;
  const auto caller = std::this_thread::get_id();
  EXPECT_THROW(SideBySide(
                   100,
                   [&](size_t index) {
                     ++begun;
                     if (index < 2) {
                       both.arrive_and_wait();  // one of the two is not the caller
                     }
                     if (std::this_thread::get_id() != caller) {
                       throw std::runtime_error("beside");
                     }
                   },
                   2),
               std::runtime_error);
  EXPECT_LE(begun, 100);
}

}  // namespace
}  // namespace hearth::controller

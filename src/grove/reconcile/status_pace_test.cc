#include "grove/reconcile/status_pace.h"

#include <gtest/gtest.h>

namespace hearth::grove {
namespace {

using api::grove::PodCliqueSetStatus;
using namespace std::chrono_literals;

constexpr const char* kUid = "uid";
const SteadyTime kStart{std::chrono::hours(1)};

PodCliqueSetStatus Of(int32_t available, int32_t replicas = 10) {
  PodCliqueSetStatus status;
  status.observed_generation = 1;
  status.replicas = replicas;
  status.available_replicas = available;
  status.updated_replicas = available;
  return status;
}

// Passes see the status that was written last.
class Writer {
 public:
  bool Tries(const PodCliqueSetStatus& wanted, Duration at) {
    if (pace_.WaitFor(kUid, there_, wanted, kStart + at)) {
      return false;
    }
    pace_.Wrote(kUid, there_, wanted, kStart + at);
    there_ = wanted;
    return true;
  }
  StatusPace& pace() { return pace_; }

 private:
  StatusPace pace_;
  PodCliqueSetStatus there_;
};

TEST(StatusPace, PartsThatComeUpAreWrittenMoreAndMoreSeldom) {
  Writer writer;
  EXPECT_TRUE(writer.Tries(Of(0), 0s));
  EXPECT_FALSE(writer.Tries(Of(1), 100ms));
  EXPECT_FALSE(writer.Tries(Of(2), 1900ms));
  EXPECT_TRUE(writer.Tries(Of(3), 2s));
  EXPECT_FALSE(writer.Tries(Of(4), 5900ms));
  EXPECT_TRUE(writer.Tries(Of(5), 6s));
  EXPECT_FALSE(writer.Tries(Of(6), 13900ms));
  EXPECT_TRUE(writer.Tries(Of(7), 14s));
  EXPECT_FALSE(writer.Tries(Of(8), 28900ms));
  EXPECT_TRUE(writer.Tries(Of(8), 29s)) << "never longer than the longest pause";
}

TEST(StatusPace, TheEndIsWrittenAtOnce) {
  Writer writer;
  EXPECT_TRUE(writer.Tries(Of(0), 0s));
  EXPECT_TRUE(writer.Tries(Of(10), 10ms));
}

TEST(StatusPace, WhatIsNoCountIsWrittenAtOnce) {
  Writer writer;
  EXPECT_TRUE(writer.Tries(Of(5), 0s));
  PodCliqueSetStatus scaled = Of(5, 20);
  EXPECT_TRUE(writer.Tries(scaled, 10ms));
  scaled.observed_generation = 2;
  EXPECT_TRUE(writer.Tries(scaled, 20ms));
  scaled.conditions.push_back({.type = "ResourceClaimsReady", .status = "False"});
  EXPECT_TRUE(writer.Tries(scaled, 30ms));
}

TEST(StatusPace, ReplicaThatFailsLongAfterIsWrittenAtOnce) {
  Writer writer;
  EXPECT_TRUE(writer.Tries(Of(10), 0s));
  EXPECT_TRUE(writer.Tries(Of(9), 1h));
}

TEST(StatusPace, TellsHowLongToWait) {
  Writer writer;
  EXPECT_TRUE(writer.Tries(Of(0), 0s));
  EXPECT_EQ(writer.pace().WaitFor(kUid, Of(0), Of(1), kStart + 500ms), 1500ms);
  EXPECT_EQ(writer.pace().WaitFor("another", Of(0), Of(1), kStart + 500ms), std::nullopt);
}

}  // namespace
}  // namespace hearth::grove

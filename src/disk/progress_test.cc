#include "disk/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/testing/manual_clock.h"

namespace hearth::disk {
namespace {

using testing::HasSubstr;

constexpr Progress kHalf{.phase = "load",
                         .done_bytes = 2ULL << 30,
                         .total_bytes = 4ULL << 30,
                         .elapsed = std::chrono::seconds(2)};

TEST(Progress, BarTellsShareRateAndTimeLeft) {
  EXPECT_EQ(ProgressBar(kHalf),
            "load  [############------------]  50%  2.0/4.0 GiB  1.07 GB/s  2s left");
  EXPECT_THAT(ProgressBar({.phase = "load"}), HasSubstr("  0%  0.0/0.0 GiB  0.00 GB/s"));
}

TEST(Progress, LinesAreJson) {
  EXPECT_EQ(ProgressJson(kHalf),
            R"({"phase":"load","done_bytes":2147483648,"total_bytes":4294967296,)"
            R"("elapsed_ms":2000,"bytes_per_second":1073741824})");
}

TEST(ProgressReporter, TellsEverySecondAndAtTheEnd) {
  std::ostringstream out;
  ManualClock clock;
  {
    const ProgressReporter reporter(
        out, ProgressStyle::kJsonLines, [] { return kHalf; }, clock);
    clock.AwaitWaiters(1);
    clock.Advance(std::chrono::seconds(1));
    clock.AwaitWaiters(1);
  }
  EXPECT_EQ(out.str(), ProgressJson(kHalf) + "\n" + ProgressJson(kHalf) + "\n");
}

TEST(ProgressReporter, SaysNothingWhenToldSo) {
  std::ostringstream out;
  {
    const ProgressReporter reporter(
        out, ProgressStyle::kNone, [] { return kHalf; }, RealClock());
  }
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace hearth::disk

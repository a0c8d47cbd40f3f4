#include "agent/capture/cold_start.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/testing/temp_directory.h"

namespace hearth::agent {
namespace {

using namespace std::chrono_literals;

TEST(ColdStart, IsFromTheStartUntilTheWorkloadSaidThatItIsReady) {
  EXPECT_EQ(ColdStart(100s, 10s), 90s);
  EXPECT_EQ(ColdStart(100s, 0s), 100s);
}

TEST(ColdStart, IsNotKnownWhenTheClockSaysNonsense) {
  EXPECT_EQ(ColdStart(100s, 100s), std::nullopt);
  EXPECT_EQ(ColdStart(100s, 200s), std::nullopt);
  EXPECT_EQ(ColdStart(100s, -1s), std::nullopt);
}

// Of this very process: it cannot have been ready for longer than it is there.
TEST(ColdStart, IsMeasuredByTheReadyFile) {
  const TempDirectory root;
  std::filesystem::create_directory(root.path() + "/snapshot-control");
  const std::string file = root.path() + "/snapshot-control/ready-for-snapshot";
  const ProcReader proc;
  EXPECT_EQ(MeasureColdStart(proc, ::getpid(), root.path(), RealClock().WallNow()), std::nullopt)
      << "it has not said so";
  std::ofstream(file) << "done";
  struct stat written {};
  ASSERT_EQ(::stat(file.c_str(), &written), 0);
  const WallTime when(std::chrono::seconds(written.st_mtim.tv_sec) +
                      std::chrono::nanoseconds(written.st_mtim.tv_nsec));
  const auto age = proc.Age(::getpid());
  ASSERT_TRUE(age.ok());
  const auto took = MeasureColdStart(proc, ::getpid(), root.path(), when);
  ASSERT_TRUE(took.has_value());
  EXPECT_GE(*took, *age);
  std::filesystem::remove(file);
  std::filesystem::create_symlink("/etc/passwd", file);
  EXPECT_EQ(MeasureColdStart(proc, ::getpid(), root.path(), RealClock().WallNow()), std::nullopt);
}

}  // namespace
}  // namespace hearth::agent

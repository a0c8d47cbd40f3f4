#include "disk/owner_lock.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <optional>
#include <thread>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::disk {
namespace {

// Whether somebody waits for a lock on that file: "5: -> FLOCK ... 00:2f:1234 ...".
bool IsWaitedFor(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0);
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    if (line.find("-> FLOCK") != std::string::npos &&
        line.find(fmt::format(":{} ", info.st_ino)) != std::string::npos) {
      return true;
    }
  }
  return false;
}

TEST(OwnerLock, IsHeldByOneAndFreeAfterwards) {
  const TempDirectory directory;
  const std::string path = directory / "owner";
  EXPECT_CODE(Code::kNotFound, OwnerLock::TryTakeExisting(path));
  {
    ASSERT_OK_AND_ASSIGN(const OwnerLock held, OwnerLock::Take(path));
    EXPECT_CODE(Code::kConflict, OwnerLock::TryTakeExisting(path));
  }
  EXPECT_OK(OwnerLock::TryTakeExisting(path));
}

// Who tidies up takes the lock of what seems to be left behind, and removes the file.
TEST(OwnerLock, AFileThatIsRemovedWhileItIsWaitedForIsMadeAgain) {
  const TempDirectory directory;
  const std::string path = directory / "owner";
  std::optional<OwnerLock> first;
  ASSERT_OK_AND_ASSIGN(first, OwnerLock::Take(path));
  auto second = std::async(std::launch::async, [&path] { return OwnerLock::Take(path); });
  while (!IsWaitedFor(path)) {
    std::this_thread::yield();
  }
  ASSERT_EQ(::unlink(path.c_str()), 0);
  first.reset();
  const auto taken = second.get();
  ASSERT_OK(taken.status());
  EXPECT_CODE(Code::kConflict, OwnerLock::TryTakeExisting(path));
}

}  // namespace
}  // namespace hearth::disk

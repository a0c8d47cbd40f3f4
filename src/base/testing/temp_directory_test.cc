#include "base/testing/temp_directory.h"

#include <gtest/gtest.h>

#include "base/file_system.h"
#include "base/testing/status_matchers.h"

namespace hearth {
namespace {

TEST(TempDirectory, IsFreshAndRemovedWithItsContents) {
  std::string path;
  {
    const TempDirectory directory;
    const TempDirectory other;
    path = directory.path();
    EXPECT_NE(path, other.path());
    EXPECT_EQ(directory / "a", path + "/a");
    ASSERT_OK(RealFileSystem().MakeDirectories(directory / "a/b", 0755));
    ASSERT_OK(RealFileSystem().Write(directory / "a/b/c", "x", 0444));
  }
  EXPECT_CODE(Code::kNotFound, RealFileSystem().Stat(path));
}

}  // namespace
}  // namespace hearth

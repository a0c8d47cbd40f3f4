#include "snapshot/ctl/internal/staged_bytes.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/testing/temp_directory.h"

namespace hearth::snapshot::ctl {
namespace {

TEST(StagedBytes, AreThoseThatWereWritten) {
  const TempDirectory folder;
  EXPECT_EQ(StagedBytes(folder / "absent"), 0U);
  std::filesystem::create_directories(folder / "attempt");
  std::ofstream(folder / "attempt/pages-1.img") << std::string(1 << 20, 'x') << std::flush;
  const uint64_t written = StagedBytes(folder.path());
  EXPECT_GE(written, 1U << 20);
  EXPECT_LT(written, 2U << 20);
  // Room for memory that may come.
  std::filesystem::resize_file(folder / "attempt/pages-1.img", uint64_t{1} << 40);
  EXPECT_LT(StagedBytes(folder.path()), 2U << 20);
}

}  // namespace
}  // namespace hearth::snapshot::ctl

#include "base/absolute_path.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace hearth {
namespace {

TEST(AbsolutePath, IsTheSameFromEverywhere) {
  const std::string here = std::filesystem::current_path();
  EXPECT_EQ(AbsolutePath("notes"), here + "/notes");
  EXPECT_EQ(AbsolutePath("./notes/../journal/"), here + "/journal");
  EXPECT_EQ(AbsolutePath("/run/hearth//journal/"), "/run/hearth/journal");
  EXPECT_EQ(AbsolutePath("/run/hearth"), "/run/hearth");
  EXPECT_EQ(AbsolutePath("/"), "/");
  EXPECT_EQ(AbsolutePath(""), "");
}

}  // namespace
}  // namespace hearth

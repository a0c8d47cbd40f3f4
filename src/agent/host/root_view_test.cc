#include "agent/host/root_view.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/testing/temp_directory.h"

namespace hearth::agent {
namespace {

namespace fs = std::filesystem;

TEST(RootView, FollowsLinksWithinTheRootOnly) {
  const TempDirectory directory;
  const std::string root = directory / "root";
  fs::create_directories(root + "/run/lock");
  fs::create_directories(root + "/var");
  fs::create_directory_symlink("/run", root + "/var/run");
  fs::create_symlink("/etc/passwd", root + "/escape");
  fs::create_symlink("../../../..", root + "/up");
  std::ofstream(root + "/file") << "x";
  const RootView view = ViewOfRoot(root);
  EXPECT_EQ(view.resolve("/var/run/lock"), "/run/lock");
  EXPECT_EQ(view.resolve("/file"), "/file");
  EXPECT_EQ(view.resolve("/absent"), "/absent");
  EXPECT_TRUE(view.exists("/var/run"));
  EXPECT_TRUE(view.is_directory("/var/run"));
  EXPECT_TRUE(view.exists("/up/file")) << "up is the root itself";
  EXPECT_FALSE(view.exists("/escape")) << "there is no /etc/passwd in the root";
  EXPECT_FALSE(view.is_directory("/file"));
}

TEST(RootView, OfNothingHasNothing) {
  const RootView view = ViewOfRoot("/no/such/root");
  EXPECT_FALSE(view.exists("/"));
  EXPECT_EQ(view.resolve("/a"), "/a");
}

}  // namespace
}  // namespace hearth::agent

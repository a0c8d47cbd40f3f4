#include "agent/host/network_namespace.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::agent {
namespace {

namespace fs = std::filesystem;

uint64_t InodeOf(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
  return info.st_ino;
}

// A proc file system of which networks are plain files: the same one under several names is one.
class NetworkNamespaceTest : public testing::Test {
 protected:
  uint64_t AddNetwork(const std::string& name) {
    std::ofstream(proc_ / name) << name;
    return InodeOf(proc_ / name);
  }
  void AddProcess(int pid, const std::string& network) {
    const std::string folder = proc_ / fmt::format("{}/ns", pid);
    fs::create_directories(folder);
    fs::create_hard_link(proc_ / network, folder + "/net");
  }
  std::string Text(const UniqueFd& fd) {
    std::string text(20, '\0');
    const ssize_t count = ::pread(fd.get(), text.data(), text.size(), 0);
    text.resize(count > 0 ? static_cast<size_t>(count) : 0);
    return text;
  }
  TempDirectory proc_;
};

TEST_F(NetworkNamespaceTest, IsFoundThroughAnybodyWhoIsInIt) {
  AddNetwork("node");
  const uint64_t pod = AddNetwork("pod");
  AddProcess(1, "node");
  AddProcess(7, "node");
  AddProcess(30, "pod");
  const auto held = OpenNetworkNamespace(proc_.path(), pod);
  ASSERT_OK(held.status());
  EXPECT_EQ(Text(*held), "pod");
  EXPECT_EQ(InodeOf(PathForPrograms(*held)), pod);
}

// Where nothing keeps a pod but what its runtime has mounted.
TEST_F(NetworkNamespaceTest, IsFoundWhereTheNodeHasItMounted) {
  AddNetwork("node");
  const uint64_t pod = AddNetwork("pod");
  AddProcess(1, "node");
  fs::create_directories(proc_ / "1/root/run/netns");
  AddNetwork("other");
  fs::create_hard_link(proc_ / "other", proc_ / "1/root/run/netns/stale");
  fs::create_hard_link(proc_ / "pod", proc_ / "1/root/run/netns/cni-1");
  std::ofstream(proc_ / "1/mountinfo")
      << "21 1 0:4 / / rw - overlay overlay rw\n"
      << fmt::format("22 21 0:4 net:[{}] /run/netns/stale rw - nsfs nsfs rw\n", pod)
      << fmt::format("23 21 0:4 net:[{}] /run/netns/cni-1 rw - nsfs nsfs rw\n", pod);
  const auto held = OpenNetworkNamespace(proc_.path(), pod);
  ASSERT_OK(held.status());
  EXPECT_EQ(Text(*held), "pod");
}

TEST_F(NetworkNamespaceTest, IsGoneWhenNobodyIsInIt) {
  AddNetwork("node");
  AddProcess(1, "node");
  const uint64_t pod = AddNetwork("pod");
  EXPECT_CODE(Code::kNotFound, OpenNetworkNamespace(proc_.path(), pod));
}

TEST_F(NetworkNamespaceTest, TheNodesIsThatOfItsFirstProcessOrOfWhoeverStartsContainers) {
  const uint64_t node = AddNetwork("node");
  const uint64_t pod = AddNetwork("pod");
  AddProcess(1, "node");
  AddProcess(5, "node");
  AddProcess(30, "pod");
  const ProcReader proc(proc_.path());
  EXPECT_TRUE(IsNodeNetwork(proc, node, 999));
  EXPECT_FALSE(IsNodeNetwork(proc, pod, 5));
  // The first process does not tell.
  fs::remove_all(proc_ / "1");
  EXPECT_TRUE(IsNodeNetwork(proc, node, 5));
  EXPECT_FALSE(IsNodeNetwork(proc, pod, 5));
  // Nor who started it: ours is still known, and must not be held still, either.
  EXPECT_TRUE(IsNodeNetwork(proc, InodeOf("/proc/self/ns/net"), 999));
}

}  // namespace
}  // namespace hearth::agent

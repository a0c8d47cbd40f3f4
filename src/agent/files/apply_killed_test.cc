#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "agent/files/apply_files.h"
#include "agent/files/save_files.h"
#include "agent/files/testing/tree.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::agent {
namespace {

namespace fs = std::filesystem;
using files::DescribeTree;
using files::Difference;
using files::OpenDirectory;
using files::ReadFile;
using files::WriteFile;

void Apply(const std::string& images, const std::string& root) {
  ASSERT_OK(
      ApplyFiles(OpenDirectory(images).get(), OpenDirectory(root).get(), {}, WaitLimit::Forever()));
}

[[noreturn]] void ApplyTraced(const std::string& images, const std::string& root) {
  (void)::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  (void)::raise(SIGSTOP);
  const auto applied =
      ApplyFiles(OpenDirectory(images).get(), OpenDirectory(root).get(), {}, WaitLimit::Forever());
  ::_exit(applied.ok() ? 0 : 1);
}

// Runs it in a process that is killed where it would go into, or comes out of, the kernel for the
// `step`-th time. False when it was done before.
bool ApplyKilledAt(int step, const std::string& images, const std::string& root) {
  const pid_t child = ::fork();
  if (child == 0) {
    ApplyTraced(images, root);
  }
  int state = 0;
  EXPECT_EQ(::waitpid(child, &state, 0), child);
  EXPECT_EQ(::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_EXITKILL), 0);
  for (int i = 0; WIFSTOPPED(state) && i < step; ++i) {
    EXPECT_EQ(::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr), 0);
    EXPECT_EQ(::waitpid(child, &state, 0), child);
  }
  if (WIFEXITED(state)) {
    EXPECT_EQ(WEXITSTATUS(state), 0);
    return false;
  }
  EXPECT_EQ(::kill(child, SIGKILL), 0);
  EXPECT_EQ(::waitpid(child, &state, 0), child);
  return true;
}

void MakeUpper(const std::string& upper) {
  fs::create_directories(upper + "/opaque/sub");
  ASSERT_EQ(::setxattr((upper + "/opaque").c_str(), "user.overlay.opaque", "y", 1, 0), 0);
  WriteFile(upper + "/opaque/sub/new", "new");
  WriteFile(upper + "/changed", "new content");
  ASSERT_EQ(::setxattr((upper + "/changed").c_str(), "user.a", "b", 1, 0), 0);
  fs::create_hard_link(upper + "/changed", upper + "/opaque/second");
  fs::create_symlink("new target", upper + "/link");
  ASSERT_EQ(::mknod((upper + "/gone").c_str(), S_IFCHR | 0600, 0), 0);
  WriteFile(upper + "/was_directory", "a file now");
}

void MakeImage(const std::string& root) {
  fs::remove_all(root);
  fs::create_directories(root + "/opaque/hidden");
  fs::create_directories(root + "/gone/tree");
  fs::create_directories(root + "/was_directory/sub");
  WriteFile(root + "/opaque/hidden/f", "hidden");
  WriteFile(root + "/changed", "old content");
  fs::create_symlink("old target", root + "/link");
}

TEST(ApplyKilled, AtAnyPointTheNextRunEndsWithTheSameFiles) {
  const TempDirectory temporary;
  const std::string upper = temporary / "upper";
  const std::string images = temporary / "images";
  const std::string root = temporary / "root";
  fs::create_directory(upper);
  fs::create_directory(images);
  MakeUpper(upper);
  ASSERT_OK(
      SaveFiles(OpenDirectory(upper).get(), OpenDirectory(images).get(), {}, WaitLimit::Forever()));
  MakeImage(root);
  Apply(images, root);
  const auto expected = DescribeTree(root);
  int step = 0;
  // Coming out of one call and going into the next are the same to the files.
  for (bool killed = true; killed; step += 2) {
    MakeImage(root);
    killed = ApplyKilledAt(step, images, root);
    const std::string content = ReadFile(root + "/changed");
    ASSERT_TRUE(content == "old content" || content == "new content") << content;
    Apply(images, root);
    ASSERT_EQ(Difference(expected, DescribeTree(root)), "") << "killed at step " << step;
  }
  EXPECT_GT(step, 100);  // it did go into the kernel
}

}  // namespace
}  // namespace hearth::agent

// What a node keeps of what CRIU knows of its kernel, with a stand-in for CRIU.
#include "agent/restore/kernel_facts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "base/unique_fd.h"

namespace hearth::agent {
namespace {

namespace fs = std::filesystem;

class KernelFactsTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(directory_ / "bundle/libexec");
    fs::create_directories(directory_ / "node");
    PutCriu("one");
  }
  // As images hold it: without a date.
  void PutCriu(const std::string& bytes) {
    const std::string path = directory_ / "bundle/libexec/criu";
    ASSERT_OK(RealFileSystem().Write(path, bytes, 0755));
    const timespec never[2] = {};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), never, 0), 0);
  }
  // What is run: there is no loader for the other.
  void PutProgram(const std::string& script) {
    ASSERT_OK(RealFileSystem().Write(directory_ / "bundle/criu", "#!/bin/sh\n" + script, 0755));
  }
  std::string Place() const { return KernelFactsPath(directory_ / "node", directory_ / "bundle"); }
  std::string Read(const WaitLimit& limit) {
    return ReadKernelFacts(Place(), directory_ / "bundle", limit);
  }
  TempDirectory directory_;
};

TEST_F(KernelFactsTest, AreOfOneCriu) {
  const std::string first = Place();
  EXPECT_EQ(Place(), first);
  PutCriu("another");
  const std::string longer = Place();
  EXPECT_NE(longer, first);
  // The same size, date and place on the disk.
  PutCriu("yet one");
  EXPECT_NE(Place(), longer);
  fs::remove(directory_ / "bundle/libexec/criu");
  EXPECT_EQ(Place(), "");
}

TEST_F(KernelFactsTest, AreFoundOutOnceAndThoseOfEarlierBootsGo) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "CRIU is asked with mounts of its own, which needs root";
  }
  const std::string old = directory_ / "node/criu-00000000-1111-2222-3333-444444444444-7-8.kdat";
  ASSERT_OK(RealFileSystem().Write(old, "old", 0600));
  ASSERT_OK(RealFileSystem().Write(old + ".77", "half", 0600));
  ASSERT_OK(RealFileSystem().Write(directory_ / "node/restore.log", "log", 0600));
  PutProgram("printf known >/run/criu.kdat\n");
  EXPECT_EQ(Read(WaitLimit::For(RealClock(), std::chrono::minutes(1))), "known");
  EXPECT_FALSE(fs::exists(old));
  EXPECT_FALSE(fs::exists(old + ".77"));
  EXPECT_TRUE(fs::exists(directory_ / "node/restore.log"));
  PutProgram("exit 1\n");
  EXPECT_EQ(Read(WaitLimit::Forever()), "known");
}

TEST_F(KernelFactsTest, ACriuThatDoesNotAnswerIsEnded) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "CRIU is asked with mounts of its own, which needs root";
  }
  const std::string pipe = directory_ / "lives";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const UniqueFd lives(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  PutProgram(fmt::format("exec 9>{}\necho >&9\nexec sleep 1000\n", pipe));
  pollfd awaited{lives.get(), POLLIN, 0};
  std::stop_source over;
  std::thread watch([&] {
    EXPECT_EQ(::poll(&awaited, 1, 60'000), 1) << "it was not asked";
    over.request_stop();
  });
  EXPECT_EQ(Read({.stop = over.get_token()}), "");
  watch.join();
  char word = 0;
  EXPECT_EQ(::read(lives.get(), &word, 1), 1);
  // Nobody has its end any more.
  awaited.revents = 0;
  EXPECT_EQ(::poll(&awaited, 1, 60'000), 1);
  EXPECT_EQ(::read(lives.get(), &word, 1), 0);
}

}  // namespace
}  // namespace hearth::agent

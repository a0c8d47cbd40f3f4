#include "agent/restore/placeholder_files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::agent {
namespace {

using testing::HasSubstr;

// Here the placeholder is the test itself.
class TakeDescriptorTest : public testing::Test {
 protected:
  Result<UniqueFd> Take(int number) const { return TakeDescriptor(self_.get(), number); }
  static int ModeOf(const UniqueFd& fd) { return ::fcntl(fd.get(), F_GETFL) & O_ACCMODE; }

  const UniqueFd self_{static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0))};
};

TEST_F(TakeDescriptorTest, WhatCouldOnlyBeReadCanOnlyBeRead) {
  const UniqueFd device(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  ASSERT_OK_AND_ASSIGN(const UniqueFd taken, Take(device.get()));
  EXPECT_EQ(ModeOf(taken), O_RDONLY);
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const UniqueFd reads(ends[0]);
  const UniqueFd writes(ends[1]);
  ASSERT_OK_AND_ASSIGN(const UniqueFd end, Take(reads.get()));
  EXPECT_EQ(ModeOf(end), O_RDONLY);
  ASSERT_OK_AND_ASSIGN(const UniqueFd other, Take(writes.get()));
  EXPECT_EQ(ModeOf(other), O_WRONLY);
}

TEST_F(TakeDescriptorTest, FilesAndFoldersAreNot) {
  const TempDirectory directory;
  const UniqueFd file(::open((directory / "file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  EXPECT_CODE(Code::kPermissionDenied, Take(file.get()));
  const UniqueFd folder(::open(directory.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  EXPECT_THAT(Take(folder.get()).status().message(), HasSubstr("neither a pipe nor a socket"));
}

TEST_F(TakeDescriptorTest, SocketsAre) {
  const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_OK(Take(socket.get()).status());
}

TEST_F(TakeDescriptorTest, OneThatIsClosedIsNotFound) { EXPECT_CODE(Code::kNotFound, Take(9999)); }

}  // namespace
}  // namespace hearth::agent

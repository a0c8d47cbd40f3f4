#include "gms/server/internal/listening_socket.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <barrier>
#include <filesystem>
#include <fstream>
#include <future>
#include <vector>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::gms::server {
namespace {

using testing::HasSubstr;

// E05: the mode is right from the beginning, whatever the umask.
TEST(ListeningSocket, HasItsModeFromTheBeginning) {
  TempDirectory directory;
  for (const mode_t mode : {0600, 0666}) {
    const mode_t old = ::umask(0);
    ASSERT_OK_AND_ASSIGN(const auto socket, ListeningSocket::Bind(directory / "s.sock", mode));
    EXPECT_EQ(::umask(old), 0U) << "the process' umask is as before";
    struct stat made {};
    ASSERT_EQ(::lstat(socket.path().c_str(), &made), 0);
    EXPECT_EQ(made.st_mode & 0777, mode);
  }
  EXPECT_FALSE(std::filesystem::exists(directory / "s.sock")) << "and is removed in the end";
}

TEST(ListeningSocket, RefusesToStandInForOneThatRuns) {
  TempDirectory directory;
  ASSERT_OK_AND_ASSIGN(const auto running, ListeningSocket::Bind(directory / "s.sock", 0600));
  const auto second = ListeningSocket::Bind(directory / "s.sock", 0600);
  EXPECT_CODE(Code::kConflict, second);
  EXPECT_THAT(second.status().message(), HasSubstr("GMS already running at"));
  EXPECT_TRUE(std::filesystem::exists(directory / "s.sock"));
}

TEST(ListeningSocket, OfManyThatStartAtOnceOneHasThePath) {
  TempDirectory directory;
  for (int round = 0; round < 20; ++round) {
    const std::string path = directory / "s.sock";
    std::barrier start(4);
    std::vector<std::future<Result<ListeningSocket>>> bound;
    for (int i = 0; i < 4; ++i) {
      bound.push_back(std::async(std::launch::async, [&] {
        start.arrive_and_wait();
        return ListeningSocket::Bind(path, 0600);
      }));
    }
    std::vector<Result<ListeningSocket>> sockets;
    for (auto& each : bound) {
      sockets.push_back(each.get());
    }
    int winners = 0;
    for (const auto& each : sockets) {
      winners += each.ok() ? 1 : 0;
      EXPECT_TRUE(each.ok() || each.status().Is(Code::kConflict)) << each.status().ToString();
    }
    EXPECT_EQ(winners, 1);
  }
}

// Whoever holds it might never let go.
TEST(ListeningSocket, AFolderThatSomebodyElseKeepsLockedIsUsedAllTheSame) {
  TempDirectory directory;
  const UniqueFd folder(::open(directory.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_EQ(::flock(folder.get(), LOCK_EX), 0);
  EXPECT_OK(ListeningSocket::Bind(directory / "s.sock", 0600));
}

TEST(ListeningSocket, RemovesASocketThatNobodyAnswers) {
  TempDirectory directory;
  const std::string path = directory / "s.sock";
  {
    auto first = ListeningSocket::Bind(directory / "first.sock", 0600);
    ASSERT_OK(first);
    std::filesystem::rename(first->path(), path);  // and is left behind, as by SIGKILL
  }
  ASSERT_TRUE(std::filesystem::exists(path));
  EXPECT_OK(ListeningSocket::Bind(path, 0600));
}

// W-07
TEST(ListeningSocket, RefusesLinksFilesAndWhatBelongsToOthers) {
  TempDirectory directory;
  const std::string path = directory / "s.sock";
  std::filesystem::create_symlink(directory / "elsewhere", path);
  EXPECT_CODE(Code::kPermissionDenied, ListeningSocket::Bind(path, 0600));
  std::filesystem::remove(path);
  std::ofstream(path) << "precious";
  EXPECT_CODE(Code::kPermissionDenied, ListeningSocket::Bind(path, 0600));
  EXPECT_EQ(std::filesystem::file_size(path), 8U);
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can give files to others";
  }
  std::filesystem::remove(path);
  {
    ASSERT_OK_AND_ASSIGN(const auto socket, ListeningSocket::Bind(directory / "x", 0600));
    std::filesystem::rename(directory / "x", path);
  }
  ASSERT_EQ(::chown(path.c_str(), 12345, 12345), 0);
  const auto foreign = ListeningSocket::Bind(path, 0600);
  EXPECT_CODE(Code::kPermissionDenied, foreign);
  EXPECT_THAT(foreign.status().message(), HasSubstr("belongs to user 12345"));
}

TEST(ListeningSocket, LeavesAloneWhatTookItsPlace) {
  TempDirectory directory;
  const std::string path = directory / "s.sock";
  auto first = ListeningSocket::Bind(path, 0600);
  ASSERT_OK(first);
  std::filesystem::remove(path);
  std::ofstream(path) << "new";
  first->Remove();
  EXPECT_TRUE(std::filesystem::exists(path));
}

// B04
TEST(ListeningSocket, RefusesPathsThatAreTooLong) {
  const auto refused = ListeningSocket::Bind("/tmp/" + std::string(200, 'x'), 0600);
  EXPECT_THAT(refused.status().message(), HasSubstr("too long for AF_UNIX"));
}

}  // namespace
}  // namespace hearth::gms::server

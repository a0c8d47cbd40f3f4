#include "gms/server/internal/who_listens.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "gms/server/internal/listening_socket.h"
#include "gms/server/testing/as_user.h"

namespace hearth::gms::server {
namespace {

TEST(WhoListens, NamesTheProcess) {
  const TempDirectory folder;
  ASSERT_OK_AND_ASSIGN(const auto socket, ListeningSocket::Bind(folder / "s.sock", 0600));
  const auto listener = WhoListens(folder / "s.sock");
  ASSERT_TRUE(listener && listener->process);
  EXPECT_EQ(listener->process->pid, ::getpid());
  EXPECT_TRUE(listener->certain);
}

TEST(WhoListens, NobodyIsWhereNobodyCanBe) {
  const TempDirectory folder;
  std::filesystem::create_symlink("round", folder / "round");
  std::ofstream(folder / "file") << "x";
  {
    ASSERT_OK_AND_ASSIGN(const auto socket, ListeningSocket::Bind(folder / "x", 0600));
    std::filesystem::rename(folder / "x", folder / "left");
  }
  for (const char* name : {"never", "left", "round", "file/below"}) {
    EXPECT_FALSE(WhoListens(folder / name)) << name;
  }
}

TEST(WhoListens, WhoMayNotBeAskedIsNotNobody) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can become others";
  }
  const TempDirectory folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  ASSERT_OK_AND_ASSIGN(const auto socket, ListeningSocket::Bind(folder / "s.sock", 0600));
  const AsUser other(1234);
  const auto listener = WhoListens(folder / "s.sock");
  ASSERT_TRUE(listener);
  EXPECT_FALSE(listener->certain);
}

}  // namespace
}  // namespace hearth::gms::server

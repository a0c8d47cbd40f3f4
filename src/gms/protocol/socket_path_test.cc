#include "gms/protocol/socket_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::gms {
namespace {

using testing::HasSubstr;

Environment Given(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto it = variables.find(name);
    return it == variables.end() ? std::nullopt : std::optional(it->second);
  };
}

TEST(SocketPath, TheDirectoryIsTheFirstThatIsNamed) {
  EXPECT_EQ(SocketDirectory(Given({})), "/tmp");
  EXPECT_EQ(SocketDirectory(Given({{"TMPDIR", "/var/tmp"}})), "/var/tmp");
  EXPECT_EQ(SocketDirectory(Given({{"TMPDIR", "/var/tmp"}, {"GMS_SOCKET_DIR", "/run/gms"}})),
            "/run/gms");
  EXPECT_EQ(SocketDirectory(Given({{"GMS_SOCKET_DIR", ""}})), "/tmp");
}

TEST(SocketPath, NamesAreThoseThatClientsLookFor) {
  EXPECT_EQ(DomainSocketPath("/run/gms", "GPU-1234", "weights"),
            "/run/gms/gms_GPU-1234_weights.sock");
  EXPECT_EQ(OrdinalSocketPath("/run/gms", 3, "kv_cache"), "/run/gms/gms_3_kv_cache.sock");
  EXPECT_EQ(AdminSocketPath("/run/gms"), "/run/gms/gms_admin.sock");
}

TEST(SocketPath, AllSocketsOfTheAdministrationAreFound) {
  const TempDirectory directory;
  for (const char* name : {"gms_admin_1.sock", "gms_admin.sock", "gms_admin_own.sock", "gms_admin",
                           "gms_0_weights.sock", "gms_administrator.sock", "gms_admin_1.log"}) {
    ASSERT_OK(RealFileSystem().Write(directory / name, "", 0600));
  }
  EXPECT_THAT(AdminSocketsIn(directory.path()),
              testing::ElementsAre(AdminSocketPath(directory.path()),
                                   AdminSocketPath(directory.path(), "1"),
                                   AdminSocketPath(directory.path(), "own")));
  EXPECT_THAT(AdminSocketsIn(directory / "missing"), testing::IsEmpty());
}

// B04: a path longer than a socket's can be.
TEST(SocketPath, PathsThatAreTooLongAreRefused) {
  EXPECT_OK(CheckSocketPath(std::string(107, 'x')));
  const Status status = CheckSocketPath(std::string(108, 'x'));
  EXPECT_TRUE(status.Is(Code::kInvalid));
  EXPECT_THAT(status.message(), HasSubstr("too long for AF_UNIX"));
  EXPECT_FALSE(CheckSocketPath("").ok());
}

// B07: where a UUID is looked for.
TEST(SocketPath, AUuidComesFromTheMostExactVariable) {
  const auto environment =
      Given({{"GMS_GPU_UUID_1", "  GPU-own "},
             {"GMS_GPU_UUIDS", " GPU-a ;; GPU-b,GPU-c"},
             {"CUDA_VISIBLE_DEVICES", "0,GPU-x,MIG-y,GPU-z,GPU-w"},
             {"NVIDIA_VISIBLE_DEVICES", "GPU-n0,GPU-n1,GPU-n2,GPU-n3,GPU-n4"}});
  EXPECT_EQ(UuidFromEnvironment(0, environment), "GPU-a");
  EXPECT_EQ(UuidFromEnvironment(1, environment), "GPU-own");
  EXPECT_EQ(UuidFromEnvironment(2, environment), "GPU-c");
  EXPECT_EQ(UuidFromEnvironment(3, environment), "GPU-w");
  EXPECT_EQ(UuidFromEnvironment(4, environment), "GPU-n4");
  EXPECT_EQ(UuidFromEnvironment(5, environment), std::nullopt);
  EXPECT_EQ(UuidFromEnvironment(-1, environment), std::nullopt);
}

TEST(SocketPath, OrdinalsAndWordsAreNoUuids) {
  EXPECT_EQ(UuidFromEnvironment(
                0, Given({{"CUDA_VISIBLE_DEVICES", "0,1"}, {"NVIDIA_VISIBLE_DEVICES", "all"}})),
            std::nullopt);
}

}  // namespace
}  // namespace hearth::gms

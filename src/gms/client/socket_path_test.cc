#include "gms/client/socket_path.h"

#include <gtest/gtest.h>

#include <map>

#include "base/testing/status_matchers.h"

namespace hearth::gms {
namespace {

ReadEnvironment Environment(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const std::string& name) -> std::optional<std::string> {
    const auto at = values.find(name);
    return at == values.end() ? std::nullopt : std::optional<std::string>(at->second);
  };
}

TEST(SocketPath, FolderComesFromTheEnvironmentAndFallsBackToTheTemporaryOne) {
  EXPECT_EQ(DefaultSocketDir(Environment({{"GMS_SOCKET_DIR", "/run/gms"}, {"TMPDIR", "/t"}})),
            "/run/gms");
  EXPECT_EQ(DefaultSocketDir(Environment({{"GMS_SOCKET_DIR", ""}, {"TMPDIR", "/t"}})), "/t");
  EXPECT_EQ(DefaultSocketDir(Environment({})), "/tmp");
}

// B07: GMS_GPU_UUIDS selects by index, GMS_GPU_UUID_<i> wins, visible devices that are UUIDs count.
TEST(SocketPath, UuidComesFromTheMostSpecificVariable) {
  const auto of = [](int ordinal, std::map<std::string, std::string> values) {
    return DeviceUuid(ordinal, {}, Environment(std::move(values)));
  };
  EXPECT_EQ(*of(1, {{"GMS_GPU_UUIDS", "GPU-a; GPU-b,"}}), "GPU-b");
  EXPECT_EQ(*of(1, {{"GMS_GPU_UUIDS", "GPU-a,GPU-b"}, {"GMS_GPU_UUID_1", " GPU-x "}}), "GPU-x");
  EXPECT_EQ(*of(0, {{"CUDA_VISIBLE_DEVICES", "3,GPU-c"}}), "GPU-c");
  EXPECT_EQ(*of(0, {{"CUDA_VISIBLE_DEVICES", "0"}, {"NVIDIA_VISIBLE_DEVICES", "MIG-d"}}), "MIG-d");
  EXPECT_CODE(Code::kNotFound, of(2, {{"GMS_GPU_UUIDS", "GPU-a,GPU-b"}}));
}

TEST(SocketPath, DeviceIsAskedOnlyWhenTheEnvironmentIsSilent) {
  const UuidLookup asked = [](int ordinal) { return "GPU-" + std::to_string(ordinal); };
  EXPECT_EQ(*DeviceUuid(4, asked, Environment({})), "GPU-4");
  const UuidLookup refuses = [](int) -> Result<std::string> { return InternalError("asked"); };
  EXPECT_EQ(*DeviceUuid(0, refuses, Environment({{"GMS_GPU_UUIDS", "GPU-a"}})), "GPU-a");
}

// B04: a path longer than AF_UNIX allows.
TEST(SocketPath, PathThatNoSocketCanHaveIsRefused) {
  EXPECT_EQ(*SocketPath("/run/gms", "GPU-1", "weights"), "/run/gms/gms_GPU-1_weights.sock");
  const auto path = SocketPath("/" + std::string(100, 'x'), "GPU-1", "weights");
  EXPECT_CODE(Code::kInvalid, path);
  EXPECT_NE(path.status().message().find("too long for AF_UNIX"), std::string_view::npos);
}

}  // namespace
}  // namespace hearth::gms

// The profile that deploy/agent puts on nodes, in the hands of a real runtime.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/file_system.h"
#include "base/process_runner.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "json/parse.h"
#include "json/yaml.h"

namespace hearth::node {
namespace {

using json::Value;

class SeccompTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) {
      GTEST_SKIP() << "needs root for containers of runc";
    }
    std::filesystem::create_directories(directory_ / "rootfs/bin");
    std::filesystem::copy(WORKLOAD_PROGRAM, directory_ / "rootfs/bin/workload");
  }

  static Result<Value> Profile() {
    ASSIGN_OR_RETURN(
        const std::string text,
        RealFileSystem().Read(HEARTH_SOURCE_DIR "/deploy/agent/daemonset.yaml", 1 << 20));
    ASSIGN_OR_RETURN(std::vector<Value> documents, json::ParseYaml(text));
    for (Value& document : documents) {
      if (const Value* const profile = document["data"].Find("block-iouring.json")) {
        return json::ParseValue(profile->StringOr(""));
      }
    }
    return NotFoundError("no profile");
  }

  // What the system call says in a container: an errno, or 0.
  Result<int> SetUpARing(const std::optional<Value>& profile) {
    Value linux_part = Value::Object(
        {{"namespaces",
          Value::Array({Value::Object({{"type", "pid"}}), Value::Object({{"type", "mount"}})})},
         {"cgroupsPath", "/" + std::filesystem::path(directory_.path()).filename().string()}});
    if (profile) {
      linux_part.Set("seccomp", *profile);
    }
    std::ofstream(directory_ / "config.json")
        << Value::Object(
               {{"ociVersion", "1.0.2"},
                {"root", Value::Object({{"path", "rootfs"}})},
                {"process", Value::Object({{"args", Value::Array({"/bin/workload", "io_uring"})},
                                           {"cwd", "/"},
                                           {"user", Value::Object({{"uid", 0}, {"gid", 0}})}})},
                {"mounts", Value::Array({Value::Object(
                               {{"destination", "/proc"}, {"type", "proc"}, {"source", "proc"}})})},
                {"linux", std::move(linux_part)}})
               .WritePretty();
    ASSIGN_OR_RETURN(
        const ProcessOutcome outcome,
        RealProcessRunner().Run({.argv = {"runc", "--root", directory_ / "runc", "run", "--bundle",
                                          directory_.path(), fmt::format("ring-{}", ::getpid())}},
                                WaitLimit::For(RealClock(), std::chrono::minutes(1))));
    return outcome.exit_code;
  }

  TempDirectory directory_;
};

// 10.8: what CRIU cannot dump is not there to begin with.
TEST_F(SeccompTest, TheProfileKeepsIoUringOut) {
  ASSERT_OK_AND_ASSIGN(const int free, SetUpARing(std::nullopt));
  if (free == EPERM || free == ENOSYS) {
    GTEST_SKIP() << "this kernel has no io_uring for anybody: " << free;
  }
  EXPECT_EQ(free, 0);
  ASSERT_OK_AND_ASSIGN(const Value profile, Profile());
  ASSERT_OK_AND_ASSIGN(const int kept_out, SetUpARing(profile));
  EXPECT_EQ(kept_out, EPERM);
}

}  // namespace
}  // namespace hearth::node

#include "agent/container/oci_runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A runtime that says what it is told to; the real one is in tests/node.
class Scripted : public ProcessRunner {
 public:
  Result<ProcessOutcome> Run(const ProcessSpec& spec, const WaitLimit&) override {
    asked = spec.argv;
    return outcome;
  }
  std::vector<std::string> asked;
  ProcessOutcome outcome;
};

class OciRuntimeTest : public testing::Test {
 protected:
  Result<Container> Find(std::string_view id) { return runtime_->Find(id, WaitLimit::Forever()); }
  void Running(std::string_view status) {
    runner_.outcome.output = "{\"id\":\"c1\",\"pid\":77,\"status\":\"" + std::string(status) +
                             "\",\"bundle\":\"" + bundle_.path() + "\"}";
  }
  TempDirectory bundle_;
  Scripted runner_;
  std::unique_ptr<ContainerRuntime> runtime_ =
      MakeOciRuntime({.program = "crun", .root = "/r"}, runner_, RealFileSystem());
};

TEST_F(OciRuntimeTest, JoinsStateAndConfiguration) {
  Running("running");
  std::ofstream(bundle_ / "config.json") << R"({"mounts":[{"destination":"/d","type":"bind"}]})";
  ASSERT_OK_AND_ASSIGN(const Container container, Find("c1"));
  EXPECT_EQ(container.pid, 77);
  EXPECT_THAT(container.bind_destinations, ElementsAre("/d"));
  EXPECT_THAT(runner_.asked, ElementsAre("crun", "--root", "/r", "state", "c1"));
}

TEST_F(OciRuntimeTest, OneThatDoesNotRunIsTold) {
  Running("stopped");
  const auto found = Find("c1");
  EXPECT_EQ(found.status().code(), Code::kUnavailable);
  EXPECT_THAT(found.status().ToString(), HasSubstr("c1 is stopped"));
}

TEST_F(OciRuntimeTest, TellsTheState) {
  using Phase = ContainerState::Phase;
  for (const auto& [status, phase] :
       {std::pair("creating", Phase::kCreated), std::pair("created", Phase::kCreated),
        std::pair("running", Phase::kRunning), std::pair("paused", Phase::kRunning),
        std::pair("stopped", Phase::kExited), std::pair("odd", Phase::kUnknown)}) {
    Running(status);
    EXPECT_EQ(runtime_->StateOf("c1", WaitLimit::Forever())->phase, phase) << status;
  }
}

TEST_F(OciRuntimeTest, SaysWhatItCannotTell) {
  EXPECT_CODE(Code::kUnsupported, runtime_->FindInPod({.name = "main"}, WaitLimit::Forever()));
  EXPECT_CODE(Code::kUnsupported, runtime_->Watch(WaitLimit::Forever()));
}

TEST_F(OciRuntimeTest, OneThatIsNotThereIsTold) {
  runner_.outcome = {.exit_code = 1, .errors = "container \"c1\" does not exist\n"};
  EXPECT_CODE(Code::kNotFound, Find("c1"));
  runner_.outcome.errors = "cannot open /r: permission denied";
  EXPECT_CODE(Code::kUnavailable, Find("c1"));
}

TEST_F(OciRuntimeTest, IdsAreNeverOptions) {
  EXPECT_CODE(Code::kInvalid, Find("--help"));
  EXPECT_TRUE(runner_.asked.empty());
}

TEST_F(OciRuntimeTest, GarbageIsRefused) {
  runner_.outcome.output = "not json";
  EXPECT_CODE(Code::kInvalid, Find("c1"));
  Running("running");
  std::ofstream(bundle_ / "config.json") << "{";
  EXPECT_THAT(Find("c1").status().ToString(), HasSubstr("config.json"));
}

TEST_F(OciRuntimeTest, TellsItsVersion) {
  runner_.outcome.output = "crun version 1.8.1\ncommit: x\n";
  EXPECT_EQ(*runtime_->Version(WaitLimit::Forever()), "crun 1.8.1");
}

}  // namespace
}  // namespace hearth::agent

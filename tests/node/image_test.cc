// Images as tools/agent-image and tools/program-image make them, taken in and run by a real
// containerd.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/process_runner.h"
#include "base/strings.h"
#include "containerd_rig.h"
#include "node_test.h"

namespace hearth::node {
namespace {

using testing::HasSubstr;

constexpr const char* kName = "hearth.test/snapshot-agent:1";

class ImageTest : public NodeTest {
 protected:
  void SetUp() override {
    NodeTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    ASSERT_OK_AND_ASSIGN(rig_, ContainerdRig::Make());
  }
  // The agent's, taken in.
  void MakeAgentImage() {
    const std::string image = rig_->directory() / "agent.tar";
    ASSERT_OK(
        Output({HEARTH_SOURCE_DIR "/tools/agent-image", "--build", HEARTH_BUILD_DIR, "--criu",
                bundle_, "--cuda-checkpoint", SIMULATED_CUDA_CHECKPOINT, "--name", kName, image})
            .status());
    ASSERT_OK(Ctr({"images", "import", image}).status());
  }
  Result<std::string> Output(std::vector<std::string> argv) {
    const ProcessSpec spec{.argv = std::move(argv)};
    ASSIGN_OR_RETURN(const ProcessOutcome done, RealProcessRunner().Run(spec, Enough()));
    return done.ok() ? Result<std::string>(done.output)
                     : InternalError(
                           fmt::format("{}: {}{}", Join(spec.argv, " "), done.output, done.errors));
  }
  Result<std::string> Ctr(const std::vector<std::string>& arguments) {
    std::vector<std::string> argv = {"ctr", "--address", rig_->socket(), "--namespace", "k8s.io"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return Output(std::move(argv));
  }
  // Makes one of a single program and runs it in there.
  Result<std::string> RunProgramImage(const std::string& program,
                                      const std::vector<std::string>& arguments) {
    const std::string image = rig_->directory() / (program + ".tar");
    const std::string name = "hearth.test/" + program + ":1";
    RETURN_IF_ERROR(Output({HEARTH_SOURCE_DIR "/tools/program-image", "--build", HEARTH_BUILD_DIR,
                            "--name", name, program, image})
                        .status());
    RETURN_IF_ERROR(Ctr({"images", "import", image}).status());
    std::vector<std::string> command = {"run", "--rm", name, program, program};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return Ctr(command);
  }
  // With the rights that deploy/agent gives.
  Result<std::string> RunIn(const std::vector<std::string>& command) {
    std::vector<std::string> arguments = {"run", "--rm", "--privileged"};
    for (const char* const place :
         {"src=/proc,dst=/host/proc", "src=/sys/fs/cgroup,dst=/sys/fs/cgroup"}) {
      arguments.insert(arguments.end(),
                       {"--mount", fmt::format("type=bind,{},options=rbind:rw", place)});
    }
    arguments.insert(arguments.end(), {kName, "agent"});
    arguments.insert(arguments.end(), command.begin(), command.end());
    return Ctr(arguments);
  }

  std::unique_ptr<ContainerdRig> rig_;
};

TEST_F(ImageTest, HoldsAllThatTheAgentNeeds) {
  ASSERT_NO_FATAL_FAILURE(MakeAgentImage());
  ASSERT_OK_AND_ASSIGN(const std::string version, RunIn({"snapshot-agent", "--version"}));
  EXPECT_EQ(version, "snapshot-agent " HEARTH_VERSION "\n");
  EXPECT_OK(RunIn({"nsrestore", "--version"}).status());
  // What the machine must have, and CRIU with its own libraries: nothing is bad.
  ASSERT_OK_AND_ASSIGN(const std::string checked,
                       RunIn({"snapshotctl", "check", "--criu", "/snapshot-binaries"}));
  EXPECT_THAT(checked, HasSubstr("ok       CRIU"));
  EXPECT_THAT(checked, HasSubstr("ok       iptables"));
  // It can be told what it lacks: the configuration, and nothing before that.
  const auto started = RunIn({"snapshot-agent", "--node-name", "n"});
  EXPECT_THAT(started.status().ToString(), HasSubstr("storage.basePath"));
  // What asks CUDA's driver, with its libraries, where the agent looks for it.
  ASSERT_OK_AND_ASSIGN(const std::string state,
                       RunIn({"sh", "-ec",
                              "echo running >/tmp/process.7; "
                              "SIMULATED_CUDA=/tmp exec cuda-checkpoint --get-state --pid 7"}));
  EXPECT_EQ(state, "running\n");
  // CRIU's packet filter is made with these, and taken away by the next agent.
  ASSERT_OK_AND_ASSIGN(
      const std::string rules,
      RunIn({"nsenter", "--net=/proc/self/ns/net", "--", "sh", "-ec",
             "iptables -w -N CRIU; iptables -w -A CRIU -m mark --mark 0xC114 -j ACCEPT; "
             "ip6tables -w -S >/run/six; iptables -w -S"}));
  EXPECT_THAT(rules, HasSubstr("-A CRIU -m mark --mark 0xc114 -j ACCEPT"));
  // What the init container of deploy/agent runs.
  EXPECT_OK(RunIn({"sh", "-ec",
                   "install -D -m 0644 /snapshot-binaries/VERSION /tmp/profiles/p.new; "
                   "mv /tmp/profiles/p.new /tmp/profiles/p"})
                .status());
}

TEST_F(ImageTest, OfOneProgramHoldsAllThatItNeeds) {
  ASSERT_OK_AND_ASSIGN(const std::string version,
                       RunProgramImage("hearth-operator", {"--version"}));
  EXPECT_EQ(version, "hearth-operator " HEARTH_VERSION "\n");
  EXPECT_OK(RunProgramImage("grove-initc", {"--help"}).status());
}

}  // namespace
}  // namespace hearth::node

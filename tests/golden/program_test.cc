// What only the program itself can show: exit codes, standard input, scripts that shells accept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/process_runner.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* kGood = R"(
apiVersion: nvidia.com/v1alpha1
kind: PodSnapshot
metadata: {name: snap}
spec: {source: {podRef: {name: pod, containers: [main]}}}
)";

constexpr const char* kSet = R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: one}
spec:
  replicas: 1
  template:
    cliques:
    - {name: a, spec: {roleName: a, replicas: 2, podSpec: {containers: [{name: main, image: i}]}}}
)";

WaitLimit Soon() { return WaitLimit::For(RealClock(), std::chrono::minutes(3)); }

ProcessOutcome Start(std::vector<std::string> argv, std::string input = "") {
  auto outcome =
      RealProcessRunner().Run({.argv = std::move(argv), .input = std::move(input)}, Soon());
  EXPECT_OK(outcome);
  return outcome.ok() ? *std::move(outcome) : ProcessOutcome{.exit_code = -1};
}

ProcessOutcome Hearth(std::vector<std::string> arguments, std::string input = "") {
  arguments.insert(arguments.begin(), HEARTH_PROGRAM);
  return Start(std::move(arguments), std::move(input));
}

TEST(HearthProgram, ReadsStandardInput) {
  const ProcessOutcome outcome = Hearth({"validate", "-"}, kGood);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_EQ(outcome.output, "1 file, 1 object: 1 valid, 0 invalid, 0 skipped\n");
  EXPECT_THAT(outcome.errors, IsEmpty());
}

TEST(HearthProgram, ExitCodesSayWhatIsWrong) {
  EXPECT_EQ(Hearth({"validate", "-f", "-"}, "a: [").exit_code, 1);
  EXPECT_EQ(Hearth({"validate", "-f", "-"}, "{apiVersion: v1, kind: Pod}").exit_code, 0);
  EXPECT_EQ(Hearth({"validate", "--strict", "-f", "-"}, "{apiVersion: v1, kind: Pod}").exit_code,
            1);
  EXPECT_EQ(Hearth({"validate", "/no/such/file.yaml"}).exit_code, 2);
  EXPECT_EQ(Hearth({"validate", "/no/such/file.yaml", "-"}, kGood).exit_code, 2);
  EXPECT_EQ(Hearth({"validate"}).exit_code, 2);
  EXPECT_EQ(Hearth({"validate", "--no-such-option"}).exit_code, 2);
  EXPECT_EQ(Hearth({"no-such-command"}).exit_code, 2);
}

TEST(HearthProgram, HelpAndVersionAreNoMistakes) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{{},
                                                                     {"--help"},
                                                                     {"-h"},
                                                                     {"help"},
                                                                     {"help", "validate"},
                                                                     {"validate", "--help"},
                                                                     {"help", "tree"},
                                                                     {"tree", "--help"},
                                                                     {"help", "plan"},
                                                                     {"plan", "--help"}}) {
    const ProcessOutcome outcome = Hearth(arguments);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.output, HasSubstr("Usage: hearth"));
  }
  EXPECT_THAT(Hearth({"--version"}).output, StartsWith("hearth "));
  EXPECT_THAT(Hearth({"validate", "--version"}).output, StartsWith("hearth "));
}

TEST(HearthProgram, HelpTellsExitCodes) {
  for (const char* command :
       {"checkpoint", "describe", "diagnose", "get", "plan", "rollout", "tree", "validate"}) {
    EXPECT_THAT(Hearth({command, "--help"}).output, HasSubstr("Exit codes:\n  0  "));
  }
}

// Called as kubectl calls its plugins.
TEST(HearthProgram, IsAPluginOfKubectl) {
  const ProcessOutcome help = Start({HEARTH_PLUGIN, "rollout", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.output, HasSubstr("Usage: kubectl hearth rollout"));
  const std::string completion = std::string(HEARTH_PLUGIN_COMPLETION);
  EXPECT_EQ(Start({completion, "che"}).output, "checkpoint\n:4\n");
  EXPECT_EQ(Start({completion, "describe", "graph", ""}).output, ":4\n");
  EXPECT_EQ(Start({completion, "diagnose", "--file", ""}).output, ":0\n");
  const ProcessOutcome script = Start({HEARTH_PLUGIN, "completion", "bash"});
  EXPECT_THAT(script.output, HasSubstr("-F _kubectl-hearth kubectl-hearth"));
  EXPECT_EQ(Start({"bash", "-n"}, script.output).exit_code, 0);
}

TEST(HearthProgram, PlansFromStandardInput) {
  const ProcessOutcome outcome = Hearth({"plan", "-f", "-", "--scale", "one=2"}, kSet);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, StartsWith("PodCliqueSet default/one: one from 1 to 2\n"));
  EXPECT_THAT(outcome.output, HasSubstr("\n+ Pod one-1-a-1\n"));
  EXPECT_EQ(Hearth({"plan", "-f", "-", "--scale", "two=2"}, kSet).exit_code, 2);
  EXPECT_EQ(Hearth({"plan", "-f", "-"}, "a: [").exit_code, 1);
  EXPECT_EQ(Hearth({"plan"}).exit_code, 2);
}

TEST(HearthProgram, TreeNeedsACluster) {
  const ProcessOutcome outcome = Hearth({"tree", "one", "--kubeconfig", "/no/such/file"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("/no/such/file"));
  EXPECT_EQ(Hearth({"tree"}).exit_code, 2);
}

TEST(HearthProgram, BashCompletesFromItsScript) {
  const ProcessOutcome script = Hearth({"completion", "bash"});
  ASSERT_EQ(script.exit_code, 0);
  const ProcessOutcome parsed = Start({"bash", "-n"}, script.output);
  EXPECT_EQ(parsed.exit_code, 0) << parsed.errors;
  const auto complete = [&](const std::string& words) {
    return Start({"bash"}, script.output + "COMP_WORDS=(" + words +
                               ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_hearth\n"
                               "echo \"${COMPREPLY[*]}\"\n")
        .output;
  };
  EXPECT_EQ(complete("hearth val"), "validate\n");
  EXPECT_EQ(complete("hearth validate --exp"), "--explain\n");
  EXPECT_EQ(complete("hearth validate -o js"), "json\n");
  EXPECT_EQ(complete("hearth tree --kubec"), "--kubeconfig\n");
  EXPECT_EQ(complete("hearth plan --from"), "--from-cluster\n");
  EXPECT_EQ(complete("hearth get gr"), "graphs graph\n");
  EXPECT_EQ(complete("hearth rollout re"), "restart\n");
  EXPECT_EQ(complete("hearth completion f"), "fish\n");
  EXPECT_EQ(complete("hearth help comp"), "completion\n");
}

// Whether a shell takes the script; skipped where there is no such shell.
void ExpectParses(const std::string& shell) {
  const auto there = RealProcessRunner().Run({.argv = {shell, "-c", "true"}}, Soon());
  if (!there.ok()) {
    GTEST_SKIP() << shell << " is not installed";
  }
  const ProcessOutcome script = Hearth({"completion", shell});
  const ProcessOutcome parsed = Start({shell, "-n"}, script.output);
  EXPECT_EQ(parsed.exit_code, 0) << parsed.errors;
}

TEST(HearthProgram, ZshTakesItsScript) { ExpectParses("zsh"); }
TEST(HearthProgram, FishTakesItsScript) { ExpectParses("fish"); }

TEST(HearthProgram, SaysWhenItsOutputCannotBeWritten) {
  const ProcessOutcome outcome =
      Start({"sh", "-c", "exec \"$0\" --version > /dev/full", HEARTH_PROGRAM});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("cannot write"));
}

}  // namespace
}  // namespace hearth

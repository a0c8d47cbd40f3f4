// What only the program itself can show: signals, exit codes, scripts that a shell accepts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/testing/status_matchers.h"
#include "eventually.h"
#include "memory_server.h"

namespace hearth::gms {
namespace {

using testing::HasSubstr;

ProcessOutcome Gmsctl(std::vector<std::string> arguments, const std::string& directory = "") {
  arguments.insert(arguments.begin(), GMSCTL_PROGRAM);
  auto outcome = RealProcessRunner().Run(
      {.argv = std::move(arguments), .env = {{"GMS_SOCKET_DIR", directory}}}, Soon());
  EXPECT_OK(outcome);
  return outcome.ok() ? *std::move(outcome) : ProcessOutcome{.exit_code = -1};
}

std::string ReadAll(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(GmsctlProgram, FindsTheServerByTheEnvironment) {
  MemoryServer server;
  const ProcessOutcome found = Gmsctl({"status"}, server.directory());
  EXPECT_EQ(found.exit_code, 0) << found.errors;
  EXPECT_THAT(found.output, HasSubstr("pid " + std::to_string(server.pid())));
  const TempDirectory empty;
  const ProcessOutcome missing = Gmsctl({"status"}, empty.path());
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.errors, HasSubstr("gms-server --socket-dir " + empty.path()));
  EXPECT_EQ(Gmsctl({"stats"}).exit_code, 2);
}

TEST(GmsctlProgram, WhatGoesOnForEverEndsWithASignal) {
  MemoryServer server;
  server.Publish(7);
  const TempDirectory logs;
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"top", "--interval", "1h"}, {"events", "--follow"}}) {
    std::vector<std::string> argv = {GMSCTL_PROGRAM};
    argv.insert(argv.end(), command.begin(), command.end());
    argv.insert(argv.end(), {"--socket-dir", server.directory()});
    ASSERT_OK_AND_ASSIGN(ChildProcess process,
                         ChildProcess::Start({.argv = argv, .log_path = logs / command[0]}));
    const std::string shown = command[0] == "top" ? "Nobody holds" : "committed";
    ASSERT_TRUE(
        Eventually([&] { return ReadAll(logs / command[0]).find(shown) != std::string::npos; }));
    ASSERT_OK(process.Signal(SIGINT));
    ASSERT_OK_AND_ASSIGN(const ProcessOutcome outcome, process.Wait(Soon()));
    EXPECT_EQ(outcome.exit_code, 0) << ReadAll(logs / command[0]);
    EXPECT_EQ(outcome.signal, 0);
  }
}

TEST(GmsctlProgram, BashAcceptsTheCompletionAndCompletes) {
  const std::string script = Gmsctl({"completion", "bash"}).output;
  const auto outcome = RealProcessRunner().Run(
      {.argv = {"bash"},
       .input = script + "\nCOMP_WORDS=(gmsctl fence p); COMP_CWORD=2; _gmsctl\n"
                         "echo \"${COMPREPLY[@]}\"\n"},
      Soon());
  ASSERT_OK(outcome);
  EXPECT_EQ(outcome->output, "prepare\n") << outcome->errors;
}

}  // namespace
}  // namespace hearth::gms

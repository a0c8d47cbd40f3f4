#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "kube/config/credentials.h"

namespace hearth::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Answer(const std::string& status) {
  return R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":)" +
         status + "}";
}

ExecPlugin Plugin(const std::string& command = "plugin") {
  ExecPlugin plugin;
  plugin.api_version = "client.authentication.k8s.io/v1";
  plugin.command = command;
  return plugin;
}

// Answers as the test says and counts.
class ScriptedRunner : public ProcessRunner {
 public:
  Result<ProcessOutcome> Run(const ProcessSpec& spec, const WaitLimit&) override {
    {
      std::lock_guard lock(mutex_);
      specs_.push_back(spec);
    }
    return answer();
  }
  std::vector<ProcessSpec> specs() {
    std::lock_guard lock(mutex_);
    return specs_;
  }
  void Say(std::string output) {
    answer = [output = std::move(output)]() -> Result<ProcessOutcome> {
      return ProcessOutcome{0, 0, output, ""};
    };
  }

  std::function<Result<ProcessOutcome>()> answer;

 private:
  std::mutex mutex_;
  std::vector<ProcessSpec> specs_;
};

class ExecCredentialsTest : public ::testing::Test {
 protected:
  Result<Credentials::Current> Get() { return credentials_->Get(WaitLimit::Forever()); }
  void Use(ExecPlugin plugin) {
    credentials_ = ExecCredentials(std::move(plugin), runner_, clock_);
  }

  ScriptedRunner runner_;
  ManualClock clock_;
  std::unique_ptr<Credentials> credentials_ = ExecCredentials(Plugin(), runner_, clock_);
};

TEST_F(ExecCredentialsTest, AnAnswerWithoutExpiryIsKeptUntilRejected) {
  runner_.Say(Answer(R"({"token":"one"})"));
  EXPECT_EQ(Get()->authorization, "Bearer one");
  clock_.Advance(std::chrono::hours(100));
  EXPECT_EQ(Get()->authorization, "Bearer one");
  EXPECT_EQ(runner_.specs().size(), 1u);
  runner_.Say(Answer(R"({"token":"two"})"));
  credentials_->Rejected();
  EXPECT_EQ(Get()->authorization, "Bearer two");
  EXPECT_EQ(runner_.specs().size(), 2u);
}

// Later than a clock of ours can show; some plugins mean "never" by it.
TEST_F(ExecCredentialsTest, AnAnswerThatExpiresInAnotherAgeIsKept) {
  runner_.Say(Answer(R"({"token":"one","expirationTimestamp":"9999-12-31T23:59:59Z"})"));
  ASSERT_OK_AND_ASSIGN(const Credentials::Current current, Get());
  EXPECT_EQ(current.authorization, "Bearer one");
  clock_.Advance(std::chrono::hours(100));
  EXPECT_OK(Get());
  EXPECT_EQ(runner_.specs().size(), 1U);
}

TEST_F(ExecCredentialsTest, AnExpiredAnswerIsFetchedAnew) {
  // The manual clock starts at 2023-11-14T22:13:20Z.
  runner_.Say(Answer(R"({"token":"one","expirationTimestamp":"2023-11-14T22:14:20Z"})"));
  EXPECT_EQ(Get()->authorization, "Bearer one");
  clock_.Advance(std::chrono::seconds(59));
  EXPECT_OK(Get());
  EXPECT_EQ(runner_.specs().size(), 1u);
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_OK(Get());
  EXPECT_EQ(runner_.specs().size(), 2u);
}

TEST_F(ExecCredentialsTest, MayGiveACertificateInstead) {
  runner_.Say(Answer(R"({"clientCertificateData":"CERT","clientKeyData":"KEY"})"));
  ASSERT_OK_AND_ASSIGN(const auto current, Get());
  EXPECT_EQ(current.authorization, "");
  EXPECT_EQ(current.certificate_pem, "CERT");
  EXPECT_EQ(current.private_key_pem, "KEY");
}

TEST_F(ExecCredentialsTest, ThePluginIsToldWhatItNeedsAndNoShellIsInvolved) {
  ExecPlugin plugin = Plugin();
  plugin.args = {"get token", "$HOME"};
  plugin.env = {{"A", "b"}};
  plugin.cluster_info_json = R"({"server":"https://x"})";
  Use(plugin);
  runner_.Say(Answer(R"({"token":"one"})"));
  ASSERT_OK(Get());
  const ProcessSpec spec = runner_.specs().at(0);
  EXPECT_THAT(spec.argv, ElementsAre("plugin", "get token", "$HOME"));
  ASSERT_EQ(spec.env.size(), 2u);
  EXPECT_EQ(spec.env[0].first, "A");
  EXPECT_EQ(spec.env[1].first, "KUBERNETES_EXEC_INFO");
  EXPECT_EQ(spec.env[1].second,
            R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
            R"("spec":{"interactive":false,"cluster":{"server":"https://x"}}})");
}

TEST_F(ExecCredentialsTest, BadAnswersAreToldWithoutTheirSecret) {
  const std::pair<std::string, std::string> cases[] = {
      {"secret", "not JSON"},
      {R"({"kind":"Pod","secret":1})", "kind"},
      {R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1","status":{"token":"secret"}})",
       "version"},
      {Answer("{}"), "neither"},
      {Answer(R"({"token":"secret\n"})"), "token"},
      {Answer(R"({"clientKeyData":"secret"})"), "together"},
      {Answer(R"({"token":"secret","expirationTimestamp":"soon"})"), "expirationTimestamp"},
  };
  for (const auto& [output, told] : cases) {
    runner_.Say(output);
    const auto current = Get();
    EXPECT_CODE(Code::kInvalid, current);
    EXPECT_THAT(current.status().ToString(), HasSubstr(told));
    EXPECT_THAT(current.status().ToString(), HasSubstr("plugin"));
    EXPECT_THAT(current.status().ToString(), Not(HasSubstr("secret")));
  }
}

TEST_F(ExecCredentialsTest, AFailingPluginIsToldWithItsStandardError) {
  runner_.answer = []() -> Result<ProcessOutcome> {
    return ProcessOutcome{3, 0, "secret", "please log in"};
  };
  const auto current = Get();
  EXPECT_CODE(Code::kUnauthenticated, current);
  EXPECT_THAT(current.status().ToString(), HasSubstr("please log in"));
  EXPECT_THAT(current.status().ToString(), Not(HasSubstr("secret")));
}

TEST_F(ExecCredentialsTest, AMissingPluginIsToldWithItsInstallHint) {
  ExecPlugin plugin = Plugin();
  plugin.install_hint = "install it from there";
  Use(plugin);
  runner_.answer = []() -> Result<ProcessOutcome> { return NotFoundError("no such program"); };
  const auto current = Get();
  EXPECT_CODE(Code::kNotFound, current);
  EXPECT_THAT(current.status().ToString(), HasSubstr("install it from there"));
}

TEST_F(ExecCredentialsTest, WhatCannotWorkIsNotEvenRun) {
  ExecPlugin old = Plugin();
  old.api_version = "client.authentication.k8s.io/v1alpha1";
  Use(old);
  EXPECT_CODE(Code::kUnsupported, Get());
  ExecPlugin interactive = Plugin();
  interactive.interactive_always = true;
  Use(interactive);
  EXPECT_CODE(Code::kUnsupported, Get());
  EXPECT_TRUE(runner_.specs().empty());
}

TEST_F(ExecCredentialsTest, ManyWaitForOneRun) {
  std::mutex mutex;
  std::condition_variable cv;
  bool go = false;
  bool entered = false;
  runner_.answer = [&]() -> Result<ProcessOutcome> {
    std::unique_lock lock(mutex);
    entered = true;
    cv.notify_all();
    cv.wait(lock, [&] { return go; });
    return ProcessOutcome{0, 0, Answer(R"({"token":"one"})"), ""};
  };
  const WaitLimit limit = WaitLimit::For(clock_, std::chrono::hours(1));
  std::vector<std::jthread> threads;
  std::atomic<int> right = 0;
  const auto ask = [&] {
    auto current = credentials_->Get(limit);
    right += current.ok() && current->authorization == "Bearer one" ? 1 : 0;
  };
  threads.emplace_back(ask);
  {
    std::unique_lock lock(mutex);
    cv.wait(lock, [&] { return entered; });
  }
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back(ask);
  }
  clock_.AwaitWaiters(4);
  {
    std::lock_guard lock(mutex);
    go = true;
  }
  cv.notify_all();
  threads.clear();
  EXPECT_EQ(right, 5);
  EXPECT_EQ(runner_.specs().size(), 1u);
}

TEST_F(ExecCredentialsTest, AWaiterGivesUpOnItsOwnLimit) {
  std::mutex mutex;
  std::condition_variable cv;
  bool go = false;
  bool entered = false;
  runner_.answer = [&]() -> Result<ProcessOutcome> {
    std::unique_lock lock(mutex);
    entered = true;
    cv.notify_all();
    cv.wait(lock, [&] { return go; });
    return ProcessOutcome{0, 0, Answer(R"({"token":"one"})"), ""};
  };
  std::jthread first([&] { EXPECT_OK(Get()); });
  {
    std::unique_lock lock(mutex);
    cv.wait(lock, [&] { return entered; });
  }
  std::jthread second([&] {
    EXPECT_CODE(Code::kDeadlineExceeded,
                credentials_->Get(WaitLimit::For(clock_, std::chrono::seconds(1))));
  });
  clock_.AwaitWaiters(1);
  clock_.Advance(std::chrono::seconds(1));
  second.join();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_CODE(Code::kCancelled, credentials_->Get({SteadyTime::max(), stop.get_token()}));
  {
    std::lock_guard lock(mutex);
    go = true;
  }
  cv.notify_all();
}

TEST(ExecCredentialsRealTest, RunsAProgram) {
  TempDirectory directory;
  const std::string path = directory / "plugin";
  ASSERT_OK(RealFileSystem().Write(path, R"(#!/bin/sh
case "$KUBERNETES_EXEC_INFO" in *ExecCredential*) ;; *) exit 4 ;; esac
echo "{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\"$1-$A\"}}"
)",
                                   0755));
  ExecPlugin plugin = Plugin(path);
  plugin.args = {"arg"};
  plugin.env = {{"A", "env"}};
  auto credentials = ExecCredentials(plugin, RealProcessRunner(), RealClock());
  ASSERT_OK_AND_ASSIGN(const auto current, credentials->Get(WaitLimit::Forever()));
  EXPECT_EQ(current.authorization, "Bearer arg-env");
}

TEST(ExecCredentialsRealTest, AHangingProgramIsKilledInTime) {
  TempDirectory directory;
  const std::string path = directory / "plugin";
  ASSERT_OK(RealFileSystem().Write(path, "#!/bin/sh\nsleep 1000\n", 0755));
  ExecPlugin plugin = Plugin(path);
  plugin.timeout = std::chrono::milliseconds(50);
  auto credentials = ExecCredentials(plugin, RealProcessRunner(), RealClock());
  EXPECT_CODE(Code::kDeadlineExceeded, credentials->Get(WaitLimit::Forever()));
}

}  // namespace
}  // namespace hearth::kube

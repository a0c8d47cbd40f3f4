#include "agent/node/testing/agent_rig.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <utility>

namespace hearth::agent::node {

using namespace std::chrono_literals;

// Keeps what was logged for tests that fail.
class AgentRig::Lines : public LogSink {
 public:
  void Write(LogLevel, std::string_view line) override {
    const std::lock_guard lock(mutex_);
    text_.append(line);
  }
  std::string Text() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

AgentOptions AgentRig::TestOptions() {
  AgentOptions options;
  options.node = "node-1";
  options.name_space = "agents";
  options.look_again = 50ms;
  options.resolve_timeout = 5s;
  options.drain = 0s;
  options.lease_duration = 30s;
  options.lease_renew_period = 200ms;
  options.heartbeat_period = 1s;
  return options;
}

AgentRig::AgentRig(kube::Transport& transport, NodeState& node, AgentOptions options)
    : lines_(std::make_shared<Lines>()), transport_(transport), work_(node) {
  const auto step = [this](const std::string& name) { return Step(name); };
  transport_.OnStep(step);
  work_.OnStep(step);
  controller::ManagerOptions manager;
  manager.name = "snapshot";
  manager_ = controller::Manager::CreateWith(manager, transport_,
                                             Logger(lines_, LogFormat::kText, LogLevel::kDebug));
  auto agent = Agent::Create(*manager_, work_, std::move(options));
  EXPECT_TRUE(agent.ok()) << agent.status().ToString();
  agent_ = *std::move(agent);
}

AgentRig::~AgentRig() {
  static_cast<void>(Stop());
  if (testing::Test::HasFailure()) {
    const std::string log = Log();
    std::fprintf(stderr, "log of the agent, its end:\n%s\n",
                 log.substr(log.size() > 6000 ? log.size() - 6000 : 0).c_str());
  }
  agent_.reset();
  manager_.reset();
}

void AgentRig::Start() {
  thread_ = std::thread([this] { ended_ = manager_->Run(stop_.get_token()); });
}

Status AgentRig::Stop() {
  stop_.request_stop();
  if (thread_.joinable()) {
    thread_.join();
  }
  return ended_;
}

void AgentRig::Die() {
  transport_.Die();
  work_.Die();
  static_cast<void>(Stop());
}

void AgentRig::DieAtStep(int n) {
  const std::lock_guard lock(mutex_);
  die_at_ = n;
}

int AgentRig::steps() const {
  const std::lock_guard lock(mutex_);
  return steps_;
}

std::string AgentRig::last_step() const {
  const std::lock_guard lock(mutex_);
  return last_step_;
}

bool AgentRig::Step(const std::string& step) {
  // Looking changes nothing, and is done whenever something may have changed.
  if (step.ends_with(" Look") || step.find("WaitForSentinel") != std::string::npos) {
    return true;
  }
  bool lives = true;
  {
    const std::lock_guard lock(mutex_);
    if (die_at_ >= 0 && steps_ > die_at_) {
      return false;
    }
    last_step_ = step;
    lives = steps_++ != die_at_;
  }
  if (!lives) {
    transport_.Die();
    work_.Die();
  }
  return lives;
}

std::string AgentRig::Log() const { return lines_->Text(); }

}  // namespace hearth::agent::node

// The guide to shared GPUs, word by word: its commands are run on an empty cluster, and what they
// print is what it shows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <regex>

#include "base/strings.h"
#include "base/testing/status_matchers.h"
#include "eventually.h"
#include "example_driver.h"
#include "guide_steps.h"
#include "node_cluster.h"

namespace hearth::node {
namespace {

// Replaces what no two runs have in common. Ids and devices are told apart: each gets a number when
// it is first seen, so that what is equal here must be equal there.
class Steady {
 public:
  // Lines, in any order.
  std::vector<std::string> Lines(const std::string& text) {
    std::string plain = Number(text, "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "uid", ids_);
    plain = Number(plain, "(gpu-|GPU_DEVICE_)[0-9]+", "gpu", devices_);
    for (const auto& [pattern, instead] : kPassing) {
      plain = std::regex_replace(plain, std::regex(pattern), instead);
    }
    std::vector<std::string> lines;
    for (const std::string_view line : Split(plain, '\n')) {
      if (!Trim(line).empty()) {
        lines.emplace_back(Trim(line));
      }
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }

 private:
  static std::string Number(const std::string& text, const char* pattern, const char* name,
                            std::map<std::string, int>& numbers) {
    const std::regex expression(pattern);
    std::string result;
    auto rest = text.cbegin();
    for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at) {
      const std::string found = at->str();
      // gpu-1 and GPU_DEVICE_1 are the same.
      const std::string key = found.substr(found.find_last_not_of("0123456789abcdef-") + 1);
      const int number = numbers.emplace(key, numbers.size() + 1).first->second;
      result.append(rest, text.cbegin() + at->position())
          .append(fmt::format("<{} {}>", name, number));
      rest = text.cbegin() + at->position() + at->length();
    }
    return result.append(rest, text.cend());
  }

  inline static const std::vector<std::pair<const char*, const char*>> kPassing = {
      {"((weights|engine)|gpu.example.com)-[a-z0-9]{5}\\b", "$1-<random>"},
      {"\\b10\\.77\\.[0-9]+\\.[0-9]+\\b", "<address>"},
      {"\\b([0-9]+[hm])*[0-9]+s\\b", "<age>"},
      {" +", " "}};
  std::map<std::string, int> ids_, devices_;
};

class SharedGpuGuide : public testing::Test {
 protected:
  void SetUp() override {
    auto started = NodeCluster::Start();
    if (started.status().Is(Code::kNotFound)) {
      GTEST_SKIP() << started.status().ToString();
    }
    ASSERT_OK(started.status());
    cluster_ = *std::move(started);
    ASSERT_OK_AND_ASSIGN(driver_, ExampleDriver::Start(cluster_->plane(), cluster_->node(), 4));
    for (const char* const image :
         {"registry.example/engine:1.0", "registry.example/weight-server:1.0"}) {
      ASSERT_OK(cluster_->node().LoadShellImage(image));
    }
    environment_ = cluster_->Environment();
  }

  std::string Run(const std::string& command) {
    auto outcome = RealProcessRunner().Run({.argv = {"bash", "-c", "exec 2>&1; " + command},
                                            .env = environment_,
                                            .directory = HEARTH_SOURCE_DIR},
                                           WaitLimit::For(RealClock(), std::chrono::minutes(3)));
    EXPECT_OK(outcome);
    return outcome.ok() ? outcome->output : "";
  }
  // A command that goes on beside the others.
  void Begin(std::string command) {
    command.resize(command.rfind('&'));
    auto child = ChildProcess::Start({.argv = {"bash", "-c", "exec " + command},
                                      .env = environment_,
                                      .directory = HEARTH_SOURCE_DIR});
    ASSERT_OK(child.status());
    beside_.push_back(*std::move(child));
  }

  std::unique_ptr<NodeCluster> cluster_;
  std::unique_ptr<ExampleDriver> driver_;
  std::vector<std::pair<std::string, std::string>> environment_;
  std::vector<ChildProcess> beside_;
};

bool OnlyLooks(const std::string& command) {
  return std::regex_search(command, std::regex("^(kubectl (get|exec|describe)|hearth) "));
}

TEST_F(SharedGpuGuide, ShowsWhatItsCommandsPrint) {
  const auto steps = StepsOf(std::string(HEARTH_SOURCE_DIR) + "/docs/guides/shared-gpu.md");
  ASSERT_GT(steps.size(), 10U);
  Steady shown;
  Steady seen;
  for (const GuideStep& step : steps) {
    SCOPED_TRACE(step.command);
    if (step.command.ends_with("&")) {
      ASSERT_NO_FATAL_FAILURE(Begin(step.command));
      continue;
    }
    const std::vector<std::string> expected = shown.Lines(step.output);
    std::string said = Run(step.command);
    // Whoever looks too early looks again.
    if (OnlyLooks(step.command)) {
      Eventually([&] {
        if (Steady(seen).Lines(said) == expected) {
          return true;
        }
        said = Run(step.command);
        return false;
      });
    }
    EXPECT_EQ(seen.Lines(said), expected) << said;
    if (HasFailure()) {
      break;  // what follows builds on it
    }
  }
}

}  // namespace
}  // namespace hearth::node

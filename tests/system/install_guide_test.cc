// The guide to installing, word by word: its commands are run on an empty API server, and what they
// print is what it shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <regex>

#include "base/file_system.h"
#include "base/process_runner.h"
#include "base/strings.h"
#include "base/testing/status_matchers.h"
#include "guide_steps.h"
#include "helm_rig.h"

namespace hearth {
namespace {

// Lines, in any order, without what no two runs have in common.
std::vector<std::string> Lines(const std::string& text) {
  const std::string steady =
      std::regex_replace(text, std::regex("LAST DEPLOYED: [^\n]*"), "LAST DEPLOYED: <time>");
  std::vector<std::string> lines;
  for (const std::string_view line : Split(steady, '\n')) {
    if (!Trim(line).empty()) {
      lines.emplace_back(Trim(line));
    }
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

// A definition that is deleted before the API server has ever listed its objects can stay for five
// minutes: the finalizer's list fails while the watch cache fills, its next try conflicts with the
// status it has just written, and only the informer's resync makes a third. Clusters that have run
// controllers have listed every kind before.
constexpr char kListEveryKind[] = R"(
set -e
kinds=$(kubectl get crds --output jsonpath='{range .items[*]}{.spec.names.plural}.{.spec.group} {end}')
for kind in $kinds; do kubectl get "$kind" --all-namespaces; done
)";

TEST(InstallGuide, ShowsWhatItsCommandsPrint) {
  auto plane = kube::TestControlPlane::Start({});
  if (plane.status().Is(Code::kNotFound)) {
    GTEST_SKIP() << plane.status().ToString();
  }
  ASSERT_OK(plane);
  auto rig = HelmRig::Make((*plane)->kubeconfig_path());
  if (rig.status().Is(Code::kNotFound)) {
    GTEST_SKIP() << rig.status().message();
  }
  ASSERT_OK(rig.status());
  // What it writes is not to be in the repository.
  const std::string root = HEARTH_SOURCE_DIR;
  TempDirectory directory;
  for (const char* const folder : {"deploy", "examples"}) {
    ASSERT_EQ(symlink((root + "/" + folder).c_str(), (directory / folder).c_str()), 0);
  }
  auto environment = (*rig)->Environment();
  const std::string hearth = HEARTH_PROGRAM;
  environment.back().second = hearth.substr(0, hearth.rfind('/')) + ":" + environment.back().second;

  const auto steps = StepsOf(root + "/docs/guides/install.md");
  ASSERT_GT(steps.size(), 10U);
  const auto run = [&](const std::string& command) {
    return RealProcessRunner().Run({.argv = {"bash", "-c", "exec 2>&1; " + command},
                                    .env = environment,
                                    .directory = directory.path()},
                                   WaitLimit::For(RealClock(), std::chrono::minutes(4)));
  };
  for (const GuideStep& step : steps) {
    SCOPED_TRACE(step.command);
    if (step.command.rfind("kubectl delete -k deploy/crds", 0) == 0) {
      const auto listed = run(kListEveryKind);
      ASSERT_OK(listed);
      ASSERT_EQ(listed->exit_code, 0) << listed->output;
    }
    const auto outcome = run(step.command);
    ASSERT_OK(outcome);
    ASSERT_EQ(Lines(outcome->output), Lines(step.output)) << outcome->output;
  }
}

// The first block of YAML in it.
std::string OverlayOf(const std::string& guide) {
  const std::string begin = "```yaml\n";
  const size_t at = guide.find(begin) + begin.size();
  return guide.substr(at, guide.find("```", at) - at);
}

TEST(InstallGuide, ItsOverlaySetsEveryImage) {
  auto rig = HelmRig::Make("");
  if (rig.status().Is(Code::kNotFound)) {
    GTEST_SKIP() << rig.status().message();
  }
  ASSERT_OK(rig.status());
  const std::string root = HEARTH_SOURCE_DIR;
  ASSERT_OK_AND_ASSIGN(const std::string guide,
                       RealFileSystem().Read(root + "/docs/guides/install.md", 1 << 20));
  TempDirectory directory;
  ASSERT_EQ(symlink(root.c_str(), (directory / "hearth").c_str()), 0);
  ASSERT_OK(RealFileSystem().MakeDirectories(directory / "mine", 0755));
  ASSERT_OK(RealFileSystem().Write(directory / "mine/kustomization.yaml", OverlayOf(guide), 0644));
  const auto made = (*rig)->Kustomize(directory / "mine");
  ASSERT_OK(made);
  for (const char* const name : {"hearth-operator", "snapshot-agent", "grove-initc"}) {
    EXPECT_THAT(*made, testing::HasSubstr("registry.example/hearth/" + std::string(name) + ":"));
    EXPECT_THAT(*made, testing::Not(testing::HasSubstr("image: " + std::string(name) + "\n")));
  }
}

}  // namespace
}  // namespace hearth

#include "pods/trouble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/yaml.h"

namespace hearth::pods {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Trouble Of(const std::string& yaml) {
  const auto pod = json::ParseYamlDocument(yaml);
  EXPECT_OK(pod);
  const json::Blob blob = pod->ToBlob();
  return Trouble::Of(blob.view());
}

std::vector<std::string> Said(const Trouble& trouble) {
  std::vector<std::string> said;
  for (const Trouble::Line& line : trouble.lines) {
    said.push_back(line.reason + ": " + line.message);
  }
  return said;
}

TEST(Trouble, APodThatRunsHasNone) {
  const Trouble trouble = Of(R"(
spec: {nodeName: node-1}
status:
  phase: Running
  conditions: [{type: Ready, status: 'True'}]
  containerStatuses: [{name: main, state: {running: {}}}]
)");
  EXPECT_EQ(trouble.word, "Ready");
  EXPECT_THAT(trouble.lines, IsEmpty());
}

TEST(Trouble, WaitingThatPassesIsNone) {
  const Trouble trouble = Of(R"(
spec: {nodeName: node-1}
status: {containerStatuses: [{name: main, state: {waiting: {reason: ContainerCreating}}}]}
)");
  EXPECT_EQ(trouble.word, "Starting");
  EXPECT_THAT(trouble.lines, IsEmpty());
  EXPECT_EQ(Of("spec: {}").word, "Pending");
}

TEST(Trouble, GatesAreNamedAndNoFailureOfScheduling) {
  const Trouble trouble = Of(R"(
spec: {schedulingGates: [{name: a}, {name: b}]}
status: {conditions: [{type: PodScheduled, status: 'False', reason: SchedulingGated}]}
)");
  EXPECT_EQ(trouble.word, "Gated");
  EXPECT_THAT(trouble.gates, ElementsAre("a", "b"));
  EXPECT_THAT(trouble.lines, IsEmpty());
}

TEST(Trouble, SaysWhyAPodIsNotScheduled) {
  const Trouble trouble = Of(R"(
status: {conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: no node}]}
)");
  EXPECT_EQ(trouble.word, "Unschedulable");
  EXPECT_THAT(Said(trouble), ElementsAre("Unschedulable: no node"));
}

TEST(Trouble, SaysWhichContainerDoesNotStart) {
  const Trouble trouble = Of(R"(
spec: {nodeName: node-1}
status:
  initContainerStatuses: [{name: init, state: {terminated: {exitCode: 1}}}]
  containerStatuses: [{name: main, state: {waiting: {reason: ImagePullBackOff, message: no image}}}]
)");
  EXPECT_EQ(trouble.word, "Error");
  EXPECT_THAT(Said(trouble),
              ElementsAre("Error: container init", "ImagePullBackOff: container main: no image"));
}

TEST(Trouble, SaysWhyAPodFailed) {
  const Trouble trouble =
      Of("status: {phase: Failed, reason: Evicted, message: the node was low on memory}");
  EXPECT_EQ(trouble.word, "Failed");
  EXPECT_THAT(Said(trouble), ElementsAre("Evicted: the node was low on memory"));
  EXPECT_EQ(Of("{metadata: {deletionTimestamp: x}, status: {phase: Failed}}").word, "Terminating");
}

}  // namespace
}  // namespace hearth::pods

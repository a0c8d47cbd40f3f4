// Each folder of tests/golden/graphs holds what a cluster has of a graph, and how it is shown.
#include "dynamo/view/chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "json/yaml.h"

namespace hearth::dynamo {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr uint64_t kMostBytes = 1 << 20;

fs::path Root() { return fs::path(HEARTH_SOURCE_DIR) / "tests/golden/graphs"; }

std::vector<std::string> Cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(Root())) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

GraphObjects ReadObjects(const std::string& text) {
  GraphObjects objects;
  const auto documents = json::ParseYaml(text);
  EXPECT_OK(documents);
  for (const json::Value& document : *documents) {
    const kube::Object object(document.ToBlob());
    const std::string kind = object.meta().kind();
    if (kind == "DynamoGraphDeployment") {
      objects.graph = object;
    } else if (kind == "DynamoComponentDeployment") {
      objects.components.push_back(object);
    } else if (kind == "DynamoCheckpoint") {
      objects.checkpoints.push_back(object);
    } else if (kind == "Job") {
      objects.jobs.push_back(object);
    } else if (kind == "PodSnapshot") {
      objects.snapshots.push_back(object);
    } else if (kind == "PodSnapshotContent") {
      objects.contents.push_back(object);
    } else if (kind == "Pod") {
      objects.pods.push_back(object);
    } else if (kind == "Event") {
      objects.events.push_back(object);
    } else if (kind == "Unread") {  // ours, for what may not be read
      objects.unread.push_back(object["what"].StringOr(""));
    } else {
      ADD_FAILURE() << "unexpected " << kind;
    }
  }
  return objects;
}

void Compare(const std::string& path, const std::string& text) {
  if (std::getenv("HEARTH_UPDATE_GOLDEN") != nullptr) {
    ASSERT_OK(RealFileSystem().Write(path, text, 0644));
  }
  const auto expected = RealFileSystem().Read(path, kMostBytes);
  ASSERT_OK(expected);
  EXPECT_EQ(*expected, text);
}

class GraphGolden : public testing::TestWithParam<std::string> {};

TEST_P(GraphGolden, IsShownAsItShould) {
  const fs::path folder = Root() / GetParam();
  const auto text = RealFileSystem().Read(folder / "input.yaml", kMostBytes);
  ASSERT_OK(text);
  const GraphObjects objects = ReadObjects(*text);
  const ChainNode chain = MakeChain(objects);
  Compare(folder / "output.txt", ToText(chain, objects.unread));
  if (fs::exists(folder / "output.json")) {
    Compare(folder / "output.json", ToJson(chain, objects.unread, "graph").WritePretty());
  }
}

std::string Name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Graphs, GraphGolden, testing::ValuesIn(Cases()), Name);

TEST(PodStart, IsReadFromWhatThePodSays) {
  const auto pod = json::ParseYamlDocument(R"(
metadata:
  annotations:
    hearth.dev/start: restored
    hearth.dev/restored-from: abc/2
    hearth.dev/restored-digest: 0123456789abcdef
    hearth.dev/restore-phases: 'criu=1.25,nonsense, memory = 0.5'
)");
  ASSERT_OK(pod);
  const json::Blob blob = pod->ToBlob();
  const PodStart start = PodStart::Of(blob.view());
  EXPECT_EQ(start.way, "restored");
  EXPECT_EQ(start.from, "abc/2");
  EXPECT_THAT(start.phases,
              ElementsAre(testing::Pair("criu", "1.25"), testing::Pair("memory", "0.5")));
}

TEST(Chain, OfAnObjectThatIsNonsense) {
  GraphObjects objects;
  objects.graph = kube::Object(json::Value::Object({{"spec", "nonsense"}, {"status", 3}}).ToBlob());
  objects.pods.push_back(kube::Object(json::Value::Object().ToBlob()));
  EXPECT_THAT(ToText(MakeChain(objects), {}), HasSubstr("initializing"));
}

TEST(Chain, ForeignTextCannotPaintTheTerminal) {
  ChainNode chain{.name = "a\x1b[31m", .status = "b\x1b[0m", .waits_for = "c\x07"};
  chain.problems = {{"D", "e\x1b[2J\nf"}};
  EXPECT_THAT(ToText(chain, {"g\x1b"}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(ProblemLines(chain), ElementsAre("graph a?[31m: D: e?[2J?f"));
}

}  // namespace
}  // namespace hearth::dynamo

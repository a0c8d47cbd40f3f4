// Each folder of tests/golden/tree holds what a cluster has of a set, and how it is shown.
#include "grove/view/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "json/yaml.h"

namespace hearth::grove {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostBytes = 1 << 20;

fs::path Root() { return fs::path(HEARTH_SOURCE_DIR) / "tests/golden/tree"; }

std::vector<std::string> Cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(Root())) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

ClusterObjects ReadObjects(const std::string& text) {
  ClusterObjects objects;
  const auto documents = json::ParseYaml(text);
  EXPECT_OK(documents);
  for (const json::Value& document : *documents) {
    const kube::Object object(document.ToBlob());
    const std::string kind = object.meta().kind();
    if (kind == "PodCliqueSet") {
      objects.set = object;
    } else if (kind == "PodCliqueScalingGroup") {
      objects.groups.push_back(object);
    } else if (kind == "PodClique") {
      objects.cliques.push_back(object);
    } else if (kind == "PodGang") {
      objects.gangs.push_back(object);
    } else if (kind == "Pod") {
      objects.pods.push_back(object);
    } else if (kind == "ResourceClaim") {
      objects.claims.push_back(object);
    } else if (kind == "NoClaims") {  // ours, for clusters without them
      objects.serves_claims = false;
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

class TreeGolden : public testing::TestWithParam<std::string> {};

TEST_P(TreeGolden, IsShownAsItShould) {
  const fs::path folder = Root() / GetParam();
  const auto text = RealFileSystem().Read(folder / "input.yaml", kMostBytes);
  ASSERT_OK(text);
  const auto facts = ClusterFacts::From(ReadObjects(*text));
  ASSERT_OK(facts);
  const TreeNode tree = MakeTree(*facts);
  Compare(folder / "output.txt", ToText(tree));
  if (fs::exists(folder / "output.json")) {
    Compare(folder / "output.json", ToJson(tree).WritePretty());
  }
}

std::string Name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Tree, TreeGolden, testing::ValuesIn(Cases()), Name);

TEST(Tree, OfASetThatCannotBeRead) {
  ClusterObjects objects;
  objects.set = kube::Object(json::Value::Object({{"spec", "nonsense"}}).ToBlob());
  EXPECT_CODE(Code::kInvalid, ClusterFacts::From(objects));
}

TEST(Tree, HasAnEnd) {
  ClusterObjects objects;
  auto set = json::ParseYamlDocument(R"(
metadata: {name: large, namespace: default}
spec: {replicas: 2000000000, template: {cliques: []}}
)");
  ASSERT_OK(set);
  objects.set = kube::Object(set->ToBlob());
  const auto facts = ClusterFacts::From(objects);
  ASSERT_OK(facts);
  EXPECT_LE(MakeTree(*facts).children.size(), 1'000'000U);
}

TEST(Tree, ForeignTextCannotPaintTheTerminal) {
  TreeNode tree{.name = "a\x1b[31m", .status = "b\x1b[0m"};
  tree.problems = {{"C", "d\x1b[2J\ne"}};
  tree.claims = {{.name = "f\x07"}};
  EXPECT_THAT(ToText(tree), testing::Not(testing::HasSubstr("\x1b")));
  EXPECT_THAT(ToText(tree), testing::HasSubstr("d?[2J?e"));
}

}  // namespace
}  // namespace hearth::grove

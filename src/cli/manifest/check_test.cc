#include "cli/manifest/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "cli/manifest/internal/source_line.h"
#include "cli/manifest/read.h"
#include "cli/manifest/write_text.h"

// Whole outputs are in tests/golden/validate; here is what those do not show.
namespace hearth::manifest {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kSnapshot = R"(apiVersion: nvidia.com/v1alpha1
kind: PodSnapshot
metadata: {name: snap}
spec: {source: {podRef: {name: pod, containers: [main]}}}
)";

TEST(CheckText, ManyFaultsAreCut) {
  std::string text = kSnapshot;
  for (int i = 0; i < 500; ++i) {
    text += "unknown" + std::to_string(i) + ": 1\n";
  }
  const FileReport report = CheckText("f", text, {});
  ASSERT_EQ(report.objects.size(), 1u);
  ASSERT_EQ(report.objects[0].findings.size(), 101u);
  EXPECT_EQ(report.objects[0].findings.back().message, "and 400 more");
  EXPECT_EQ(report.objects[0].verdict, Verdict::kInvalid);
}

// Were each looked for among all others, this would not end.
TEST(CheckText, UnknownFieldsMayBeMany) {
  std::string text = kSnapshot;
  for (int i = 0; i < 200'000; ++i) {
    text += "unknown" + std::to_string(i) + ": 1\n";
  }
  const FileReport report = CheckText("f", text, {});
  ASSERT_EQ(report.objects.size(), 1u);
  ASSERT_EQ(report.objects[0].findings.size(), 101u);
  EXPECT_EQ(report.objects[0].findings.front().at, (json::TextPosition{5, 1}));
  EXPECT_EQ(report.objects[0].findings.back().message, "and 199900 more");
}

TEST(CheckText, ObjectsInFrontOfAFaultAreStillChecked) {
  const FileReport report = CheckText("f", std::string(kSnapshot) + "---\na: [\n", {});
  EXPECT_EQ(report.findings.size(), 1u);
  ASSERT_EQ(report.objects.size(), 1u);
  EXPECT_EQ(report.objects[0].verdict, Verdict::kValid);
}

TEST(CheckText, NameSpaceOfObjectsThatNameNone) {
  const FileReport report = CheckText("f", kSnapshot, {.name_space = "here"});
  ASSERT_EQ(report.objects.size(), 1u);
  EXPECT_EQ(report.objects[0].Title(), "PodSnapshot here/snap");
  EXPECT_THAT(report.objects[0].findings, IsEmpty());
  const FileReport bad = CheckText("f", kSnapshot, {.name_space = "Not_A_Name"});
  EXPECT_EQ(bad.objects[0].verdict, Verdict::kInvalid);
}

TEST(CheckText, AnEmptyNameSpaceIsNone) {
  std::string text = kSnapshot;
  text.replace(text.find("name: snap"), 10, "name: snap, namespace: ''");
  const FileReport report = CheckText("f", text, {.name_space = "here"});
  ASSERT_EQ(report.objects.size(), 1u);
  EXPECT_EQ(report.objects[0].Title(), "PodSnapshot here/snap");
  EXPECT_THAT(report.objects[0].findings, IsEmpty());
}

TEST(CheckText, ItemsWithoutAKindAreWhatTheirListSays) {
  const FileReport report = CheckText("f", R"(apiVersion: nvidia.com/v1alpha1
kind: PodSnapshotList
items:
- metadata: {name: snap}
  spec: {source: {podRef: {name: pod, containers: [main]}}}
- metadata: {name: wrong}
  spec: {source: {podRef: {name: pod}}, more: 1}
- kind: PodSnapshot
)",
                                      {});
  ASSERT_EQ(report.objects.size(), 3u);
  EXPECT_EQ(report.objects[0].Title(), "PodSnapshot default/snap");
  EXPECT_EQ(report.objects[0].verdict, Verdict::kValid);
  ASSERT_EQ(report.objects[1].findings.size(), 1u);
  EXPECT_EQ(report.objects[1].findings[0].at, (json::TextPosition{7, 41}));
  EXPECT_EQ(report.objects[2].verdict, Verdict::kInvalid) << "half a kind is none";
}

// In either version, a warning stands at what it speaks of.
TEST(CheckText, WarningsOfRulesPointAtTheirPlace) {
  const FileReport newer = CheckText("f", R"(apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: g}
spec:
  components:
  - name: worker
    type: worker
    multinode: {nodeCount: 2}
    podTemplate: {spec: {containers: [{name: main, image: i}]}}
)",
                                     {.setup = {.grove = false}});
  ASSERT_EQ(newer.objects.size(), 1u);
  ASSERT_EQ(newer.objects[0].findings.size(), 1u);
  const Finding& warning = newer.objects[0].findings[0];
  EXPECT_EQ(warning.severity, Severity::kWarning);
  EXPECT_EQ(warning.at, (json::TextPosition{8, 5}));
  EXPECT_EQ(warning.path, "spec.components[0].multinode");
  EXPECT_THAT(warning.message, testing::StartsWith("no multinode"));

  const FileReport older = CheckText("f", R"(apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: g}
spec:
  services:
    worker:
      componentType: worker
      multinode: {nodeCount: 2}
      extraPodSpec: {mainContainer: {image: i}}
)",
                                     {.setup = {.grove = false}});
  ASSERT_EQ(older.objects.size(), 1u);
  ASSERT_EQ(older.objects[0].findings.size(), 2u) << "and one of the version";
  EXPECT_EQ(older.objects[0].findings[0].at, (json::TextPosition{1, 1}));
  EXPECT_EQ(older.objects[0].findings[1].at, (json::TextPosition{8, 7}));
}

constexpr const char* kContent = R"(apiVersion: nvidia.com/v1alpha1
kind: PodSnapshotContent
metadata: {name: content}
spec: {snapshotRef: {namespace: space, name: snap}, source: {nodeName: a, podRef: {name: pod}}}
)";

// An object of the cluster is in no namespace, whatever others are in.
TEST(CheckText, ObjectsOfTheClusterAreHeldAgainstWhatWasApplied) {
  const auto applied = AppliedObjects::Read(kContent, "default");
  ASSERT_OK(applied);
  std::string changed = kContent;
  changed.replace(changed.find("nodeName: a"), 11, "nodeName: b");
  const FileReport report = CheckText("f", changed, {.against = &*applied});
  ASSERT_EQ(report.objects.size(), 1u);
  EXPECT_EQ(report.objects[0].verdict, Verdict::kInvalid);
}

TEST(CheckText, ANameSpaceOfAnObjectOfTheClusterIsDropped) {
  std::string text = kContent;
  text.replace(text.find("name: content"), 13, "name: content, namespace: x");
  const FileReport report = CheckText("f", text, {});
  ASSERT_EQ(report.objects.size(), 1u);
  EXPECT_THAT(report.objects[0].findings, IsEmpty());
  EXPECT_EQ(report.objects[0].Title(), "PodSnapshotContent content");
}

TEST(AppliedObjects, AreFoundWhateverTheirVersionAndByNameSpace) {
  const auto applied = AppliedObjects::Read(kSnapshot, "here");
  ASSERT_OK(applied);
  ObjectReport object{
      .api_version = "nvidia.com/v7", .kind = "PodSnapshot", .name_space = "here", .name = "snap"};
  EXPECT_NE(applied->Find(object), nullptr);
  object.name_space = "there";
  EXPECT_EQ(applied->Find(object), nullptr);
}

TEST(SourceLines, TheMarkStandsBelowTheCharacter) {
  const std::string text = "ä: 1\r\n\tb: 2\nlast";
  const internal::SourceLines lines(text);
  EXPECT_EQ(lines.Show({1, 4}), "    1 | ä: 1\n      |    ^\n");
  EXPECT_EQ(lines.Show({2, 2}), "    2 |  b: 2\n      |  ^\n");
  EXPECT_EQ(lines.Show({3, 5}), "    3 | last\n      |     ^\n");
  EXPECT_EQ(lines.Show({4, 1}), "");
  EXPECT_EQ(lines.Show({0, 0}), "");
}

TEST(SourceLines, LongLinesAreCutAroundTheMark) {
  const std::string text = std::string(1000, 'a') + "X" + std::string(1000, 'b');
  const std::string shown = internal::SourceLines(text).Show({1, 1001});
  EXPECT_EQ(shown, "    1 | " + std::string(60, 'a') + "X" + std::string(59, 'b') + "\n      | " +
                       std::string(60, ' ') + "^\n");
}

TEST(ToText, LongValuesDoNotHideWhatIsWrongWithThem) {
  const std::string value = "\"" + std::string(3000, 'v') + "\"";
  FileReport file{.file = "f", .text = "a: 1\n"};
  file.findings.push_back({.at = {1, 1},
                           .path = "spec.a",
                           .value = value,
                           .message = "Invalid value: " + value + ": must be short"});
  const std::string text = ToText(file, true);
  EXPECT_LT(text.size(), 300u);
  EXPECT_THAT(text, HasSubstr(": must be short\n"));
}

}  // namespace
}  // namespace hearth::manifest

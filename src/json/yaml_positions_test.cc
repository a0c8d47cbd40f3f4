#include "json/yaml_positions.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/testing/status_matchers.h"

namespace hearth::json {
namespace {

constexpr std::string_view kManifest = R"(# a comment
apiVersion: v1
spec:
  components:
  - name: first
  - name: &n second
    labels: {a.b/c: x, a: {b/c: y}}
  shared: &s
    x: 1
    z: [2, 3]
  merged:
    <<: *s
    z: own
  again: *n
  "a]b": 1
)";

std::string Show(TextPosition position) {
  return fmt::format("{}:{}", position.line, position.column);
}

// "key value", "~" and what is missing behind it when the path does not go all the way.
std::string Look(const YamlDocument& document, std::string_view path) {
  const ResolvedPath resolved = ResolvePath(document.value, path);
  const YamlPlace& place = PlaceAt(document.place, resolved.steps);
  std::string text = Show(place.key) + " " + Show(place.value);
  return resolved.rest.empty() ? text : text + " ~" + std::string(resolved.rest);
}

TEST(YamlPositions, EveryWayToWriteAPathFindsItsPlace) {
  const YamlStream stream = ParseYamlWithPositions(kManifest);
  ASSERT_OK(stream.status);
  ASSERT_EQ(stream.documents.size(), 1u);
  const struct {
    const char* path;
    const char* place;
  } kRows[] = {
      {"", "2:1 2:1"},
      {"<nil>", "2:1 2:1"},
      {"apiVersion", "2:1 2:13"},
      {"spec", "3:1 4:3"},
      {"spec.components[0]", "5:5 5:5"},
      {"spec.components[0].name", "5:5 5:11"},
      {"spec.components[1].name", "6:5 6:11"},
      // both forms of a map's key, and the one that only looks like it
      {"spec.components[1].labels[a.b/c]", "7:14 7:21"},
      {"spec.components[1].labels.a.b/c", "7:14 7:21"},
      {"spec.components[1].labels[a]", "7:24 7:27"},
      {"spec.components[1].labels[a][b/c]", "7:28 7:33"},
      {"spec[a]b]", "15:3 15:10"},
      // what is not there: the nearest that is
      {"spec.components[0].image", "5:5 5:5 ~image"},
      {"spec.components[2].name", "4:3 5:3 ~[2].name"},
      {"spec.components[x]", "4:3 5:3 ~[x]"},
      {"spec.componentsX", "3:1 4:3 ~componentsX"},
      {"spec.components[99999999999999999999]", "4:3 5:3 ~[99999999999999999999]"},
      {"metadata.name", "2:1 2:1 ~metadata.name"},
      {"spec.shared.x.deeper", "9:5 9:8 ~deeper"},
      // where it is written
      {"spec.merged.x", "9:5 9:8"},
      {"spec.merged.z", "13:5 13:8"},
      {"spec.shared.z[1]", "10:12 10:12"},
      {"spec.again", "14:3 6:11"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Look(stream.documents[0], row.path), row.place) << row.path;
  }
}

TEST(YamlPositions, JsonHasPlacesToo) {
  const YamlStream stream = ParseYamlWithPositions(
      "\n{\"a\": [1,\n  {\"b\\\"]\": \"x\\\\\", \"ä\": null, \"c\":[ ]}], \"d\" : true}\n");
  ASSERT_OK(stream.status);
  ASSERT_EQ(stream.documents.size(), 1u);
  const struct {
    const char* path;
    const char* place;
  } kRows[] = {
      {"", "2:1 2:1"},         {"a", "2:2 2:7"},          {"a[0]", "2:8 2:8"},
      {"a[1]", "3:3 3:3"},     {"a[1].b\"]", "3:4 3:12"}, {"a[1].ä", "3:19 3:24"},
      {"a[1].c", "3:30 3:34"}, {"d", "3:41 3:47"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Look(stream.documents[0], row.path), row.place) << row.path;
  }
}

TEST(YamlPositions, DocumentsBeforeAFaultAreKept) {
  const YamlStream stream = ParseYamlWithPositions("a: 1\n---\n\n---\nb: 2\n---\nc: 1\nc: 2\n");
  EXPECT_EQ(stream.status.message(), "the key \"c\" stands twice");
  EXPECT_EQ(stream.status.code(), Code::kInvalid);
  EXPECT_EQ(stream.failed_at, (TextPosition{8, 1}));
  ASSERT_EQ(stream.documents.size(), 2u);
  EXPECT_EQ(Look(stream.documents[0], "a"), "1:1 1:4");
  EXPECT_EQ(Look(stream.documents[1], "b"), "5:1 5:4");
}

TEST(YamlPositions, FaultsOfTheTextItselfHaveAPlace) {
  const struct {
    std::string text;
    TextPosition at;
  } kRows[] = {
      {"a:\n\tb: 1\n", {2, 1}},
      {"a: 1\nb: \xff\n", {2, 4}},
      {"a: [1\n", {2, 1}},
      {"a: *none\n", {1, 4}},
  };
  for (const auto& row : kRows) {
    const YamlStream stream = ParseYamlWithPositions(row.text);
    EXPECT_FALSE(stream.status.ok()) << row.text;
    EXPECT_EQ(stream.failed_at, row.at) << row.text << stream.status;
    EXPECT_EQ(stream.status.message().find("line"), std::string_view::npos) << stream.status;
  }
}

TEST(YamlPositions, AnOversizedTextHasNoPlace) {
  const YamlStream stream = ParseYamlWithPositions("a: 1\n", {.max_bytes = 2});
  EXPECT_EQ(stream.status.code(), Code::kExhausted);
  EXPECT_EQ(stream.failed_at, TextPosition());
}

TEST(YamlPositions, NamesThatContinueEachOtherDoNotMakeTheSearchLong) {
  // Every prefix of the path is a name, on every level: read naively, 2^30 ways.
  Value value("leaf");
  for (int i = 0; i < 30; ++i) {
    Value outer = Value::Object();
    outer.Set("a", std::move(value));
    outer.Set("a.a", Value::Object({{"b", 1}}));
    value = std::move(outer);
  }
  std::string path = "a";
  for (int i = 0; i < 60; ++i) {
    path += ".a";
  }
  EXPECT_EQ(ResolvePath(value, path).steps.size(), 30u);
}

}  // namespace
}  // namespace hearth::json

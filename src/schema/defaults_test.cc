#include "schema/defaults.h"

#include <gtest/gtest.h>

#include "json/yaml.h"

namespace hearth::schema {
namespace {

using json::Value;

std::string Defaulted(const std::string& properties, const std::string& object) {
  const auto yaml = [](const std::string& text) { return json::ParseYamlDocument(text).value(); };
  Value value = yaml(object);
  ApplyDefaults(value, *FromJson(yaml("{type: object, properties: " + properties + "}")).value());
  return value.WriteCanonical();
}

TEST(Defaults, FillInWhatIsNotThere) {
  EXPECT_EQ(Defaulted("{a: {type: integer, default: 5}}", "{}"), R"({"a":5})");
  EXPECT_EQ(Defaulted("{a: {type: integer, default: 5}}", "{a: 6}"), R"({"a":6})");
}

TEST(Defaults, ANullGetsOneUnlessItMayBeNull) {
  EXPECT_EQ(Defaulted("{a: {type: integer, default: 5}}", "{a: null}"), R"({"a":5})");
  EXPECT_EQ(Defaulted("{a: {type: integer, nullable: true, default: 5}}", "{a: null}"),
            R"({"a":null})");
}

TEST(Defaults, AppearOnlyWhereTheParentIs) {
  const std::string schema = "{o: {type: object, properties: {a: {type: integer, default: 5}}}}";
  EXPECT_EQ(Defaulted(schema, "{}"), "{}");
  EXPECT_EQ(Defaulted(schema, "{o: {}}"), R"({"o":{"a":5}})");
}

TEST(Defaults, AreFilledInWithinDefaults) {
  EXPECT_EQ(
      Defaulted("{o: {type: object, default: {}, properties: {a: {type: integer, default: 5}}}}",
                "{}"),
      R"({"o":{"a":5}})");
}

TEST(Defaults, ReachItemsAndValuesOfMaps) {
  EXPECT_EQ(Defaulted("{l: {type: array, items: {type: object, properties: {a: {type: integer, "
                      "default: 5}}}}}",
                      "{l: [{}, null]}"),
            R"({"l":[{"a":5},null]})");
  EXPECT_EQ(Defaulted("{l: {type: array, items: {type: string, default: x}}}", "{l: [null, a]}"),
            R"({"l":["x","a"]})");
  EXPECT_EQ(Defaulted("{m: {type: object, additionalProperties: {type: string, default: x}}}",
                      "{m: {k: null}}"),
            R"({"m":{"k":"x"}})");
}

TEST(Defaults, ANullDefaultIsNone) {
  EXPECT_EQ(Defaulted("{a: {type: integer, nullable: true, default: null}}", "{}"), "{}");
}

}  // namespace
}  // namespace hearth::schema

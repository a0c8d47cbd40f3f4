#include "schema/prune.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/yaml.h"

namespace hearth::schema {
namespace {

using json::Value;
using ::testing::ElementsAre;

Value Yaml(const std::string& text) { return json::ParseYamlDocument(text).value(); }

SchemaPtr Properties(const std::string& text) {
  return FromJson(Yaml("{type: object, properties: " + text + "}")).value();
}

std::string Pruned(const std::string& properties, const std::string& object) {
  Value value = Yaml(object);
  Prune(value, *Properties(properties));
  return value.Write();
}

TEST(Prune, WhatTheSchemaDoesNotKnowIsTakenOutAndTold) {
  Value object = Yaml("{apiVersion: v1, kind: K, metadata: {x: 1}, b: 1, a: {c: 1, d: [{e: 1}]}}");
  const auto paths =
      Prune(object, *Properties("{a: {type: object, properties: {d: {type: array, items: {type: "
                                "object}}}}}"));
  EXPECT_THAT(paths, ElementsAre("a.c", "a.d[0].e", "b"));
  EXPECT_EQ(object.Write(), R"({"apiVersion":"v1","kind":"K","metadata":{"x":1},"a":{"d":[{}]}})");
}

// Each place is as long as the names on the way to it: two long words would be gigabytes.
TEST(Prune, VeryManyAreCountedAndNotNamed) {
  Value object = Yaml("{a: {}}");
  for (int i = 0; i < 5000; ++i) {
    object["a"].Set("x" + std::to_string(i), 1);
  }
  size_t more = 0;
  const auto paths = Prune(object, *Properties("{a: {type: object}}"), &more);
  EXPECT_EQ(paths.size(), kMostPruned);
  EXPECT_EQ(more, 5000 - kMostPruned);
  EXPECT_EQ(object.Write(), R"({"a":{}})") << "taken out all the same";
}

TEST(Prune, UnknownFieldsCanBeKept) {
  EXPECT_EQ(Pruned("{a: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {k: "
                   "{type: object}}}}",
                   "{a: {b: {c: 1}, k: {d: 1}}}"),
            R"({"a":{"b":{"c":1},"k":{}}})");
}

TEST(Prune, ItemsOfAListThatKeepsEverythingKeepIt) {
  EXPECT_EQ(Pruned("{a: {type: array, x-kubernetes-preserve-unknown-fields: true, items: {type: "
                   "object, properties: {k: {type: object}}}}}",
                   "{a: [{b: 1, k: {c: 1}}]}"),
            R"({"a":[{"b":1,"k":{}}]})");
}

TEST(Prune, MapsKeepTheirKeys) {
  EXPECT_EQ(Pruned("{a: {type: object, additionalProperties: {type: object}}}", "{a: {b: {c: 1}}}"),
            R"({"a":{"b":{}}})");
  EXPECT_EQ(Pruned("{a: {type: object, additionalProperties: true}}", "{a: {b: {c: 1}, d: 1}}"),
            R"({"a":{"b":{},"d":1}})");
}

TEST(Prune, EmbeddedObjectsKeepWhatEveryObjectHas) {
  EXPECT_EQ(Pruned("{a: {type: object, x-kubernetes-embedded-resource: true, properties: {spec: "
                   "{type: object}}}}",
                   "{a: {apiVersion: v1, kind: K, metadata: {b: 1}, spec: {c: 1}, d: 1}}"),
            R"({"a":{"apiVersion":"v1","kind":"K","metadata":{"b":1},"spec":{}}})");
  EXPECT_EQ(Pruned("{a: {type: object}}", "{a: {kind: K}}"), R"({"a":{}})");
}

TEST(PruneNulls, TakesOutWhatMayNotBeNullAndHasNoDefault) {
  Value object = Yaml("{a: null, b: null, c: null, d: null, l: [null, {e: null}]}");
  PruneNulls(
      object,
      *Properties("{a: {type: string}, b: {type: string, nullable: true}, c: {type: string, "
                  "default: x}, l: {type: array, items: {type: object, properties: {e: {type: "
                  "string}}}}}"));
  EXPECT_EQ(object.Write(), R"({"b":null,"c":null,"d":null,"l":[null,{}]})");
}

}  // namespace
}  // namespace hearth::schema

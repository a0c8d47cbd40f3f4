// Verdicts on many more schemas are compared with a real server in
// tests/contract/schemas/structural.cases.yaml.
#include "schema/structural.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/yaml.h"

namespace hearth::schema {
namespace {

using ::testing::HasSubstr;

std::vector<FieldError> Check(const std::string& property) {
  const std::string text = "{type: object, properties: {p: " + property + "}}";
  return CheckStructural(*FromJson(json::ParseYamlDocument(text).value()).value());
}

TEST(Structural, EveryFieldHasAType) {
  EXPECT_TRUE(Check("{type: string}").empty());
  ASSERT_EQ(Check("{maxLength: 5}").size(), 1u);
  EXPECT_EQ(Check("{maxLength: 5}")[0].ToString(),
            "openAPIV3Schema.properties[p].type: Required value: must not be empty for specified "
            "object fields");
  EXPECT_TRUE(Check("{x-kubernetes-int-or-string: true}").empty());
  EXPECT_TRUE(Check("{x-kubernetes-preserve-unknown-fields: true}").empty());
}

TEST(Structural, AlternativesOnlyRestrictValues) {
  EXPECT_TRUE(Check("{type: string, anyOf: [{maxLength: 5}]}").empty());
  const auto errors = Check("{type: string, anyOf: [{type: string, nullable: true}]}");
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[0].path, "openAPIV3Schema.properties[p].anyOf[0].type");
}

TEST(Structural, IntOrStringMaySayItTwice) {
  EXPECT_TRUE(Check("{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}")
                  .empty());
  EXPECT_FALSE(Check("{x-kubernetes-int-or-string: true, oneOf: [{type: integer}, {type: string}]}")
                   .empty());
}

TEST(Structural, APatternMustCompile) {
  ASSERT_EQ(Check("{type: string, pattern: '('}").size(), 1u);
  EXPECT_THAT(Check("{type: string, pattern: '('}")[0].ToString(), HasSubstr("regular expression"));
}

TEST(Structural, KeysOfAListAreFieldsThatAreAlwaysThere) {
  const std::string list =
      "type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k]";
  EXPECT_TRUE(
      Check("{" + list + ", items: {type: object, required: [k], properties: {k: {type: string}}}}")
          .empty());
  EXPECT_FALSE(
      Check("{" + list + ", items: {type: object, properties: {k: {type: string}}}}").empty());
  EXPECT_FALSE(Check("{" + list + ", items: {type: object}}").empty());
}

TEST(Structural, TheRootKnowsItsMetadata) {
  const auto check = [](const char* text) {
    return CheckStructural(*FromJson(json::ParseYamlDocument(text).value()).value());
  };
  EXPECT_TRUE(check("{type: object, properties: {metadata: {type: object, properties: {name: "
                    "{type: string}}}}}")
                  .empty());
  EXPECT_FALSE(check("{type: object, properties: {metadata: {type: object, properties: {labels: "
                     "{type: object}}}}}")
                   .empty());
  EXPECT_FALSE(check("{type: object, additionalProperties: {type: string}}").empty());
  EXPECT_FALSE(check("{type: object, anyOf: [{properties: {a: {minimum: 1}}}]}").empty());
}

}  // namespace
}  // namespace hearth::schema

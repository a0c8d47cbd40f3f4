// Verdicts and words are compared with a real server in tests/contract/kube_schema_test.cc; here
// stands what each rule is about, and what no server is asked: size, depth, threads.
#include "schema/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/testing/status_matchers.h"
#include "json/parse.h"
#include "json/yaml.h"

namespace hearth::schema {
namespace {

using json::Value;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

Value Yaml(const std::string& text) { return json::ParseYamlDocument(text).value(); }

Validator Make(const std::string& properties) {
  const auto schema = FromJson(Yaml("{type: object, properties: " + properties + "}"));
  auto made = Validator::Make(schema.value());
  EXPECT_OK(made);
  return std::move(made).value();
}

std::vector<std::string> Texts(const std::vector<FieldError>& errors) {
  std::vector<std::string> texts;
  for (const FieldError& error : errors) {
    texts.push_back(error.ToString());
  }
  return texts;
}

std::vector<std::string> Check(const std::string& properties, const std::string& object) {
  return Texts(Make(properties).Validate(Yaml(object)));
}

TEST(Validator, ASchemaThatIsNotStructuralIsRefusedWithCauses) {
  const auto made = Validator::Make(FromJson(Yaml("{type: string}")).value());
  EXPECT_CODE(Code::kInvalid, made);
  EXPECT_EQ(made.status().causes()[0].field, "openAPIV3Schema.type");
}

TEST(Validator, ADefaultThatTheSchemaRefusesIsRefused) {
  const auto made = Validator::Make(
      FromJson(Yaml("{type: object, properties: {a: {type: integer, default: x}}}")).value());
  EXPECT_CODE(Code::kInvalid, made);
  EXPECT_EQ(made.status().causes()[0].field, "openAPIV3Schema.properties[a].default");
}

TEST(Validator, AllFaultsAreTold) {
  EXPECT_THAT(
      Check("{a: {type: integer, minimum: 0}, b: {type: string, enum: [x]}, c: {type: object, "
            "required: [d]}}",
            "{a: -1, b: q, c: {}}"),
      ElementsAre("a: Invalid value: -1: a in body should be greater than or equal to 0",
                  "b: Unsupported value: \"q\": supported values: \"x\"", "c.d: Required value"));
}

TEST(Validator, TypesAreThoseOfJson) {
  EXPECT_THAT(Check("{a: {type: integer}}", "{a: 1.0}"), IsEmpty());
  EXPECT_THAT(Check("{a: {type: integer}}", "{a: 1.5}"),
              ElementsAre("a: Invalid value: \"number\": a in body must be of type integer: "
                          "\"number\""));
  EXPECT_THAT(Check("{a: {type: number}}", "{a: 1}"), IsEmpty());
  EXPECT_THAT(Check("{a: {x-kubernetes-int-or-string: true}}", "{a: x}"), IsEmpty());
  EXPECT_THAT(Check("{a: {x-kubernetes-int-or-string: true}}", "{a: true}").size(), 1u);
}

TEST(Validator, NullNeedsLeave) {
  EXPECT_THAT(Check("{a: {type: string, nullable: true}}", "{a: null}"), IsEmpty());
  EXPECT_EQ(Check("{a: {type: string}}", "{a: null}").size(), 1u);
}

TEST(Validator, BigIntegersAreComparedExactly) {
  const std::string schema = "{a: {type: integer, maximum: 9007199254740992}}";
  EXPECT_THAT(Check(schema, "{a: 9007199254740992}"), IsEmpty());
  EXPECT_EQ(Check(schema, "{a: 9007199254740993}").size(), 1u);
}

TEST(Validator, LengthsAreOfCodePoints) {
  EXPECT_THAT(Check("{a: {type: string, maxLength: 2}}", "{a: \u00e4\u00f6}"), IsEmpty());
  EXPECT_THAT(Check("{a: {type: string, maxLength: 2}}", "{a: abc}"),
              ElementsAre("a: Too long: may not be more than 2 bytes"));
}

TEST(Validator, APatternIsLookedForAnywhere) {
  EXPECT_THAT(Check("{a: {type: string, pattern: b}}", "{a: abc}"), IsEmpty());
  EXPECT_EQ(Check("{a: {type: string, pattern: ^b}}", "{a: abc}").size(), 1u);
}

TEST(Validator, KeysOfMapsStandInPathsLikeNames) {
  EXPECT_THAT(Check("{m: {type: object, additionalProperties: {type: string}}}", "{m: {a/b: 1}}"),
              ElementsAre("m.a/b: Invalid value: \"integer\": m.a/b in body must be of type "
                          "string: \"integer\""));
}

TEST(Validator, TheBestAlternativeIsExplained) {
  EXPECT_THAT(
      Check("{u: {type: object, properties: {a: {type: integer}, b: {type: string}}, oneOf: "
            "[{required: [a], properties: {a: {minimum: 5}}}, {required: [b]}]}}",
            "{u: {a: 1}}"),
      ElementsAre(
          "<nil>: Invalid value: \"\": \"u\" must validate one and only one schema (oneOf). "
          "Found none valid",
          "u.a: Invalid value: 1: u.a in body should be greater than or equal to 5"));
}

TEST(Validator, DuplicatesInSetsAndMapsAreTold) {
  const std::string schema =
      "{s: {type: array, x-kubernetes-list-type: set, items: {type: string}}, m: {type: array, "
      "x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k, l], items: {type: object, "
      "required: [k], properties: {k: {type: string}, l: {type: string, default: x}}}}}";
  EXPECT_THAT(Check(schema, "{s: [a, b, a, a], m: [{k: a, l: x}, {k: a, l: w}, {k: a, l: x}]}"),
              UnorderedElementsAre("s[2]: Duplicate value: \"a\"",
                                   "m[2]: Duplicate value: {\"k\":\"a\",\"l\":\"x\"}"));
}

TEST(Validator, EmbeddedObjectsNeedAKind) {
  const std::string schema =
      "{e: {type: object, x-kubernetes-embedded-resource: true, "
      "x-kubernetes-preserve-unknown-fields: true}}";
  EXPECT_THAT(Check(schema, "{e: {apiVersion: v1, kind: Pod, metadata: {name: x}}}"), IsEmpty());
  EXPECT_THAT(Check(schema, "{e: {kind: Pod}}"), ElementsAre("e.apiVersion: Required value"));
  EXPECT_EQ(Check(schema, "{e: {apiVersion: v1, kind: Pod, metadata: {labels: {a: '-'}}}}").size(),
            1u);
}

TEST(Validator, WhatWasFoundBeforeComesFirst) {
  const auto errors =
      Make("{a: {type: string}}")
          .Validate(Yaml("{a: 1}"), nullptr, {Required(FieldPath::Base("metadata.name"))});
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[0].path, "metadata.name");
}

TEST(Validator, LongListsTakeLinearTime) {
  const Validator validator = Make(
      "{s: {type: array, x-kubernetes-list-type: set, items: {type: string}}, m: {type: array, "
      "x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, "
      "required: "
      "[k], properties: {k: {type: string, maxLength: 1}}}}, o: {type: object, "
      "additionalProperties: {type: integer}}}");
  Value object = Value::Object();
  for (int i = 0; i < 100'000; ++i) {
    object["s"].Append(std::to_string(i));
    object["m"].Append(Value::Object({{"k", std::to_string(i)}}));
  }
  Value::Members members;
  for (int i = 0; i < 100'000; ++i) {
    members.emplace_back(std::to_string(i), i);
  }
  object["o"] = Value::FromMembers(std::move(members));
  // Quadratic, this would run into the test's time-out.
  EXPECT_EQ(validator.Validate(object).size(), ErrorList::kLimit);
  EXPECT_THAT(validator.ValidateUpdate(object, object), IsEmpty());
}

TEST(Validator, ADeepObjectIsNotFollowedFurtherThanTheSchema) {
  const Validator validator = Make("{a: {x-kubernetes-preserve-unknown-fields: true}}");
  std::string text = "{\"a\":" + std::string(500, '[') + std::string(500, ']') + "}";
  const Value object = json::ParseValue(text, {.max_depth = 2000}).value();
  EXPECT_THAT(validator.Validate(object), IsEmpty());
  EXPECT_THAT(validator.ValidateUpdate(object, object), IsEmpty());
}

TEST(Validator, ManyThreadsMayAsk) {
  const Validator validator = Make("{a: {type: string, pattern: '^a+$', format: date}}");
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 200; ++j) {
        EXPECT_EQ(validator.Validate(Value::Object({{"a", "b"}})).size(), 2u);
      }
    });
  }
}

}  // namespace
}  // namespace hearth::schema

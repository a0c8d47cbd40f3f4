#include "schema/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/yaml.h"

namespace hearth::schema {
namespace {

using json::Value;
using ::testing::HasSubstr;

constexpr const char* kEverything = R"(
title: t
description: d
type: object
nullable: true
default: {a: 1}
minProperties: 1
maxProperties: 9
required: [a]
properties:
  z: {type: integer, format: int32, minimum: 1, exclusiveMinimum: true, maximum: 9.5, exclusiveMaximum: true, multipleOf: 2}
  a: {type: string, enum: [x, null], minLength: 1, maxLength: 2, pattern: "^x"}
  list:
    type: array
    minItems: 1
    maxItems: 2
    items: {type: object, properties: {k: {type: string}}}
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [k]
  map: {type: object, additionalProperties: {type: string}, x-kubernetes-map-type: atomic}
  any: {type: object, additionalProperties: true}
  port: {anyOf: [{type: integer}, {type: string}], x-kubernetes-int-or-string: true}
  free: {x-kubernetes-preserve-unknown-fields: true}
  pod: {type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-embedded-resource: true}
  set: {type: array, uniqueItems: true, items: {type: string}, x-kubernetes-list-type: set}
allOf: [{required: [a]}]
oneOf: [{required: [b]}]
not: {required: [c]}
x-kubernetes-validations:
- {rule: "true", message: m, messageExpression: e, reason: FieldValueInvalid, fieldPath: .a, optionalOldSelf: true}
)";

Value Yaml(std::string_view text) { return json::ParseYamlDocument(text).value(); }

TEST(Schema, EverythingIsReadAndWrittenBack) {
  const Value json = Yaml(kEverything);
  ASSERT_OK_AND_ASSIGN(const SchemaPtr schema, FromJson(json));
  EXPECT_EQ(ToJson(*schema), json);
}

TEST(Schema, PropertiesKeepTheirOrder) {
  ASSERT_OK_AND_ASSIGN(const SchemaPtr schema, FromJson(Yaml(kEverything)));
  EXPECT_EQ(schema->properties[0].name, "z");
  EXPECT_EQ(schema->properties[1].name, "a");
  EXPECT_EQ(schema->Find("a"), schema->properties[1].schema.get());
  EXPECT_EQ(schema->Find("b"), nullptr);
}

TEST(Schema, IsWrittenTheSameWhateverOrderItCameIn) {
  ASSERT_OK_AND_ASSIGN(const auto one,
                       FromJson(Yaml("{type: string, minLength: 1, format: date}")));
  ASSERT_OK_AND_ASSIGN(const auto two,
                       FromJson(Yaml("{format: date, minLength: 1, type: string}")));
  EXPECT_EQ(ToJson(*one).Write(), ToJson(*two).Write());
}

TEST(Schema, DescriptionsCanBeLeftOut) {
  ASSERT_OK_AND_ASSIGN(
      const auto schema,
      FromJson(Yaml("{description: d, type: object, properties: {a: {type: string, "
                    "description: e}}}")));
  EXPECT_EQ(ToJson(*schema, false).Write(),
            R"({"type":"object","properties":{"a":{"type":"string"}}})");
}

TEST(Schema, WhatIsNotKnownIsToldWithItsPlace) {
  const auto read =
      FromJson(Yaml("{type: object, properties: {a: {type: array, items: {$ref: x}}}}"));
  EXPECT_CODE(Code::kInvalid, read);
  EXPECT_THAT(read.status().message(),
              HasSubstr("openAPIV3Schema.properties[a].items.$ref: unknown member"));
}

TEST(Schema, WrongMembersAreToldWithTheirPlace) {
  for (const auto& [text, place] : std::vector<std::pair<const char*, const char*>>{
           {"[]", "openAPIV3Schema: a schema must be an object"},
           {"{type: text}", "openAPIV3Schema.type"},
           {"{type: [string]}", "openAPIV3Schema.type"},
           {"{minimum: x}", "openAPIV3Schema.minimum"},
           {"{maxLength: 1.5}", "openAPIV3Schema.maxLength"},
           {"{nullable: 1}", "openAPIV3Schema.nullable"},
           {"{enum: x}", "openAPIV3Schema.enum"},
           {"{allOf: [{type: 5}]}", "openAPIV3Schema.allOf[0].type"},
           {"{additionalProperties: false}", "openAPIV3Schema.additionalProperties"},
           {"{x-kubernetes-preserve-unknown-fields: false}", "must be true or undefined"},
           {"{x-kubernetes-list-type: bag}", "openAPIV3Schema.x-kubernetes-list-type"},
           {"{x-kubernetes-validations: [{rules: x}]}", "x-kubernetes-validations[0].rules"},
           {"{required: [1]}", "openAPIV3Schema.required"},
           {"{properties: []}", "openAPIV3Schema.properties"}}) {
    const auto read = FromJson(Yaml(text));
    EXPECT_CODE(Code::kInvalid, read);
    EXPECT_THAT(read.status().message(), HasSubstr(place)) << text;
  }
}

TEST(Schema, ADeepOneIsRefused) {
  Value json = Value::Object();
  for (int i = 0; i < 1000; ++i) {
    json = Value::Object({{"items", std::move(json)}});
  }
  EXPECT_CODE(Code::kInvalid, FromJson(json));
}

}  // namespace
}  // namespace hearth::schema

// What an update may leave as wrong as it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/yaml.h"
#include "schema/validate.h"

namespace hearth::schema {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kSchema = R"(
type: object
properties:
  small: {type: integer, maximum: 5}
  object: {type: object, required: [must], properties: {must: {type: string}, num: {type: integer, maximum: 5}}}
  atomic: {type: array, items: {type: integer, maximum: 5}}
  keyed:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [k]
    items: {type: object, required: [k], properties: {k: {type: string}, num: {type: integer, maximum: 5}}}
  set: {type: array, x-kubernetes-list-type: set, items: {type: string}}
  free: {type: object, x-kubernetes-preserve-unknown-fields: true, maxProperties: 1, properties: {a: {type: integer}}}
)";

std::vector<std::string> Update(const std::string& object, const std::string& old) {
  const auto yaml = [](const std::string& text) { return json::ParseYamlDocument(text).value(); };
  const auto validator = Validator::Make(FromJson(yaml(kSchema)).value());
  std::vector<std::string> paths;
  for (const FieldError& error : validator->ValidateUpdate(yaml(object), yaml(old))) {
    paths.push_back(error.path);
  }
  return paths;
}

TEST(Ratcheting, WhatHasNotChangedIsLeftAsItWas) {
  EXPECT_THAT(Update("{small: 9}", "{small: 9}"), IsEmpty());
  EXPECT_THAT(Update("{small: 8}", "{small: 9}"), ElementsAre("small"));
  EXPECT_THAT(Update("{small: 9}", "{}"), ElementsAre("small"));
}

TEST(Ratcheting, ANumberWrittenInAnotherWayHasChanged) {
  const auto validator =
      Validator::Make(FromJson(json::ParseYamlDocument(kSchema).value()).value()).value();
  const auto small = [](const char* token) {
    return json::Value::Object({{"small", json::Value::Number{token}}});
  };
  EXPECT_EQ(validator.ValidateUpdate(small("9.0"), small("9")).size(), 1u);
  EXPECT_THAT(validator.ValidateUpdate(small("9.0"), small("9.00")), IsEmpty());
}

TEST(Ratcheting, AnObjectIsLeftOnlyAsAWhole) {
  EXPECT_THAT(Update("{object: {num: 1}}", "{object: {num: 1}}"), IsEmpty());
  EXPECT_THAT(Update("{object: {num: 2}}", "{object: {num: 1}}"), ElementsAre("object.must"));
  EXPECT_THAT(Update("{object: {num: 9, must: a}}", "{object: {num: 9}}"), IsEmpty());
}

TEST(Ratcheting, ItemsAreKnownByTheirKeys) {
  EXPECT_THAT(Update("{keyed: [{k: b, num: 9}, {k: a}]}", "{keyed: [{k: a}, {k: b, num: 9}]}"),
              IsEmpty());
  EXPECT_THAT(Update("{keyed: [{k: c, num: 9}]}", "{keyed: [{k: b, num: 9}]}"),
              ElementsAre("keyed[0].num"));
}

TEST(Ratcheting, OtherListsAreLeftOnlyAsAWhole) {
  EXPECT_THAT(Update("{atomic: [9, 1]}", "{atomic: [9, 1]}"), IsEmpty());
  EXPECT_THAT(Update("{atomic: [9, 2]}", "{atomic: [9, 1]}"), ElementsAre("atomic[0]"));
}

TEST(Ratcheting, DuplicatesAreToldOnlyIfThereWereNone) {
  EXPECT_THAT(Update("{set: [a, a, b]}", "{set: [a, a]}"), IsEmpty());
  EXPECT_THAT(Update("{set: [a, a]}", "{set: [a]}"), ElementsAre("set[1]"));
}

TEST(Ratcheting, MembersThatTheSchemaDoesNotKnowCountAsChanged) {
  EXPECT_THAT(Update("{free: {a: 1, b: 2}}", "{free: {a: 1, b: 2}}"), ElementsAre("free"));
}

}  // namespace
}  // namespace hearth::schema

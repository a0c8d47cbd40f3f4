#include "controller/ownership.h"

#include <gtest/gtest.h>

#include "json/yaml.h"

namespace hearth::controller {
namespace {

using json::Value;

Value Yaml(const std::string& text) {
  const auto documents = json::ParseYaml(text);
  EXPECT_TRUE(documents.ok()) << documents.status().message();
  return documents.ok() && !documents->empty() ? documents->front() : Value();
}

std::optional<Value> Move(const std::string& entries, std::string_view subresource = "") {
  const json::Blob blob = Yaml(entries).ToBlob();
  static constexpr std::string_view kFrom[] = {"us", "before"};
  return MoveOwnership(blob.view(), "v1", subresource, "us", kFrom);
}

TEST(MoveOwnership, WhatOthersWroteBeforeUsBecomesOurs) {
  const auto moved = Move(R"(
- {manager: before, operation: Update, apiVersion: v1, time: t, fieldsType: FieldsV1, fieldsV1: {f:spec: {f:a: {}}}}
- {manager: us, operation: Update, apiVersion: v1, time: u, fieldsType: FieldsV1, fieldsV1: {f:spec: {f:b: {}}}}
- {manager: kubectl, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {f:spec: {f:c: {}}}}
)");
  ASSERT_TRUE(moved.has_value());
  EXPECT_EQ(*moved, Yaml(R"(
- {manager: kubectl, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {f:spec: {f:c: {}}}}
- {manager: us, operation: Apply, apiVersion: v1, time: u, fieldsType: FieldsV1, fieldsV1: {f:spec: {f:a: {}, f:b: {}}}}
)"));
}

TEST(MoveOwnership, JoinsWhatWeAppliedAlready) {
  const auto moved = Move(R"(
- {manager: us, operation: Apply, apiVersion: v1, time: then, fieldsType: FieldsV1, fieldsV1: {f:spec: {f:a: {f:x: {}}}}}
- {manager: before, operation: Update, apiVersion: v1, time: t, fieldsType: FieldsV1, fieldsV1: {f:spec: {f:a: {f:y: {}}}}}
)");
  ASSERT_TRUE(moved.has_value());
  EXPECT_EQ(*moved, Yaml(R"(
- {manager: us, operation: Apply, apiVersion: v1, time: then, fieldsType: FieldsV1, fieldsV1: {f:spec: {f:a: {f:x: {}, f:y: {}}}}}
)"));
}

TEST(MoveOwnership, LeavesSubresourcesAndOtherVersionsAlone) {
  const std::string entries = R"(
- {manager: before, operation: Update, apiVersion: v1, subresource: status, time: t, fieldsType: FieldsV1, fieldsV1: {f:status: {}}}
- {manager: before, operation: Update, apiVersion: v1beta1, fieldsType: FieldsV1, fieldsV1: {f:spec: {}}}
- {manager: before, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {f:spec: {}}}
)";
  EXPECT_FALSE(Move(entries).has_value());
  const auto moved = Move(entries, "status");
  ASSERT_TRUE(moved.has_value());
  ASSERT_EQ(moved->items().size(), 3U);
  EXPECT_EQ(moved->items().back(), Yaml(R"(
{manager: us, operation: Apply, apiVersion: v1, time: t, fieldsType: FieldsV1, subresource: status, fieldsV1: {f:status: {}}}
)"));
}

TEST(MoveOwnership, NothingToMoveIsNothingToSend) {
  EXPECT_FALSE(Move("[]").has_value());
  EXPECT_FALSE(Move("[7, {manager: before}]").has_value());
}

}  // namespace
}  // namespace hearth::controller

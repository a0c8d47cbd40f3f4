#include "schema/scale.h"

#include <gtest/gtest.h>

#include "json/yaml.h"

namespace hearth::schema {
namespace {

const ScaleSubresource kScale{".spec.replicas", ".status.replicas", ".status.selector"};

json::Value Yaml(const std::string& text) { return json::ParseYamlDocument(text).value(); }

TEST(Scale, WhatIsNotThereIsFine) {
  for (const char* text : {"{}", "{spec: {}}", "{spec: null}", "{spec: {replicas: 3}}"}) {
    EXPECT_TRUE(ValidateScaleSpec(Yaml(text), kScale).empty()) << text;
    EXPECT_TRUE(ValidateScaleStatus(Yaml(text), kScale).empty()) << text;
  }
}

TEST(Scale, ReplicasAreAnInt32ThatIsNotNegative) {
  for (const char* text : {"{spec: {replicas: -1}}", "{spec: {replicas: 2147483648}}",
                           "{spec: {replicas: x}}", "{spec: {replicas: null}}", "{spec: 5}"}) {
    const auto errors = ValidateScaleSpec(Yaml(text), kScale);
    ASSERT_EQ(errors.size(), 1u) << text;
    EXPECT_EQ(errors[0].path, ".spec.replicas");
  }
}

TEST(Scale, ASelectorIsAString) {
  const auto errors = ValidateScaleStatus(Yaml("{status: {selector: {a: b}}}"), kScale);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].ToString(),
            ".status.selector: Invalid value: \"\": .status.selector accessor error: map[a:b] is "
            "of the type map[string]interface {}, expected string");
}

}  // namespace
}  // namespace hearth::schema

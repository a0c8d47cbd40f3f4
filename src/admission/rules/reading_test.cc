#include "admission/rules/reading.h"

#include <gtest/gtest.h>

#include "base/seeded_hash.h"
#include "json/yaml.h"

namespace hearth::admission {
namespace {

using json::Value;

Value Yaml(const std::string& text) { return json::ParseYamlDocument(text).value(); }

TEST(Reading, WhatIsMissingOrOfAnotherKindIsNothing) {
  for (const char* text : {"{}", "{a: null}", "[]", "3", "text", "{a: true}"}) {
    SCOPED_TRACE(text);
    const Value object = Yaml(text);
    EXPECT_EQ(Text(object, "a"), "");
    EXPECT_EQ(Integer(object, "a"), std::nullopt);
    EXPECT_TRUE(Items(object, "a").empty());
    EXPECT_TRUE(Members(object, "a").empty());
    EXPECT_EQ(ObjectOrNull(object.Find("a")), nullptr);
    EXPECT_EQ(At(object.Find("a"), "b.c"), nullptr);
  }
  EXPECT_FALSE(Has(Yaml("{a: null}"), "a"));
  EXPECT_TRUE(Has(Yaml("{a: 0}"), "a"));
  EXPECT_FALSE(IsTrue(nullptr));
}

TEST(Reading, WholeNumbersMayBeWrittenAsReals) {
  const auto number = [](const std::string& text) {
    const Value value = Yaml(text);
    return Integer(&value);
  };
  EXPECT_EQ(number("2"), 2);
  EXPECT_EQ(number("2.0"), 2);
  EXPECT_EQ(number("1e3"), 1000);
  EXPECT_EQ(number("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(number("2.5"), std::nullopt);
  EXPECT_EQ(number("1e300"), std::nullopt);
  EXPECT_EQ(number("\"2\""), std::nullopt);
}

TEST(Reading, ElementsAreFoundByName) {
  const Value list =
      Yaml("[{name: a, size: 1}, {}, {name: 7}, {name: b, size: 2}, {name: b, size: 3}]");
  EXPECT_EQ(Integer(*FindNamed(&list, "b"), "size"), 2);
  EXPECT_EQ(FindNamed(&list, "c"), nullptr);
  EXPECT_EQ(FindNamed(nullptr, "a"), nullptr);
  EXPECT_EQ(Names(&list), (SeededSet<std::string_view>{"a", "", "b"}));
}

}  // namespace
}  // namespace hearth::admission

#include "json/projection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/prune.h"

namespace hearth::json {
namespace {

using ::testing::ElementsAre;

using Widget = Projection<Field<"spec.replicas", int64_t>, Field<"spec.image", std::string>,
                          Field<"spec.paused", bool>, Field<"spec.ratio", double>,
                          Field<"spec.template", View>, Field<"spec.port", IntOrString>,
                          Field<"spec.memory", Quantity>, Field<"status.since", Time, Wake::kNo>,
                          Field<"metadata.annotations['a.b/c']", std::string_view, Wake::kNo>>;

constexpr std::string_view kText =
    R"({"metadata":{"annotations":{"a.b/c":"note","other":"x"}},)"
    R"("spec":{"replicas":9007199254740993,"image":"a\u002fb","paused":true,"ratio":0.5,)"
    R"("template":{"x":1},"port":"http","memory":"1Gi"},"status":{"since":"2026-11-15T22:11:52Z"}})";

TEST(Projection, ReadsDeclaredFieldsAsTheirTypes) {
  const Widget widget(View::Trusted(kText));
  EXPECT_EQ(widget.get<"spec.replicas">(), 9007199254740993);
  EXPECT_EQ(widget.get<"spec.image">(), "a/b");
  EXPECT_EQ(widget.get<"spec.paused">(), true);
  EXPECT_EQ(widget.get<"spec.ratio">(), 0.5);
  EXPECT_EQ(widget.get<"spec.template">()->raw(), R"({"x":1})");
  EXPECT_EQ(widget.get<"metadata.annotations['a.b/c']">(), "note");
  static_assert(std::is_same_v<decltype(widget.get<"spec.replicas">()), std::optional<int64_t>>);
}

TEST(Projection, ReadsKubernetesTypes) {
  const Widget widget(View::Trusted(kText));
  ASSERT_TRUE(widget.get<"spec.port">().has_value());
  EXPECT_EQ(std::get<std::string>(widget.get<"spec.port">()->value), "http");
  ASSERT_TRUE(widget.get<"spec.memory">().has_value());
  EXPECT_EQ(widget.get<"spec.memory">()->Value(), 1 << 30);
  ASSERT_TRUE(widget.get<"status.since">().has_value());
  EXPECT_EQ(widget.get<"status.since">()->ToString(), "2026-11-15T22:11:52Z");
}

TEST(Projection, NumbersAreQuantitiesAndIntOrStringsToo) {
  const Widget widget(View::Trusted(R"({"spec":{"port":80,"memory":2}})"));
  EXPECT_EQ(widget.get<"spec.memory">()->Value(), 2);
  EXPECT_EQ(std::get<int64_t>(widget.get<"spec.port">()->value), 80);
}

TEST(Projection, WhatIsAbsentOrOfAnotherKindIsNothing) {
  const Widget widget(View::Trusted(
      R"({"spec":{"replicas":"3","image":4,"paused":"true","ratio":[],"port":{},"memory":"much"},"status":{"since":"today"}})"));
  EXPECT_EQ(widget.get<"spec.replicas">(), std::nullopt);
  EXPECT_EQ(widget.get<"spec.image">(), std::nullopt);
  EXPECT_EQ(widget.get<"spec.paused">(), std::nullopt);
  EXPECT_EQ(widget.get<"spec.ratio">(), std::nullopt);
  EXPECT_FALSE(widget.get<"spec.template">().has_value());
  EXPECT_FALSE(widget.get<"spec.port">().has_value());
  EXPECT_FALSE(widget.get<"spec.memory">().has_value());
  EXPECT_FALSE(widget.get<"status.since">().has_value());
  EXPECT_EQ(widget.get<"metadata.annotations['a.b/c']">(), std::nullopt);
}

TEST(Projection, SaysWhatToKeepAndWhatWakes) {
  const FieldSet fields = Widget::Fields();
  EXPECT_THAT(fields.Paths(FieldSet::Mark::kKept),
              ElementsAre("spec.image", "spec.memory", "spec.paused", "spec.port", "spec.ratio",
                          "spec.replicas", "spec.template"));
  EXPECT_THAT(fields.Paths(FieldSet::Mark::kSilent),
              ElementsAre("metadata.annotations['a.b/c']", "status.since"));
}

TEST(Projection, EveryDeclaredFieldSurvivesPruning) {
  const FieldSet fields = Widget::Fields();
  Pruner pruner(fields);
  const auto output = pruner.Prune(kText);
  ASSERT_TRUE(output.ok());
  const Widget widget(View::Trusted(output->json));
  EXPECT_EQ(widget.get<"spec.replicas">(), 9007199254740993);
  EXPECT_EQ(widget.get<"metadata.annotations['a.b/c']">(), "note");
  EXPECT_FALSE(widget.view()["metadata"]["annotations"]["other"].exists());
}

TEST(Resolve, WalksPlainAndQuotedNames) {
  const View view = View::Trusted(R"({"a":{"b.c":{"d":1}},"l":[1]})");
  EXPECT_EQ(Resolve(view, "a['b.c'].d").Int(), 1);
  EXPECT_EQ(Resolve(view, "['a']['b.c']['d']").Int(), 1);
  EXPECT_FALSE(Resolve(view, "a.b.c").exists());
  EXPECT_FALSE(Resolve(view, "l[]").exists());
  EXPECT_FALSE(Resolve(view, "a.").exists());
  EXPECT_FALSE(Resolve(view, "").exists());
}

}  // namespace
}  // namespace hearth::json

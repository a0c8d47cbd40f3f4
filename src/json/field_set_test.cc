#include "json/field_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hearth::json {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Mark = FieldSet::Mark;

std::string ErrorOf(std::string_view path) {
  FieldSet fields;
  const Status added = fields.Add(path, Mark::kKept);
  return added.ok() ? "accepted" : added.ToString();
}

TEST(FieldSet, BuildsATreeOfMembersAndElements) {
  FieldSet fields;
  ASSERT_TRUE(fields.Add("spec.containers[].image", Mark::kKept).ok());
  const FieldSet::Node* containers = fields.root().Member("spec")->Member("containers");
  ASSERT_NE(containers, nullptr);
  EXPECT_EQ(containers->mark, Mark::kInner);
  ASSERT_NE(containers->element, nullptr);
  ASSERT_NE(containers->element->Member("image"), nullptr);
  EXPECT_EQ(containers->element->Member("image")->mark, Mark::kKept);
  EXPECT_EQ(containers->element->Member("name"), nullptr);
}

TEST(FieldSet, TellsItsPathsByMark) {
  FieldSet fields;
  ASSERT_TRUE(fields.Add("spec.b", Mark::kKept).ok());
  ASSERT_TRUE(fields.Add("spec.a[].x", Mark::kKept).ok());
  ASSERT_TRUE(fields.Add("spec.a[][].y", Mark::kKept).ok());
  ASSERT_TRUE(fields.Add("status", Mark::kSilent).ok());
  ASSERT_TRUE(fields.Add("metadata.annotations['a.b/c']", Mark::kDropped).ok());
  ASSERT_TRUE(fields.Add("metadata['']", Mark::kDropped).ok());
  EXPECT_THAT(fields.Paths(Mark::kKept), ElementsAre("spec.a[][].y", "spec.a[].x", "spec.b"));
  EXPECT_THAT(fields.Paths(Mark::kSilent), ElementsAre("status"));
  EXPECT_THAT(fields.Paths(Mark::kDropped),
              ElementsAre("metadata['']", "metadata.annotations['a.b/c']"));
}

TEST(FieldSet, AQuotedNameIsTheSameAsAPlainOne) {
  FieldSet fields;
  ASSERT_TRUE(fields.Add("['spec']['a']", Mark::kKept).ok());
  EXPECT_THAT(fields.Paths(Mark::kKept), ElementsAre("spec.a"));
}

TEST(FieldSet, TheLaterMarkOfOnePathHolds) {
  FieldSet fields;
  ASSERT_TRUE(fields.Add("a", Mark::kKept).ok());
  ASSERT_TRUE(fields.Add("a", Mark::kSilent).ok());
  EXPECT_THAT(fields.Paths(Mark::kKept), IsEmpty());
  EXPECT_THAT(fields.Paths(Mark::kSilent), ElementsAre("a"));
}

FieldSet Of(std::initializer_list<std::pair<const char*, Mark>> paths) {
  FieldSet fields;
  for (const auto& [path, mark] : paths) {
    EXPECT_TRUE(fields.Add(path, mark).ok());
  }
  return fields;
}

// In whichever order the two come together.
void ExpectTogether(const FieldSet& a, const FieldSet& b, const std::vector<std::string>& kept,
                    const std::vector<std::string>& silent) {
  for (const auto& [first, second] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    FieldSet both;
    both.Include(*first);
    both.Include(*second);
    EXPECT_EQ(both.Paths(Mark::kKept), kept);
    EXPECT_EQ(both.Paths(Mark::kSilent), silent);
  }
}

TEST(FieldSet, IncludedFieldsKeepTheStrongerMark) {
  ExpectTogether(Of({{"status", Mark::kKept}, {"data", Mark::kSilent}}),
                 Of({{"status", Mark::kSilent}, {"spec", Mark::kSilent}}), {"status"},
                 {"data", "spec"});
}

TEST(FieldSet, WhatOneKeepsAsAWholeTheOtherDoesNotWeakenInParts) {
  ExpectTogether(Of({{"spec", Mark::kKept}}),
                 Of({{"spec.a[].b", Mark::kSilent}, {"spec.c", Mark::kDropped}}), {"spec"}, {});
  ExpectTogether(Of({{"spec", Mark::kKept}, {"spec.a", Mark::kSilent}}),
                 Of({{"spec.a.b", Mark::kKept}}), {"spec", "spec.a.b"}, {"spec.a"});
}

TEST(FieldSet, IncludingEverythingKeepsEverything) {
  FieldSet fields = Of({{"spec.a", Mark::kSilent}, {"spec.b", Mark::kDropped}});
  fields.Include(FieldSet::Everything());
  EXPECT_EQ(fields.root().mark, Mark::kKept);
  EXPECT_THAT(fields.Paths(Mark::kSilent), IsEmpty());
  EXPECT_THAT(fields.Paths(Mark::kDropped), IsEmpty());
}

TEST(FieldSet, EverythingHasAKeptRoot) {
  EXPECT_EQ(FieldSet::Everything().root().mark, Mark::kKept);
  EXPECT_EQ(FieldSet().root().mark, Mark::kInner);
}

TEST(FieldSet, AMalformedPathIsRefusedWhereItBreaks) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("at character 0: a member name is missing"));
  EXPECT_THAT(ErrorOf("."), HasSubstr("at character 0: a member name is missing"));
  EXPECT_THAT(ErrorOf(".a"), HasSubstr("a member name is missing"));
  EXPECT_THAT(ErrorOf("a."), HasSubstr("at character 2: a member name is missing"));
  EXPECT_THAT(ErrorOf("a..b"), HasSubstr("at character 2: a member name is missing"));
  EXPECT_THAT(ErrorOf("a[]b"), HasSubstr("at character 3: expected '.', [] or ['name']"));
  EXPECT_THAT(ErrorOf("a['b"), HasSubstr("at character 1: ['name'] is not closed"));
  EXPECT_THAT(ErrorOf("a['b']c"), HasSubstr("at character 6: expected '.'"));
  EXPECT_THAT(ErrorOf("a[0]"), HasSubstr("at character 1: expected '.'"));
  EXPECT_THAT(ErrorOf("a]"), HasSubstr("at character 1"));
  EXPECT_THAT(ErrorOf("a'b"), HasSubstr("at character 1"));
}

TEST(FieldSet, AMalformedPathLeavesNoTrace) {
  FieldSet fields;
  EXPECT_FALSE(fields.Add("a.b.", Mark::kKept).ok());
  EXPECT_TRUE(fields.root().members.empty());
}

TEST(FieldSet, InnerIsNoMarkToAdd) {
  FieldSet fields;
  EXPECT_EQ(fields.Add("a", Mark::kInner).code(), Code::kInvalid);
}

}  // namespace
}  // namespace hearth::json

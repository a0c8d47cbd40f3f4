#include "controller/sources.h"

#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "controller/testing/pruned.h"

namespace hearth::controller {
namespace {

using json::FieldSet;

const kube::ResourceType kWidgets{"ex.io", "v1", "widgets", "Widget", true};

FieldSet Fields(std::initializer_list<std::pair<const char*, FieldSet::Mark>> paths) {
  FieldSet fields;
  for (const auto& [path, mark] : paths) {
    EXPECT_OK(fields.Add(path, mark));
  }
  return fields;
}

bool UpdateConcerns(const std::string& before, const std::string& after, const FieldSet& fields) {
  return Concerns({Change::Type::kUpdated, MakeCached(before), MakeCached(after), false}, fields);
}

std::vector<std::string> Keys(const Mapper& mapper, const std::string& object) {
  std::vector<std::string> keys;
  mapper(*MakeCached(object), [&](const kube::ObjectKey& key) { keys.push_back(key.ToString()); });
  return keys;
}

TEST(Concerns, OnlyDeclaredFieldsWake) {
  const FieldSet fields = Fields({{"spec.replicas", FieldSet::Mark::kKept}});
  EXPECT_FALSE(UpdateConcerns(
      R"({"metadata":{"name":"a","resourceVersion":"1"},"spec":{"replicas":1,"x":1}})",
      R"({"metadata":{"name":"a","resourceVersion":"2"},"spec":{"replicas":1,"x":2}})", fields));
  EXPECT_TRUE(UpdateConcerns(R"({"metadata":{"name":"a"},"spec":{"replicas":1}})",
                             R"({"metadata":{"name":"a"},"spec":{"replicas":2}})", fields));
  EXPECT_TRUE(UpdateConcerns(R"({"metadata":{"name":"a"}})",
                             R"({"metadata":{"name":"a"},"spec":{"replicas":2}})", fields));
  EXPECT_TRUE(UpdateConcerns(R"({"metadata":{"name":"a"},"spec":{"replicas":2}})",
                             R"({"metadata":{"name":"a"},"spec":{}})", fields));
}

TEST(Concerns, SilentFieldsDoNotWake) {
  const FieldSet fields =
      Fields({{"spec", FieldSet::Mark::kKept}, {"spec.noise", FieldSet::Mark::kSilent}});
  EXPECT_FALSE(UpdateConcerns(R"({"metadata":{"name":"a"},"spec":{"noise":1}})",
                              R"({"metadata":{"name":"a"},"spec":{"noise":2}})", fields));
  EXPECT_TRUE(UpdateConcerns(R"({"metadata":{"name":"a"},"spec":{"b":1}})",
                             R"({"metadata":{"name":"a"},"spec":{"b":2}})", fields));
}

// A step on the way to a silent field is itself as the field above it.
TEST(Concerns, NeighboursOfADeepSilentFieldWake) {
  const FieldSet fields =
      Fields({{"spec", FieldSet::Mark::kKept}, {"spec.a.noise", FieldSet::Mark::kSilent}});
  EXPECT_TRUE(UpdateConcerns(R"({"metadata":{"name":"a"},"spec":{"a":{"b":1}}})",
                             R"({"metadata":{"name":"a"},"spec":{"a":{"b":2}}})", fields));
  EXPECT_TRUE(UpdateConcerns(R"({"metadata":{"name":"a"},"spec":{"a":{"b":1,"noise":1}}})",
                             R"({"metadata":{"name":"a"},"spec":{"a":{"noise":1}}})", fields));
  EXPECT_FALSE(UpdateConcerns(R"({"metadata":{"name":"a"},"spec":{"a":{"b":1,"noise":1}}})",
                              R"({"metadata":{"name":"a"},"spec":{"a":{"b":1,"noise":2}}})",
                              fields));
}

TEST(Concerns, FieldThatAppearsInsideASilentOneWakes) {
  const FieldSet fields =
      Fields({{"status", FieldSet::Mark::kSilent}, {"status.phase", FieldSet::Mark::kKept}});
  const std::string none = R"({"metadata":{"name":"a"}})";
  const std::string phase = R"({"metadata":{"name":"a"},"status":{"phase":"Ready"}})";
  EXPECT_TRUE(UpdateConcerns(none, phase, fields));
  EXPECT_TRUE(UpdateConcerns(phase, none, fields));
  EXPECT_FALSE(UpdateConcerns(none, R"({"metadata":{"name":"a"},"status":{"x":1}})", fields));
}

TEST(Concerns, ElementsOfListsCount) {
  const FieldSet fields = Fields({{"spec.c[].image", FieldSet::Mark::kKept}});
  EXPECT_TRUE(UpdateConcerns(R"({"metadata":{"name":"a"},"spec":{"c":[{"image":"x","y":1}]}})",
                             R"({"metadata":{"name":"a"},"spec":{"c":[{"image":"z","y":1}]}})",
                             fields));
  EXPECT_FALSE(UpdateConcerns(R"({"metadata":{"name":"a"},"spec":{"c":[{"image":"x","y":1}]}})",
                              R"({"metadata":{"name":"a"},"spec":{"c":[{"image":"x","y":2}]}})",
                              fields));
  EXPECT_TRUE(UpdateConcerns(R"({"metadata":{"name":"a"},"spec":{"c":[{"image":"x"}]}})",
                             R"({"metadata":{"name":"a"},"spec":{"c":[{"image":"x"},{}]}})",
                             fields));
}

TEST(Concerns, VersionsAreNoChangeEvenWhenEverythingIsKept) {
  EXPECT_FALSE(UpdateConcerns(R"({"metadata":{"name":"a","resourceVersion":"1"},"spec":{}})",
                              R"({"metadata":{"name":"a","resourceVersion":"2"},"spec":{}})",
                              FieldSet::Everything()));
  EXPECT_TRUE(UpdateConcerns(
      R"({"metadata":{"name":"a","resourceVersion":"1"},"spec":{}})",
      R"({"metadata":{"name":"a","resourceVersion":"2","labels":{"x":"y"}},"spec":{}})",
      FieldSet::Everything()));
}

TEST(Concerns, DeletionMarkAdditionAndDeletionAlwaysDo) {
  const FieldSet nothing;
  const ObjectPtr object = MakeCached(R"({"metadata":{"name":"a"}})");
  EXPECT_TRUE(Concerns({Change::Type::kAdded, {}, object, false}, nothing));
  EXPECT_TRUE(Concerns({Change::Type::kDeleted, object, {}, false}, nothing));
  EXPECT_TRUE(UpdateConcerns(
      R"({"metadata":{"name":"a"}})",
      R"({"metadata":{"name":"a","deletionTimestamp":"2026-01-01T00:00:00Z"}})", nothing));
}

TEST(Mapper, FindsOwnersOfTheRightGroupAndKind) {
  const std::string pod = R"({"metadata":{"name":"p","namespace":"ns","ownerReferences":[
      {"apiVersion":"ex.io/v1beta1","kind":"Widget","name":"w1","uid":"1","controller":true},
      {"apiVersion":"other.io/v1","kind":"Widget","name":"w2","uid":"2","controller":true},
      {"apiVersion":"ex.io/v1","kind":"Widget","name":"w3","uid":"3"}]}})";
  EXPECT_EQ(Keys(MapToController(kWidgets), pod), std::vector<std::string>{"ns/w1"});
  EXPECT_EQ(Keys(MapToOwners(kWidgets), pod), (std::vector<std::string>{"ns/w1", "ns/w3"}));
}

TEST(Mapper, FindsTheObjectALabelNames) {
  EXPECT_EQ(Keys(MapToLabel("part-of"),
                 R"({"metadata":{"name":"p","namespace":"ns","labels":{"part-of":"w"}}})"),
            std::vector<std::string>{"ns/w"});
  EXPECT_TRUE(Keys(MapToLabel("part-of"), R"({"metadata":{"name":"p","namespace":"ns"}})").empty());
}

}  // namespace
}  // namespace hearth::controller

#include "api/catalog/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "base/testing/status_matchers.h"

namespace hearth::api {
namespace {

TEST(Catalog, NamesEveryVersionOfEveryDefinitionAndNoOther) {
  const auto& names = AllKinds();
  ASSERT_EQ(names.size(), AllDefinitions().size());
  for (const schema::ResourceDefinition& definition : AllDefinitions()) {
    const auto name = std::find_if(names.begin(), names.end(), [&](const KindName& candidate) {
      return candidate.group == definition.group && candidate.kind == definition.kind;
    });
    ASSERT_NE(name, names.end()) << definition.Name();
    std::vector<std::string> versions;
    for (const schema::ResourceVersion& version : definition.versions) {
      versions.push_back(version.name);
    }
    EXPECT_THAT(name->versions, testing::ElementsAreArray(versions)) << definition.Name();
  }
}

TEST(Catalog, EveryKindCanBeMadeReady) {
  for (const KindName& name : AllKinds()) {
    for (const std::string_view version : name.versions) {
      const std::string api_version = std::string(name.group) + "/" + std::string(version);
      const CheckedKind* kind = FindKind(api_version, name.kind);
      ASSERT_NE(kind, nullptr) << name.kind;
      EXPECT_EQ(kind->definition.kind, name.kind);
      EXPECT_EQ(kind->version.name, version);
      EXPECT_EQ(FindKind(api_version, name.kind), kind) << "made once";
    }
  }
}

// FindKind trusts them.
TEST(Catalog, EverySchemaPassesTheChecksOfAServer) {
  for (const schema::ResourceDefinition& definition : AllDefinitions()) {
    for (const schema::ResourceVersion& version : definition.versions) {
      SCOPED_TRACE(definition.Name());
      EXPECT_OK(schema::Validator::Make(version.schema));
    }
  }
}

// Counts the places that hold an int32, or an int32 or a string.
class Integers {
 public:
  void Look(const schema::Schema& schema) {
    if (schema.format == "int32" || schema.kube_type == "intOrString") {
      ++count_;
      EXPECT_TRUE(schema.minimum && *schema.minimum->Int() >= INT32_MIN);
      EXPECT_TRUE(schema.maximum && *schema.maximum->Int() <= INT32_MAX);
    }
    for (const schema::Property& property : schema.properties) {
      SCOPED_TRACE(property.name);
      Look(*property.schema);
    }
    for (const schema::SchemaPtr& below : {schema.items, schema.additional_properties}) {
      if (below != nullptr) {
        Look(*below);
      }
    }
  }
  size_t count() const { return count_; }

 private:
  size_t count_ = 0;
};

// A server takes no notice of the format. It would store what no client can read, and clients that
// list objects would read none of them.
TEST(Catalog, EveryIntegerFitsWhereItIsReadInto) {
  Integers integers;
  for (const schema::ResourceDefinition& definition : AllDefinitions()) {
    for (const schema::ResourceVersion& version : definition.versions) {
      SCOPED_TRACE(definition.Name());
      integers.Look(*version.schema);
    }
  }
  EXPECT_GT(integers.count(), 100u);
}

TEST(Catalog, WhatIsNotOursIsNull) {
  EXPECT_EQ(FindKind("v1", "Pod"), nullptr);
  EXPECT_EQ(FindKind("nvidia.com/v7", "PodSnapshot"), nullptr);
  EXPECT_EQ(FindKind("grove.io/v1alpha1", "PodSnapshot"), nullptr);
  EXPECT_EQ(FindKind("", ""), nullptr);
}

}  // namespace
}  // namespace hearth::api

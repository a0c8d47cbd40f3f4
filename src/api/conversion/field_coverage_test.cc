// A field that is added to one version must be converted, or said to be saved.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "api/conversion/internal/fields.h"
#include "api/conversion/testing/graphs.h"
#include "api/conversion/testing/random_object.h"
#include "api/conversion/testing/versions.h"

namespace hearth::api::conversion {
namespace {

using internal::FieldRow;
using internal::How;
using json::Value;
using schema::Schema;
using ::testing::ContainerEq;
using Names = std::set<std::string, std::less<>>;

Names Properties(const Schema& schema) {
  Names names;
  for (const schema::Property& property : schema.properties) {
    names.insert(property.name);
  }
  return names;
}

Names Rows(std::span<const FieldRow> rows, std::string_view FieldRow::*version) {
  Names names;
  for (const FieldRow& row : rows) {
    if (!(row.*version).empty()) {
      names.insert(std::string(row.*version));
    }
  }
  return names;
}

const Schema& At(const Schema& root, std::initializer_list<const char*> path) {
  const Schema* at = &root;
  for (const char* step : path) {
    at = std::string_view(step) == "*"
             ? (at->items ? at->items.get() : at->additional_properties.get())
             : at->Find(step);
  }
  return *at;
}

struct Places {
  const char* kind;
  std::initializer_list<const char*> alpha;
  std::initializer_list<const char*> beta;
  std::span<const FieldRow> rows;
};

const Schema& Root(const char* kind, const char* version) {
  static const auto& versions = *new auto(testing::Versions());
  return *std::find_if(versions.begin(), versions.end(), [&](const auto& one) {
            return one.kind == kind && one.from == version;
          })->schema;
}

TEST(FieldCoverage, TheTablesNameEveryFieldOfBothVersions) {
  const Places all[] = {
      {"DynamoGraphDeployment", {"spec"}, {"spec"}, internal::GraphSpecFields()},
      {"DynamoGraphDeployment", {"status"}, {"status"}, internal::GraphStatusFields()},
      {"DynamoGraphDeployment",
       {"status", "services", "*"},
       {"status", "components", "*"},
       internal::ReplicaStatusFields()},
      {"DynamoComponentDeployment", {"spec"}, {"spec"}, internal::ComponentFields()},
      {"DynamoComponentDeployment",
       {"status"},
       {"status"},
       internal::ComponentDeploymentStatusFields()},
      {"DynamoComponentDeployment",
       {"status", "service"},
       {"status", "component"},
       internal::ReplicaStatusFields()},
  };
  for (const Places& places : all) {
    EXPECT_THAT(Properties(At(Root(places.kind, "v1alpha1"), places.alpha)),
                ContainerEq(Rows(places.rows, &FieldRow::v1alpha1)));
    EXPECT_THAT(Properties(At(Root(places.kind, "v1beta1"), places.beta)),
                ContainerEq(Rows(places.rows, &FieldRow::v1beta1)));
  }
}

// Components of a graph have the fields of those that stand alone but for one.
TEST(FieldCoverage, ComponentsOfAGraphHaveNoFurtherFields) {
  Names service =
      Properties(At(Root("DynamoGraphDeployment", "v1alpha1"), {"spec", "services", "*"}));
  Names component =
      Properties(At(Root("DynamoGraphDeployment", "v1beta1"), {"spec", "components", "*"}));
  service.insert("backendFramework");
  component.insert("backendFramework");
  EXPECT_THAT(service, ContainerEq(Rows(internal::ComponentFields(), &FieldRow::v1alpha1)));
  EXPECT_THAT(component, ContainerEq(Rows(internal::ComponentFields(), &FieldRow::v1beta1)));
}

// What lies below fields that are mapped by code. Whoever adds one looks at that code.
TEST(FieldCoverage, FieldsBelowMappedOnesAreKnown) {
  const Schema& alpha = At(Root("DynamoGraphDeployment", "v1alpha1"), {"spec", "services", "*"});
  const Schema& beta = At(Root("DynamoGraphDeployment", "v1beta1"), {"spec", "components", "*"});
  EXPECT_THAT(Properties(*alpha.Find("sharedMemory")), ContainerEq(Names{"disabled", "size"}));
  EXPECT_THAT(Properties(*alpha.Find("scalingAdapter")), ContainerEq(Names{"enabled"}));
  EXPECT_THAT(Properties(*beta.Find("scalingAdapter")), ContainerEq(Names{}));
  EXPECT_THAT(Properties(At(alpha, {"volumeMounts", "*"})),
              ContainerEq(Names{"name", "mountPoint", "useAsCompilationCache"}));
  EXPECT_THAT(Properties(*beta.Find("compilationCache")),
              ContainerEq(Names{"pvcName", "mountPath"}));
  EXPECT_THAT(Properties(*alpha.Find("frontendSidecar")),
              ContainerEq(Names{"image", "args", "envFromSecret", "envs"}));
  EXPECT_THAT(Properties(*alpha.Find("extraPodMetadata")),
              ContainerEq(Names{"annotations", "labels"}));
  EXPECT_THAT(Properties(*alpha.Find("resources")),
              ContainerEq(Names{"requests", "limits", "claims"}));
  EXPECT_THAT(Properties(At(alpha, {"resources", "limits"})),
              ContainerEq(Names{"cpu", "memory", "gpu", "gpuType", "custom"}));
  EXPECT_THAT(Properties(*beta.Find("podTemplate")), ContainerEq(Names{"metadata", "spec"}));
  EXPECT_THAT(Properties(*beta.Find("experimental")),
              ContainerEq(Names{"gpuMemoryService", "failover", "checkpoint"}));
  Names pod = Properties(At(beta, {"podTemplate", "spec"}));
  pod.insert("mainContainer");
  EXPECT_THAT(Properties(*alpha.Find("extraPodSpec")), ContainerEq(pod));
}

// Blocks that are copied with everything in them have the same members in both versions.
TEST(FieldCoverage, CopiedBlocksHaveTheSameFields) {
  const Schema& alpha = At(Root("DynamoGraphDeployment", "v1alpha1"), {"spec", "services", "*"});
  const Schema& beta = At(Root("DynamoGraphDeployment", "v1beta1"), {"spec", "components", "*"});
  for (const FieldRow& row : internal::ComponentFields()) {
    if (row.how == How::kCopied && row.v1alpha1 != "backendFramework") {
      EXPECT_THAT(Properties(*alpha.Find(row.v1alpha1)),
                  ContainerEq(Properties(*beta.Find(row.v1beta1))))
          << row.v1alpha1;
    }
  }
  const Schema& experimental = *beta.Find("experimental");
  EXPECT_THAT(Properties(*alpha.Find("checkpoint")),
              ContainerEq(Properties(*experimental.Find("checkpoint"))));
  for (const char* feature : {"gpuMemoryService", "failover"}) {
    Names flagged = Properties(*experimental.Find(feature));
    flagged.insert("enabled");
    EXPECT_THAT(Properties(*alpha.Find(feature)), ContainerEq(flagged)) << feature;
  }
}

// The tables are true: what they call copied is copied, and only what they call saved is not there.
TEST(FieldCoverage, WhatIsCalledCopiedOrSavedIs) {
  const Schema& alpha = At(Root("DynamoGraphDeployment", "v1alpha1"), {"spec", "services", "*"});
  for (const FieldRow& row : internal::ComponentFields()) {
    if (row.v1alpha1 == "backendFramework") {
      continue;
    }
    testing::RandomObjects objects(1);
    const Value value = objects.Make(*alpha.Find(row.v1alpha1), row.v1alpha1);
    Value graph = testing::AlphaGraph("{}");
    testing::Worker(graph)->Set(row.v1alpha1, value);
    const Value beta = testing::Converted(graph, "v1beta1");
    const Value* copy = testing::Worker(beta)->Find(row.v1beta1);
    if (row.how == How::kCopied) {
      ASSERT_NE(copy, nullptr) << row.v1alpha1;
      EXPECT_EQ(*copy, value) << row.v1alpha1;
    } else if (row.how == How::kSaved) {
      EXPECT_EQ(testing::Worker(beta)->members().size(), 1) << row.v1alpha1;
      EXPECT_NE(testing::SavedSpec(beta).find("\"" + std::string(row.v1alpha1) + "\""),
                std::string::npos);
    }
  }
}

}  // namespace
}  // namespace hearth::api::conversion

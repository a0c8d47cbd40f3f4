#include "api/core/merge_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core/type_table.h"
#include "json/parse.h"

namespace hearth::api::core {
namespace {

using json::MergeSchema;
using Path = std::vector<std::string_view>;
using ::testing::ElementsAre;

std::string Describe(const MergeSchema& schema, const Path& path) {
  const MergeSchema::List* list = schema.ListAt(path);
  std::string text = list == nullptr ? "replace" : "merge(" + list->merge_key + ")";
  return schema.RetainKeysAt(path) ? text + " retainKeys" : text;
}

// Calls `visit` with the path of every field below a type.
template <typename Visit>
void Walk(const KubeType& type, Path& path, const Visit& visit) {
  for (const Field& field : type.fields) {
    path.push_back(field.name);
    visit(type, field);
    const bool map = field.shape == Field::Shape::kMap;
    if (map) {
      path.emplace_back("key");
    }
    if (const KubeType* below = KubernetesTypes().Find(field.type)) {
      Walk(*below, path, visit);
    }
    path.resize(path.size() - (map ? 2 : 1));
  }
}

TEST(MergeSchemaOf, MergesByTheTypesOnTheWay) {
  auto document = json::ParseValue(
      R"({"spec":{"template":{"spec":{"containers":[{"name":"a","image":"1"},{"name":"b"}]}}}})");
  const auto patch = json::ParseValue(
      R"({"spec":{"template":{"spec":{"containers":[{"name":"a","image":"2"}]}}}})");
  ASSERT_TRUE(document.ok() && patch.ok());
  ASSERT_TRUE(
      ApplyStrategicMergePatch(*document, *patch, MergeSchemaOf("apps.v1.Deployment")).ok());
  EXPECT_EQ(
      document->Write(),
      R"({"spec":{"template":{"spec":{"containers":[{"name":"a","image":"2"},{"name":"b"}]}}}})");
}

TEST(MergeSchemaOf, TellsListsOfOneNameApart) {
  EXPECT_EQ(Describe(MergeSchemaOf("core.v1.Service"), {"spec", "ports"}), "merge(port)");
  EXPECT_EQ(Describe(MergeSchemaOf("core.v1.Pod"), {"spec", "containers", "ports"}),
            "merge(containerPort)");
  EXPECT_EQ(Describe(MergeSchemaOf("core.v1.Pod"), {"spec", "volumes"}), "merge(name) retainKeys");
  EXPECT_EQ(Describe(MergeSchemaOf("core.v1.Pod"), {"metadata", "finalizers"}), "merge()");
  EXPECT_EQ(Describe(MergeSchemaOf("core.v1.Pod"), {"spec", "tolerations"}), "replace");
}

// json's schema knows lists by their names, for documents of any type. Where the two differ is told
// here, so that a new difference is seen.
TEST(MergeSchemaOf, AgreesWithTheKeysThatJsonKnowsByName) {
  std::vector<std::string> differences;
  for (const KubeType& type : KubernetesTypes().types()) {
    if (type.api_version.empty()) {
      continue;
    }
    Path path;
    Walk(type, path, [&](const KubeType& owner, const Field& field) {
      const std::string ours = Describe(MergeSchemaOf(type.name), path);
      const std::string theirs = Describe(json::PodMergeSchema(), path);
      if (ours != theirs) {
        differences.push_back(std::string(owner.name) + "." + std::string(field.name) + ": " +
                              ours + ", by name " + theirs);
      }
    });
  }
  EXPECT_THAT(differences,
              ElementsAre(
                  // A string there, so nothing follows from it.
                  "coordination.v1.LeaseSpec.strategy: replace, by name replace retainKeys",
                  "core.v1.ServiceAccount.secrets: merge(name), by name replace",
                  "resource.v1.AllocatedDeviceStatus.conditions: replace, by name merge(type)"));
}

}  // namespace
}  // namespace hearth::api::core

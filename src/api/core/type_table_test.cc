#include "api/core/type_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hearth::api::core {
namespace {

using schema::ListType;
using schema::MapType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(TypeTable, ReadsEveryFact) {
  const TypeTable table = TypeTable::Parse(R"(# a comment
type a.v1.A kind(a/v1) atomic union(type;x=X)
  count      int32 required
  names      []string set merge
  pairs      []a.v1.B map(x,y) merge(x) retainKeys
  plain      map[string]quantity atomic
  policy     string default("Equal") enum(,Equal,Exists)
type a.v1.B
  x          string
)");
  ASSERT_EQ(table.types().size(), 2u);
  const KubeType& type = table.Get("a.v1.A");
  EXPECT_EQ(type.api_version, "a/v1");
  EXPECT_EQ(type.map_type, MapType::kAtomic);
  EXPECT_TRUE(type.Find("count")->required);
  EXPECT_EQ(type.Find("count")->type, "int32");
  EXPECT_EQ(type.Find("names")->shape, Field::Shape::kList);
  EXPECT_EQ(type.Find("names")->list_type, ListType::kSet);
  EXPECT_TRUE(type.Find("names")->patch.merge);
  EXPECT_EQ(type.Find("names")->patch.merge_key, "");
  EXPECT_EQ(type.Find("pairs")->type, "a.v1.B");
  EXPECT_THAT(type.Find("pairs")->list_map_keys, ElementsAre("x", "y"));
  EXPECT_EQ(type.Find("pairs")->patch.merge_key, "x");
  EXPECT_TRUE(type.Find("pairs")->patch.retain_keys);
  EXPECT_EQ(type.Find("plain")->shape, Field::Shape::kMap);
  EXPECT_EQ(type.Find("plain")->map_type, MapType::kAtomic);
  EXPECT_EQ(type.Find("policy")->default_json, "\"Equal\"");
  EXPECT_THAT(type.Find("policy")->enumeration, ElementsAre("", "Equal", "Exists"));
  EXPECT_EQ(type.Find("missing"), nullptr);
  EXPECT_EQ(table.Find("a.v1.C"), nullptr);
}

TEST(TypeTableDeath, AFactThatNobodyKnowsIsNotPassedOver) {
  EXPECT_DEATH(TypeTable::Parse("type a.v1.A\n  x string sorted\n"), "x sorted");
  EXPECT_DEATH(TypeTable::Parse("type a.v1.A big\n"), "big");
  EXPECT_DEATH(TypeTable::Parse("type b.v1.B\ntype a.v1.A\n"), "order");
}

TEST(TypeTableDeath, AWrongNameIsAnsweredWithNearOnes) {
  EXPECT_DEATH(KubernetesTypes().Get("core.v1.Deployment"), "apps.v1.Deployment");
  EXPECT_DEATH(KubernetesTypes().Get("core.v1.Podspec"), "core.v1.PodSpec");
}

TEST(TypeTable, EveryFieldHasATypeThatIsKnown) {
  constexpr std::string_view kPlain =
      " string bytes int32 int64 number boolean quantity intOrString time microTime duration "
      "freeForm ";
  for (const KubeType& type : KubernetesTypes().types()) {
    EXPECT_FALSE(type.fields.empty()) << type.name;
    for (const Field& field : type.fields) {
      EXPECT_TRUE(kPlain.find(" " + std::string(field.type) + " ") != std::string_view::npos ||
                  KubernetesTypes().Find(field.type) != nullptr)
          << type.name << "." << field.name << " " << field.type;
    }
  }
}

TEST(TypeTable, EveryListSaysItsListType) {
  for (const KubeType& type : KubernetesTypes().types()) {
    for (const Field& field : type.fields) {
      EXPECT_EQ(field.shape == Field::Shape::kList, field.list_type != ListType::kNone)
          << type.name << "." << field.name;
    }
  }
}

// A server wants the keys of a list map to be there: required or with a default. Kubernetes itself
// does not keep to it in two places, so no CustomResourceDefinition can hold those.
TEST(TypeTable, KeysOfListMapsAreRequiredOrHaveADefault) {
  std::vector<std::string> optional;
  for (const KubeType& type : KubernetesTypes().types()) {
    for (const Field& field : type.fields) {
      for (const std::string_view key : field.list_map_keys) {
        const Field* member = KubernetesTypes().Get(field.type).Find(key);
        ASSERT_NE(member, nullptr) << type.name << "." << field.name << " " << key;
        if (!member->required && member->default_json.empty()) {
          optional.push_back(std::string(type.name) + "." + std::string(field.name) + " " +
                             std::string(key));
        }
      }
    }
  }
  EXPECT_THAT(optional, ElementsAre("core.v1.ServiceAccount.secrets name",
                                    "resource.v1.ResourceClaimStatus.devices shareID"));
}

TEST(FieldAt, FollowsThePathThroughListsAndMaps) {
  EXPECT_EQ(FieldAt("core.v1.PodSpec", {"containers"})->type, "core.v1.Container");
  const Field* ports =
      FieldAt("apps.v1.Deployment", {"spec", "template", "spec", "containers", "ports"});
  ASSERT_NE(ports, nullptr);
  EXPECT_THAT(ports->list_map_keys, ElementsAre("containerPort", "protocol"));
  EXPECT_EQ(ports->patch.merge_key, "containerPort");
  EXPECT_TRUE(FieldAt("core.v1.PodSpec", {"volumes"})->patch.retain_keys);
  EXPECT_TRUE(FieldAt("apps.v1.DeploymentSpec", {"strategy"})->patch.retain_keys);
  EXPECT_FALSE(FieldAt("core.v1.PodSpec", {"tolerations"})->patch.merge);
}

TEST(FieldAt, EndsWhereTheTypeDoes) {
  EXPECT_EQ(FieldAt("core.v1.PodSpec", {"container"}), nullptr);
  EXPECT_EQ(FieldAt("core.v1.PodSpec", {"hostname", "x"}), nullptr);
  // A map's key is no field, and its plain value has none.
  EXPECT_EQ(FieldAt("core.v1.ConfigMap", {"data", "k"}), nullptr);
  EXPECT_EQ(FieldAt("core.v1.ConfigMap", {"data", "k", "x"}), nullptr);
  EXPECT_EQ(FieldAt("resource.v1.DeviceClaimConfiguration", {"opaque", "parameters", "x"}),
            nullptr);
}

TEST(TypeTable, EnumsAreKept) {
  EXPECT_THAT(FieldAt("core.v1.Container", {"imagePullPolicy"})->enumeration,
              ElementsAre("Always", "IfNotPresent", "Never"));
  EXPECT_THAT(FieldAt("core.v1.Container", {"image"})->enumeration, IsEmpty());
}

}  // namespace
}  // namespace hearth::api::core

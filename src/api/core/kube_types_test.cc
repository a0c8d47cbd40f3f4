#include "api/core/kube_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <set>
#include <thread>

#include "api/core/testing/schema_json.h"
#include "api/core/type_table.h"

namespace hearth::api::core {
namespace {

using schema::ListType;
using schema::MapType;
using schema::Schema;
using schema::Type;
using ::testing::ElementsAre;

// Through properties and list elements.
const Schema& At(std::string_view type, std::initializer_list<std::string_view> path) {
  static const Schema kMissing;
  const Schema* node = TypeSchema(type).get();
  for (const std::string_view name : path) {
    node = node->items != nullptr ? node->items->Find(name) : node->Find(name);
    if (node == nullptr) {
      ADD_FAILURE() << type << " has no " << name;
      return kMissing;
    }
  }
  return *node;
}

std::vector<std::string> Keys(std::string_view type, std::initializer_list<std::string_view> path) {
  const Schema& list = At(type, path);
  EXPECT_EQ(list.list_type, ListType::kMap) << type;
  return list.list_map_keys;
}

TEST(TypeSchema, EveryTypeHasOne) {
  for (const KubeType& type : KubernetesTypes().types()) {
    const schema::SchemaPtr built = TypeSchema(type.name);
    EXPECT_EQ(built->type, Type::kObject) << type.name;
    EXPECT_EQ(built->properties.size(), type.fields.size()) << type.name;
  }
}

TEST(TypeSchema, WhatOurResourcesEmbedIsThere) {
  for (const char* root : {"apps.v1.Deployment",
                           "autoscaling.v2.HorizontalPodAutoscaler",
                           "autoscaling.v2.MetricSpec",
                           "batch.v1.Job",
                           "coordination.v1.Lease",
                           "core.v1.ConfigMap",
                           "core.v1.ConfigMapKeySelector",
                           "core.v1.Container",
                           "core.v1.EnvFromSource",
                           "core.v1.EnvVar",
                           "core.v1.LocalObjectReference",
                           "core.v1.ObjectReference",
                           "core.v1.PersistentVolumeClaim",
                           "core.v1.Pod",
                           "core.v1.PodSpec",
                           "core.v1.PodTemplateSpec",
                           "core.v1.Probe",
                           "core.v1.Secret",
                           "core.v1.SecretKeySelector",
                           "core.v1.Service",
                           "core.v1.ServiceAccount",
                           "core.v1.TypedLocalObjectReference",
                           "core.v1.VolumeMount",
                           "events.v1.Event",
                           "meta.v1.Condition",
                           "meta.v1.LabelSelector",
                           "meta.v1.ObjectMeta",
                           "networking.v1.IngressTLS",
                           "rbac.v1.Role",
                           "rbac.v1.RoleBinding",
                           "resource.v1.ResourceClaim",
                           "resource.v1.ResourceClaimTemplate",
                           "resource.v1.ResourceClaimTemplateSpec"}) {
    EXPECT_NE(KubernetesTypes().Find(root), nullptr) << root;
  }
}

TEST(TypeSchema, ListMapsHaveKubernetesKeys) {
  EXPECT_THAT(Keys("core.v1.PodSpec", {"containers"}), ElementsAre("name"));
  EXPECT_THAT(Keys("core.v1.PodSpec", {"initContainers"}), ElementsAre("name"));
  EXPECT_THAT(Keys("core.v1.PodSpec", {"ephemeralContainers"}), ElementsAre("name"));
  EXPECT_THAT(Keys("core.v1.PodSpec", {"containers", "env"}), ElementsAre("name"));
  EXPECT_THAT(Keys("core.v1.PodSpec", {"containers", "ports"}),
              ElementsAre("containerPort", "protocol"));
  EXPECT_THAT(Keys("core.v1.PodSpec", {"containers", "volumeMounts"}), ElementsAre("mountPath"));
  EXPECT_THAT(Keys("core.v1.PodSpec", {"containers", "resources", "claims"}), ElementsAre("name"));
  EXPECT_THAT(Keys("core.v1.PodSpec", {"hostAliases"}), ElementsAre("ip"));
  EXPECT_THAT(Keys("core.v1.PodSpec", {"imagePullSecrets"}), ElementsAre("name"));
  EXPECT_THAT(Keys("core.v1.PodSpec", {"topologySpreadConstraints"}),
              ElementsAre("topologyKey", "whenUnsatisfiable"));
  EXPECT_THAT(Keys("core.v1.Service", {"spec", "ports"}), ElementsAre("port", "protocol"));
  EXPECT_EQ(At("core.v1.PodSpec", {"tolerations"}).list_type, ListType::kAtomic);
  EXPECT_EQ(At("core.v1.Container", {"args"}).list_type, ListType::kAtomic);
}

TEST(TypeSchema, AtomicMapsAreAtomic) {
  EXPECT_EQ(At("core.v1.PodSpec", {"nodeSelector"}).map_type, MapType::kAtomic);
  EXPECT_EQ(At("core.v1.EnvVar", {"valueFrom", "secretKeyRef"}).map_type, MapType::kAtomic);
  EXPECT_EQ(TypeSchema("meta.v1.LabelSelector")->map_type, MapType::kAtomic);
  EXPECT_EQ(At("core.v1.Container", {"resources", "limits"}).map_type, MapType::kNone);
}

TEST(TypeSchema, DeclaredDefaultsAreThereAndZeroValuesAreNot) {
  EXPECT_EQ(At("core.v1.ContainerPort", {"protocol"}).default_value, json::Value("TCP"));
  // What imagePullSecrets are told apart by.
  EXPECT_EQ(At("core.v1.LocalObjectReference", {"name"}).default_value, json::Value(""));
  EXPECT_FALSE(At("core.v1.ContainerPort", {"containerPort"}).default_value.has_value());
  EXPECT_FALSE(At("core.v1.Container", {"resources"}).default_value.has_value());
  EXPECT_FALSE(At("core.v1.Container", {"imagePullPolicy"}).default_value.has_value());
}

TEST(TypeSchema, PlainTypesLookAsControllerGenWritesThem) {
  const Schema& quantities = At("core.v1.Container", {"resources", "limits"});
  ASSERT_NE(quantities.additional_properties, nullptr);
  EXPECT_EQ(
      SchemaJson(*quantities.additional_properties).Write(),
      R"({"pattern":"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",)"
      R"("x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]})");
  EXPECT_EQ(
      SchemaJson(At("core.v1.ServicePort", {"targetPort"})).Write(),
      R"({"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]})");
  EXPECT_EQ(SchemaJson(At("meta.v1.Condition", {"lastTransitionTime"})).Write(),
            R"({"type":"string","format":"date-time"})");
  EXPECT_EQ(SchemaJson(At("coordination.v1.LeaseSpec", {"renewTime"})).Write(),
            R"({"type":"string","format":"date-time"})");
  EXPECT_EQ(SchemaJson(*At("core.v1.Secret", {"data"}).additional_properties).Write(),
            R"({"type":"string","format":"byte"})");
  EXPECT_EQ(SchemaJson(At("resource.v1.OpaqueDeviceConfiguration", {"parameters"})).Write(),
            R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})");
  EXPECT_EQ(SchemaJson(At("core.v1.Probe", {"periodSeconds"})).Write(),
            R"({"type":"integer","format":"int32"})");
}

TEST(TypeSchema, RequiredFieldsAreRequired) {
  EXPECT_THAT(TypeSchema("core.v1.PodSpec")->required, ElementsAre("containers"));
  EXPECT_THAT(TypeSchema("meta.v1.Condition")->required,
              ElementsAre("lastTransitionTime", "message", "reason", "status", "type"));
}

TEST(TypeSchema, TemplatesKeepTheMetadataThatUsersWrite) {
  std::set<std::string> names;
  for (const schema::Property& property : At("core.v1.PodTemplateSpec", {"metadata"}).properties) {
    names.insert(property.name);
  }
  EXPECT_THAT(names, ElementsAre("annotations", "finalizers", "labels", "name", "namespace"));
  EXPECT_EQ(TypeSchema("resource.v1.ResourceClaimTemplateSpec")->Find("metadata"),
            EmbeddedMetadata().get());
}

TEST(TypeSchema, AResourcesOwnMetadataIsTheServersBusiness) {
  EXPECT_EQ(SchemaJson(At("core.v1.Pod", {"metadata"})).Write(), R"({"type":"object"})");
  EXPECT_THAT(Keys("meta.v1.ObjectMeta", {"ownerReferences"}), ElementsAre("uid"));
}

TEST(TypeSchema, IsBuiltOnceAndShared) {
  std::vector<schema::SchemaPtr> seen(4);
  {
    std::vector<std::jthread> threads;
    for (schema::SchemaPtr& place : seen) {
      threads.emplace_back([&place] { place = TypeSchema("core.v1.PodTemplateSpec"); });
    }
  }
  for (const schema::SchemaPtr& one : seen) {
    EXPECT_EQ(one, TypeSchema("core.v1.PodTemplateSpec"));
  }
  EXPECT_EQ(&At("core.v1.PodTemplateSpec", {"spec"}), TypeSchema("core.v1.PodSpec").get());
}

// Eight of them and more go into one definition, and etcd takes 1.5 MB.
TEST(TypeSchema, APodTemplateStaysSmallEnoughForADefinition) {
  const size_t bytes = SchemaJson(*TypeSchema("core.v1.PodTemplateSpec")).Write().size();
  RecordProperty("bytes", static_cast<int>(bytes));
  EXPECT_LT(bytes, 300'000u);
  EXPECT_GT(bytes, 30'000u);
}

TEST(TypeSchemaDeath, AnUnknownNameIsAMistakeOfOurs) {
  EXPECT_DEATH(TypeSchema("core.v1.PodTemplate"), "near it: core.v1.PodTemplateSpec");
}

}  // namespace
}  // namespace hearth::api::core

#include "schema/crd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/yaml.h"

namespace hearth::schema {
namespace {

using ::testing::HasSubstr;

constexpr const char* kCrd = R"(apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: things.example.com
  labels:
    a: b
  annotations:
    c: d
spec:
  group: example.com
  names:
    kind: Thing
    listKind: ThingList
    plural: things
    singular: thing
    shortNames:
      - th
    categories:
      - all
  scope: Namespaced
  conversion:
    strategy: Webhook
    webhook:
      clientConfig:
        service:
          namespace: ns
          name: svc
          path: /convert
          port: 443
      conversionReviewVersions:
        - v1
  versions:
    - name: v1
      served: true
      storage: true
      deprecated: true
      deprecationWarning: use v2
      additionalPrinterColumns:
        - name: Age
          type: date
          format: f
          description: d
          priority: 1
          jsonPath: .metadata.creationTimestamp
      selectableFields:
        - jsonPath: .spec.a
      subresources:
        status: {}
        scale:
          specReplicasPath: .spec.replicas
          statusReplicasPath: .status.replicas
          labelSelectorPath: .status.selector
      schema:
        openAPIV3Schema:
          type: object
)";

json::Value Yaml(std::string_view text) { return json::ParseYamlDocument(text).value(); }

TEST(Crd, IsReadAndWrittenBackMemberByMember) {
  ASSERT_OK_AND_ASSIGN(const ResourceDefinition definition, FromCrd(Yaml(kCrd)));
  EXPECT_EQ(ToCrd(definition).Write(), Yaml(kCrd).Write());
}

TEST(Crd, NamesFollowFromTheKind) {
  const ResourceDefinition definition{
      .group = "g", .kind = "Thing", .plural = "things", .namespaced = false};
  const json::Value crd = ToCrd(definition);
  EXPECT_EQ(crd.FindPath("metadata.name")->string(), "things.g");
  EXPECT_EQ(crd.FindPath("spec.names")->Write(),
            R"({"kind":"Thing","listKind":"ThingList","plural":"things","singular":"thing"})");
  EXPECT_EQ(crd.FindPath("spec.scope")->string(), "Cluster");
}

TEST(Crd, WhatIsWrongIsToldWithItsPlace) {
  json::Value crd = Yaml(kCrd);
  crd["spec"]["versions"].items()[0].MakePath("schema.openAPIV3Schema.type") = 5;
  EXPECT_THAT(FromCrd(crd).status().message(),
              HasSubstr("spec.versions[0].schema: openAPIV3Schema.type"));
  crd = Yaml(kCrd);
  crd.MakePath("spec.scope") = "Both";
  EXPECT_THAT(FromCrd(crd).status().message(), HasSubstr("spec.scope"));
  crd = Yaml(kCrd);
  crd["spec"]["names"].Erase("kind");
  EXPECT_THAT(FromCrd(crd).status().message(), HasSubstr("spec.names.kind"));
  EXPECT_CODE(Code::kInvalid, FromCrd(Yaml("{kind: Pod}")));
}

}  // namespace
}  // namespace hearth::schema

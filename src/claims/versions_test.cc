#include "claims/versions.h"

#include <gmock/gmock.h>

#include "base/testing/status_matchers.h"
#include "json/yaml.h"

namespace hearth::claims {
namespace {

using json::Value;
using testing::HasSubstr;

Value Yaml(const std::string& text) {
  auto value = json::ParseYamlDocument(text);
  EXPECT_OK(value);
  return *std::move(value);
}

constexpr const char* kV1 = R"(
devices:
  requests:
  - name: all
    exactly:
      deviceClassName: gpu
      selectors: [{cel: {expression: "true"}}]
      allocationMode: ExactCount
      count: 2
      adminAccess: false
      tolerations: [{key: k, operator: Exists}]
      capacity: {requests: {memory: 1Gi}}
  - {name: least, exactly: {deviceClassName: nic}}
  - {name: either, firstAvailable: [{name: large, deviceClassName: big, count: 1}, {name: small, deviceClassName: small}]}
  constraints: [{requests: [all, least], matchAttribute: a/b}]
  config: [{requests: [all], opaque: {driver: d, parameters: {exactly: {deviceClassName: untouched}}}}]
)";

constexpr const char* kFlat = R"(
devices:
  requests:
  - name: all
    deviceClassName: gpu
    selectors: [{cel: {expression: "true"}}]
    allocationMode: ExactCount
    count: 2
    adminAccess: false
    tolerations: [{key: k, operator: Exists}]
    capacity: {requests: {memory: 1Gi}}
  - {name: least, deviceClassName: nic}
  - {name: either, firstAvailable: [{name: large, deviceClassName: big, count: 1}, {name: small, deviceClassName: small}]}
  constraints: [{requests: [all, least], matchAttribute: a/b}]
  config: [{requests: [all], opaque: {driver: d, parameters: {exactly: {deviceClassName: untouched}}}}]
)";

// W22; RS-Q7: nothing is served, nothing is chosen.
TEST(ChooseVersion, TheBestOfWhatIsServed) {
  EXPECT_EQ(ChooseVersion({"v1beta1", "v1", "v1beta2"}), ApiVersion::kV1);
  EXPECT_EQ(ChooseVersion({"v1beta1", "v1beta2"}), ApiVersion::kV1Beta2);
  EXPECT_EQ(ChooseVersion({"v1alpha3", "v1beta1"}), ApiVersion::kV1Beta1);
  EXPECT_EQ(ChooseVersion({"v1alpha3"}), std::nullopt);
  EXPECT_EQ(ChooseVersion({}), std::nullopt);
}

TEST(Versions, HaveTheirTypes) {
  EXPECT_EQ(ResourceClaims(ApiVersion::kV1).ApiVersion(), "resource.k8s.io/v1");
  EXPECT_EQ(ResourceClaims(ApiVersion::kV1Beta2).ApiVersion(), "resource.k8s.io/v1beta2");
  EXPECT_EQ(ResourceClaimTemplates(ApiVersion::kV1Beta1).ApiVersion(), "resource.k8s.io/v1beta1");
  EXPECT_EQ(ResourceClaims(ApiVersion::kV1).ToString(), "resourceclaims.resource.k8s.io");
  EXPECT_EQ(ResourceClaimTemplates(ApiVersion::kV1).kind, "ResourceClaimTemplate");
}

TEST(SpecTo, V1AndV1Beta2AreOfOneShape) {
  for (const ApiVersion version : {ApiVersion::kV1, ApiVersion::kV1Beta2}) {
    ASSERT_OK_AND_ASSIGN(const Value spec, SpecTo(version, Yaml(kV1)));
    EXPECT_EQ(spec, Yaml(kV1));
    EXPECT_EQ(SpecFrom(version, Yaml(kV1)), Yaml(kV1));
  }
}

TEST(SpecTo, V1Beta1HasTheFieldsOfARequestBesideItsName) {
  ASSERT_OK_AND_ASSIGN(const Value spec, SpecTo(ApiVersion::kV1Beta1, Yaml(kV1)));
  EXPECT_EQ(spec, Yaml(kFlat));
  EXPECT_EQ(SpecFrom(ApiVersion::kV1Beta1, Yaml(kFlat)), Yaml(kV1));
}

TEST(SpecTo, WhatV1Beta1CannotSayIsRefusedWithTheRequestsName) {
  for (const char* request :
       {"{name: r1, exactly: {deviceClassName: c, newField: 1}}", "{name: r1, exactly: {}}",
        "{name: r1, exactly: 3}", "{name: r1, exactly: {deviceClassName: c, name: x}}",
        "{name: r1, deviceClassName: c}"}) {
    const auto spec =
        SpecTo(ApiVersion::kV1Beta1, Yaml("devices: {requests: [" + std::string(request) + "]}"));
    EXPECT_CODE(Code::kInvalid, spec);
    EXPECT_THAT(spec.status().message(), HasSubstr("r1")) << request;
  }
  EXPECT_CODE(Code::kInvalid, SpecTo(ApiVersion::kV1Beta1, Yaml("devices: {requests: [3]}")));
}

TEST(SpecTo, WhatHasNoRequestsStays) {
  for (const char* text : {"{}", "{devices: {}}", "{devices: {requests: []}}", "{devices: 1}", "[]",
                           "{devices: {requests: {}}}", "null"}) {
    ASSERT_OK_AND_ASSIGN(const Value spec, SpecTo(ApiVersion::kV1Beta1, Yaml(text)));
    EXPECT_EQ(spec, Yaml(text));
    EXPECT_EQ(SpecFrom(ApiVersion::kV1Beta1, Yaml(text)), Yaml(text));
  }
}

TEST(ClaimTo, IsTheWholeClaimInAnotherVersion) {
  Value claim = Yaml("{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c}}");
  claim["spec"] = Yaml(kV1);
  ASSERT_OK_AND_ASSIGN(const Value sent, ClaimTo(ApiVersion::kV1Beta1, claim));
  EXPECT_EQ(sent.Find("apiVersion")->string(), "resource.k8s.io/v1beta1");
  EXPECT_EQ(*sent.Find("spec"), Yaml(kFlat));
  EXPECT_EQ(*sent.Find("metadata"), Yaml("{name: c}"));
}

}  // namespace
}  // namespace hearth::claims

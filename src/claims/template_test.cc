#include "claims/template.h"

#include <gmock/gmock.h>

#include "base/testing/status_matchers.h"
#include "json/yaml.h"

namespace hearth::claims {
namespace {

using json::Value;
using testing::HasSubstr;

Value Spec(std::string_view device_class) {
  Value spec;
  spec["devices"]["requests"].Append(Value::Object(
      {{"name", "r"}, {"exactly", Value::Object({{"deviceClassName", device_class}})}}));
  return spec;
}

std::vector<api::grove::ResourceClaimTemplate> Internal(std::string name) {
  api::grove::ResourceClaimTemplate one;
  one.name = std::move(name);
  one.template_spec = Value::Object({{"spec", Spec("internal")}});
  return {one};
}

// What is in the cluster, and what was asked for.
struct Cluster {
  std::vector<kube::ObjectKey> templates;
  std::vector<std::string> asked;

  FindExternal Find() {
    return [this](const kube::ObjectKey& key) -> Result<Template> {
      asked.push_back(key.ToString());
      if (std::find(templates.begin(), templates.end(), key) == templates.end()) {
        return NotFoundError("nothing there");
      }
      return Template{.identity = key.ToString() + "/u/1",
                      .metadata = Value(),
                      .spec = Spec("of " + key.ToString())};
    };
  }
};

Sharing Entry(std::string name, std::string name_space = "") {
  Sharing entry;
  entry.name = std::move(name);
  entry.name_space = std::move(name_space);
  return entry;
}

// RS-R1, RS-R2
TEST(ResolveTemplate, OneInsideTheSetWins) {
  Cluster cluster{.templates = {{"ns", "gpu"}}, .asked = {}};
  ASSERT_OK_AND_ASSIGN(const Template found,
                       ResolveTemplate(Internal("gpu"), "ns", Entry("gpu"), cluster.Find()));
  EXPECT_EQ(found.identity, "internal/gpu");
  EXPECT_EQ(found.spec, Spec("internal"));
  EXPECT_THAT(cluster.asked, testing::IsEmpty());
}

// RS-R3
TEST(ResolveTemplate, ElseOneOfTheNamespaceOfTheSet) {
  Cluster cluster{.templates = {{"ns", "gpu"}}, .asked = {}};
  ASSERT_OK_AND_ASSIGN(const Template found,
                       ResolveTemplate(Internal("other"), "ns", Entry("gpu"), cluster.Find()));
  EXPECT_EQ(found.spec, Spec("of ns/gpu"));
}

// RS-R4; the namespace rules out what is inside, also when the door was passed by.
TEST(ResolveTemplate, OfAnotherNamespaceWhenTheEntrySaysSo) {
  Cluster cluster{.templates = {{"ns", "gpu"}, {"other-ns", "gpu"}}, .asked = {}};
  ASSERT_OK_AND_ASSIGN(
      const Template found,
      ResolveTemplate(Internal("gpu"), "ns", Entry("gpu", "other-ns"), cluster.Find()));
  EXPECT_EQ(found.spec, Spec("of other-ns/gpu"));
}

// RS-R5
TEST(ResolveTemplate, WhatIsNotThereIsToldWithItsName) {
  Cluster cluster;
  const auto found = ResolveTemplate({}, "ns", Entry("gpu"), cluster.Find());
  EXPECT_CODE(Code::kNotFound, found);
  EXPECT_THAT(found.status().message(), HasSubstr("ns/gpu"));
  const auto other = ResolveTemplate({}, "ns", Entry("gpu", "other-ns"), cluster.Find());
  EXPECT_THAT(other.status().message(), HasSubstr("other-ns/gpu"));
}

// W19: what may not be read is no different to the owner, but for the words.
TEST(ResolveTemplate, WhatMayNotBeUsedIsToldWithItsName) {
  const auto found = ResolveTemplate({}, "ns", Entry("gpu"), [](const kube::ObjectKey&) {
    return Result<Template>(Status(Code::kPermissionDenied, "it may not be used"));
  });
  EXPECT_CODE(Code::kPermissionDenied, found);
  EXPECT_THAT(found.status().message(), HasSubstr("ns/gpu"));
}

TEST(ResolveTemplate, ANameThatWasToldIsNotToldAgain) {
  const auto found = ResolveTemplate({}, "ns", Entry("gpu"), [](const kube::ObjectKey&) {
    return Result<Template>(NotFoundError("there is no ResourceClaimTemplate ns/gpu"));
  });
  EXPECT_EQ(found.status().message(), "there is no ResourceClaimTemplate ns/gpu");
}

// W18, W20, W22
TEST(ExternalTemplate, IsReadFromTheVersionThatIsServed) {
  ASSERT_OK_AND_ASSIGN(const Value object, json::ParseYamlDocument(R"(
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaimTemplate
metadata: {name: gpu, namespace: ns, uid: u, resourceVersion: "7", labels: {of: the-template}}
spec:
  metadata: {labels: {app: x}}
  spec: {devices: {requests: [{name: r, deviceClassName: c}]}}
)"));
  const json::Blob blob = object.ToBlob();
  const Template read = ExternalTemplate(ApiVersion::kV1Beta1, blob.view());
  EXPECT_EQ(read.identity, "ns/gpu/u/7");
  EXPECT_EQ(read.metadata.Write(), R"({"labels":{"app":"x"}})");
  EXPECT_EQ(read.spec, Spec("c"));
}

// A template's spec cannot be changed, so the version of the object says nothing.
TEST(SameTemplate, IsToldByTheUid) {
  EXPECT_TRUE(SameTemplate("ns/gpu/u/7", "ns/gpu/u/9"));
  EXPECT_FALSE(SameTemplate("ns/gpu/u/7", "ns/gpu/v/7"));
  EXPECT_TRUE(SameTemplate("", "ns/gpu/v/7"));
  EXPECT_TRUE(SameTemplate("internal/gpu", "ns/gpu/v/7"));
  EXPECT_TRUE(SameTemplate("whatever", "ns/gpu/v/7"));
}

}  // namespace
}  // namespace hearth::claims

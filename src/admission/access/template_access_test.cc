// W19: templates of other namespaces are for those who may read them.
#include "admission/access/template_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/yaml.h"
#include "kube/client/testing/scripted_api.h"

namespace hearth::admission::access {
namespace {

using json::Value;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Value Yaml(std::string_view text) { return json::ParseYamlDocument(text).value(); }

const char* const kSet = R"(
spec:
  template:
    resourceSharing: [{name: own, namespace: here}, {name: internal}, {name: a, namespace: there}]
    cliques:
    - {name: c}
    - {name: d, resourceSharing: [{name: b, namespace: there}]}
    podCliqueScalingGroups:
    - {name: g, resourceSharing: [{name: x}, {name: a, namespace: there}]}
)";

struct Scene {
  Findings Run(const Value& set) {
    access.may_read = [this](const Value& user, const kube::ObjectKey& key,
                             const WaitLimit&) -> Result<bool> {
      asked.push_back(key.ToString());
      EXPECT_EQ(user.FindPath("username")->string(), "jane");
      return answer;
    };
    Findings findings;
    CheckTemplateAccess(set, "here", Yaml("{username: jane}"), access, findings);
    return findings;
  }
  static std::vector<std::string> Paths(const Findings& findings) {
    std::vector<std::string> paths;
    for (const Finding& finding : findings.errors()) {
      EXPECT_EQ(finding.rule, &kTemplateAccess);
      paths.push_back(finding.error.path);
    }
    return paths;
  }

  TemplateAccess access;
  Result<bool> answer = true;
  std::vector<std::string> asked;
};

TEST(TemplateAccess, OnlyOtherNamespacesAreAskedForAndEachTemplateOnce) {
  Scene scene;
  EXPECT_TRUE(scene.Run(Yaml(kSet)).ok());
  EXPECT_THAT(scene.asked, ElementsAre("there/a", "there/b"));
}

TEST(TemplateAccess, WhoMayNotReadATemplateIsToldWhere) {
  Scene scene;
  scene.answer = false;
  const Findings findings = scene.Run(Yaml(kSet));
  EXPECT_THAT(Scene::Paths(findings),
              ElementsAre("spec.template.resourceSharing[2].namespace",
                          "spec.template.cliques[1].resourceSharing[0].namespace",
                          "spec.template.podCliqueScalingGroups[0].resourceSharing[1].namespace"));
  EXPECT_THAT(findings.errors()[0].error.detail, HasSubstr("you may not read"));
}

// Sixteen tries of a server that does not answer would take longer than the API server waits.
TEST(TemplateAccess, WhoCannotBeAskedIsNotAskedAgain) {
  Scene scene;
  scene.answer = UnavailableError("nobody answers");
  const Findings findings = scene.Run(Yaml(kSet));
  EXPECT_THAT(scene.asked, ElementsAre("there/a"));
  EXPECT_EQ(findings.errors().size(), 3U);
}

TEST(TemplateAccess, AWarningIsEnoughWhereThatIsWanted) {
  Scene scene;
  scene.answer = false;
  scene.access.warn_only = true;
  const Findings findings = scene.Run(Yaml(kSet));
  EXPECT_TRUE(findings.ok());
  EXPECT_EQ(findings.warnings().size(), 3U);
}

TEST(TemplateAccess, WhatCannotBeAskedIsDenied) {
  Scene scene;
  scene.answer = UnavailableError("the server is away");
  const Findings findings = scene.Run(Yaml(kSet));
  ASSERT_EQ(findings.errors().size(), 3U);
  EXPECT_THAT(findings.errors()[0].error.detail, HasSubstr("the server is away"));
}

TEST(TemplateAccess, NobodyAsksForThousands) {
  Value set = Yaml(kSet);
  Value entries = Value::Array();
  for (int i = 0; i < 1000; ++i) {
    entries.Append(Value::Object({{"name", "t" + std::to_string(i)}, {"namespace", "there"}}));
  }
  set["spec"]["template"].Set("resourceSharing", std::move(entries));
  Scene scene;
  EXPECT_FALSE(scene.Run(set).ok());
  EXPECT_LE(scene.asked.size(), 16U);
}

TEST(TemplateAccess, AnyObjectIsTaken) {
  Scene scene;
  for (const char* set : {"{}", "[]", "{spec: {template: {resourceSharing: {}}}}",
                          "{spec: {template: {cliques: [7, {resourceSharing: [8]}]}}}"}) {
    EXPECT_TRUE(scene.Run(Yaml(set)).ok()) << set;
  }
  EXPECT_THAT(scene.asked, IsEmpty());
}

}  // namespace
}  // namespace hearth::admission::access

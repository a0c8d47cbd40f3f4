#include "admission/door/door.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admission/door/internal/passage.h"
#include "base/testing/status_matchers.h"
#include "json/yaml.h"

namespace hearth::admission {
namespace {

using json::Value;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

Value Yaml(std::string_view text) {
  auto value = json::ParseYamlDocument(text);
  CHECK(value.ok()) << value.status();
  return *std::move(value);
}

constexpr std::string_view kSnapshot = R"(
apiVersion: nvidia.com/v1alpha1
kind: PodSnapshot
metadata: {name: snap, namespace: default}
spec:
  source: {podRef: {name: pod, containers: [main]}}
)";

std::vector<std::string> Texts(const Admitted& admitted) {
  std::vector<std::string> texts;
  for (const Finding& finding : admitted.errors) {
    texts.push_back(finding.error.ToString());
  }
  return texts;
}

Admitted Create(std::string_view yaml) {
  auto admitted = Admit(Yaml(yaml), {});
  EXPECT_OK(admitted);
  return admitted.ok() ? *std::move(admitted) : Admitted();
}

TEST(Door, AGoodObjectPasses) {
  const Admitted admitted = Create(kSnapshot);
  EXPECT_THAT(Texts(admitted), IsEmpty());
  EXPECT_THAT(admitted.warnings, IsEmpty());
  EXPECT_THAT(admitted.unknown_fields, IsEmpty());
}

TEST(Door, UnknownFieldsFallAwayAndAreTold) {
  Value object = Yaml(kSnapshot);
  object["metadata"].Set("nmae", "x");
  object["spec"].Set("sourcee", 1);
  const auto admitted = Admit(object, {});
  ASSERT_OK(admitted);
  EXPECT_THAT(admitted->unknown_fields, ElementsAre("metadata.nmae", "spec.sourcee"));
  EXPECT_EQ(admitted->object.FindPath("spec.sourcee"), nullptr);
  EXPECT_THAT(Texts(*admitted), IsEmpty());
}

TEST(Door, SchemaDefaultsAreVisible) {
  const Admitted admitted = Create(R"(
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: g, namespace: default}
spec:
  components:
  - name: worker
    type: worker
    podTemplate:
      spec:
        containers: [{name: main, image: x, ports: [{containerPort: 80}]}]
)");
  EXPECT_THAT(Texts(admitted), IsEmpty());
  const Value& component = admitted.object.FindPath("spec.components")->items()[0];
  const Value& container = component.FindPath("podTemplate.spec.containers")->items()[0];
  EXPECT_EQ(container.Find("ports")->items()[0].Find("protocol")->StringOr(""), "TCP");
}

TEST(Door, MetadataAndSchemaAreToldTogetherAndMetadataFirst) {
  const Admitted admitted = Create(R"(
apiVersion: nvidia.com/v1alpha1
kind: PodSnapshot
metadata: {name: Upper, namespace: default}
spec: {source: {podRef: {name: 5, containers: [main]}}}
)");
  const auto texts = Texts(admitted);
  ASSERT_GE(texts.size(), 2u);
  EXPECT_THAT(texts[0], testing::StartsWith("metadata.name: Invalid value: \"Upper\""));
  EXPECT_THAT(texts[1], testing::StartsWith("spec.source.podRef.name: Invalid value: \"integer\""));
}

TEST(Door, WhatIsNoObjectOfOursSaysSo) {
  EXPECT_EQ(Admit(Yaml("[1]"), {}).status().code(), Code::kInvalid);
  EXPECT_EQ(Admit(Yaml("{kind: Pod}"), {}).status().code(), Code::kInvalid);
  EXPECT_EQ(Admit(Yaml("{apiVersion: v1, kind: 5}"), {}).status().code(), Code::kInvalid);
  EXPECT_EQ(Admit(Yaml("{apiVersion: v1, kind: Pod}"), {}).status().code(), Code::kNotFound);
  EXPECT_EQ(Admit(Yaml("{apiVersion: nvidia.com/v1alpha1, kind: PodSnapshot, metadata: 1}"), {})
                .status()
                .code(),
            Code::kInvalid);
}

TEST(Door, AnOldVersionIsWarnedOf) {
  const Admitted admitted = Create(R"(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: g, namespace: default}
spec: {services: {worker: {componentType: 5}}}
)");
  EXPECT_THAT(Texts(admitted.warnings),
              ElementsAre("nvidia.com/v1alpha1 DynamoGraphDeployment is deprecated; use "
                          "nvidia.com/v1beta1 DynamoGraphDeployment"));
}

TEST(Door, TheServerMakesNamesThatAreAskedFor) {
  Value object = Yaml(kSnapshot);
  object["metadata"].Erase("name");
  object["metadata"].Set("generateName", std::string(70, 'a'));
  const auto admitted = Admit(object, {});
  ASSERT_OK(admitted);
  EXPECT_THAT(Texts(*admitted), IsEmpty());
  EXPECT_EQ(admitted->object.FindPath("metadata.name")->string(), std::string(58, 'a') + "xxxxx");
}

TEST(Door, WhatTheServerWritesAnewIsNotHeldAgainstTheRequest) {
  Value object = Yaml(kSnapshot);
  object["metadata"].Set("generation", -1);
  object["metadata"].Set("managedFields", Value::Array({Value::Object()}));
  const auto admitted = Admit(object, {});
  ASSERT_OK(admitted);
  EXPECT_THAT(Texts(*admitted), IsEmpty());
}

TEST(Door, StatusIsNotTakenFromTheRequest) {
  Value object = Yaml(kSnapshot);
  object.Set("status", Yaml("{conditions: none}"));
  const auto created = Admit(object, {});
  ASSERT_OK(created);
  EXPECT_THAT(Texts(*created), IsEmpty());
  EXPECT_EQ(created->object.Find("status"), nullptr);

  Value old = Yaml(kSnapshot);
  old.Set("status", Yaml("{boundSnapshotContentName: content}"));
  const auto updated = Admit(object, {.operation = Operation::kUpdate, .old = &old});
  ASSERT_OK(updated);
  EXPECT_EQ(updated->object.FindPath("status.boundSnapshotContentName")->StringOr(""), "content");
}

TEST(Door, UpdatesAreHeldAgainstWhatIsStored) {
  Value old = Yaml(kSnapshot);
  old["metadata"].Set("uid", "u-1");
  Value changed = Yaml(kSnapshot);
  changed["metadata"].Set("name", "other");
  changed["spec"]["source"]["podRef"].Set("name", "other");
  const auto admitted = Admit(changed, {.operation = Operation::kUpdate, .old = &old});
  ASSERT_OK(admitted);
  const auto texts = Texts(*admitted);
  ASSERT_EQ(texts.size(), 2u) << testing::PrintToString(texts);
  EXPECT_EQ(texts[0], "metadata.name: Invalid value: \"other\": field is immutable");
  EXPECT_THAT(texts[1], testing::HasSubstr("immutable"));
  EXPECT_EQ(admitted->object.FindPath("metadata.uid")->StringOr(""), "u-1");
}

TEST(Door, WhatIsUpdatedIsOfTheSameKind) {
  const Value old = Yaml("{apiVersion: nvidia.com/v7, kind: PodSnapshot}");
  EXPECT_EQ(Admit(Yaml(kSnapshot), {.operation = Operation::kUpdate, .old = &old}).status().code(),
            Code::kInvalid);
}

// Rules of a webhook, seen from the door.
constexpr Rule kNoJam = {"no-jam", "Jam sticks."};

void AddJam(Value& object, const Request& /*request*/) {
  object["metadata"]["annotations"].Set("jam", "yes");
}

void RefuseJam(const Value& object, const Request& request, Findings& findings) {
  const Value* jam = object.FindPath("metadata.annotations.jam");
  if (jam != nullptr) {
    findings.Add(kNoJam, schema::Invalid(schema::FieldPath::Base("metadata").Child("annotations"),
                                         *jam, request.old == nullptr ? "new" : "old"));
    findings.Warn({.path = "metadata.annotations", .text = "sticky"});
  }
}

const KindRules kJamRules{"nvidia.com", "v1alpha1", "PodSnapshot", AddJam, RefuseJam, {&kNoJam}};

Admitted WithJam(Value object, const Request& request = {}) {
  auto admitted = internal::Pass(*api::FindKind("nvidia.com/v1alpha1", "PodSnapshot"), &kJamRules,
                                 std::move(object), request);
  EXPECT_OK(admitted);
  return admitted.ok() ? *std::move(admitted) : Admitted();
}

TEST(Door, RulesSeeWhatTheirDefaultsFilledIn) {
  const Admitted admitted = WithJam(Yaml(kSnapshot));
  EXPECT_EQ(admitted.object.FindPath("metadata.annotations.jam")->StringOr(""), "yes");
  EXPECT_THAT(Texts(admitted), ElementsAre("metadata.annotations: Invalid value: \"yes\": new"));
  EXPECT_EQ(admitted.errors[0].rule, &kNoJam);
  EXPECT_THAT(admitted.warnings, ElementsAre(Warning{"metadata.annotations", "sticky"}));
}

TEST(Door, RulesSeeWhatIsStored) {
  const Value old = Yaml(kSnapshot);
  const Admitted admitted =
      WithJam(Yaml(kSnapshot), {.operation = Operation::kUpdate, .old = &old});
  EXPECT_THAT(Texts(admitted), ElementsAre("metadata.annotations: Invalid value: \"yes\": old"));
}

TEST(Door, EveryStageIsHeardAndTheSchemaFirst) {
  Value object = Yaml(kSnapshot);
  object["metadata"].Set("name", "Upper");
  object["spec"].Set("sourcee", 1);
  const Admitted admitted = WithJam(object);
  ASSERT_EQ(admitted.errors.size(), 2u);
  EXPECT_EQ(admitted.errors[0].error.path, "metadata.name");
  EXPECT_EQ(admitted.errors[0].rule, nullptr);
  EXPECT_EQ(admitted.errors[1].rule, &kNoJam);
  EXPECT_THAT(admitted.unknown_fields, ElementsAre("spec.sourcee"));
}

TEST(Door, RulesAreNotAskedAboutValuesOfTheWrongType) {
  Value object = Yaml(kSnapshot);
  object["spec"].Set("source", 5);
  for (const Finding& finding : WithJam(object).errors) {
    EXPECT_EQ(finding.rule, nullptr) << finding.error.ToString();
  }
}

// What a rule of the schema calls required is of the right type: the webhook is heard as well.
TEST(Door, ARuleOfTheSchemaDoesNotHideThoseOfTheWebhook) {
  const auto set =
      [](const std::string& sharing) {
        return Texts(Create(R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: s, namespace: default}
spec:
  replicas: 1
  template:
    resourceSharing: [)" + sharing +
                            R"(]
    cliques:
    - name: a
      spec:
        roleName: a
        replicas: 1
        minAvailable: 2
        podSpec: {containers: [{name: main, image: i}]}
)"));
      };
  const auto of_webhook = Contains(testing::HasSubstr("minAvailable"));
  EXPECT_THAT(set("{name: t, scope: AllReplicas}"), of_webhook);
  const auto both = set("{name: t, scope: AllReplicas, filter: {}}");
  EXPECT_THAT(both, Contains(testing::HasSubstr("filter: Required value")));
  EXPECT_THAT(both, of_webhook);
  EXPECT_THAT(set("{name: t}"), testing::Not(of_webhook))
      << "what is missing cannot be asked about";
}

TEST(Door, TwiceIsTheSameAsOnce) {
  const Admitted once = WithJam(Yaml(kSnapshot));
  const Admitted twice = WithJam(once.object);
  EXPECT_EQ(once.object, twice.object);
  EXPECT_EQ(Texts(once), Texts(twice));
}

}  // namespace
}  // namespace hearth::admission

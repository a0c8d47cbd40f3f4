#include "grove/render/children.h"

#include <gtest/gtest.h>

#include "controller/pass.h"
#include "grove/render/testing/read.h"

namespace hearth::grove {
namespace {

using json::Value;

constexpr const char* kSet = R"(
metadata: {name: s, namespace: ns, uid: set-uid, labels: {team: blue}}
spec:
  replicas: 2
  template:
    cliqueStartupType: CliqueStartupTypeInOrder
    cliques:
    - name: router
      labels: {tier: gold, app.kubernetes.io/part-of: mine, grove.io/podgang: mine}
      annotations: {note: kept, grove.io/topology-name: t}
      spec:
        roleName: router
        replicas: 3
        minAvailable: 2
        autoScalingConfig:
          minReplicas: 2
          maxReplicas: 5
          metrics:
          - type: Pods
            pods: {metric: {name: m}, target: {type: AverageValue, averageValue: 1000m}}
        podSpec: {containers: [{name: c, image: i}]}
    - name: ldr
      spec: {roleName: ldr, replicas: 1, podSpec: {containers: [{name: c, image: i}]}}
    - name: wkr
      spec:
        roleName: wkr
        replicas: 3
        minAvailable: 1
        podSpec:
          initContainers: [{name: prepare, image: i}]
          containers:
          - name: c
            image: i
            env: [{name: A, value: a}, {name: GROVE_PCSG_INDEX, value: mine}, {name: B, value: b}]
    podCliqueScalingGroups:
    - name: g
      cliqueNames: [ldr, wkr]
      replicas: 3
      minAvailable: 2
      annotations: {for: group}
      scaleConfig: {maxReplicas: 4}
)";

Labels LabelsOf(const Value& object) {
  Labels labels;
  for (const auto& [key, value] : object.FindPath("metadata.labels")->members()) {
    labels[key] = value.string();
  }
  return labels;
}

std::vector<std::string> Texts(const Value& list) {
  std::vector<std::string> texts;
  if (list.IsArray()) {
    for (const Value& item : list.items()) {
      texts.push_back(item.string());
    }
  }
  return texts;
}

void ExpectOwner(const Value& object, const std::string& kind, const std::string& name,
                 const std::string& uid) {
  EXPECT_EQ(At(object, "metadata.ownerReferences"), ReadYaml(R"([{apiVersion: grove.io/v1alpha1,
    kind: )" + kind + ", name: " + name + ", uid: " + uid +
                                                             R"(, controller: true,
    blockOwnerDeletion: true}])"));
}

TEST(Children, OfTheSetAreCalledAfterIt) {
  const SetFacts set = ReadSet(kSet);
  const Value account = RenderServiceAccount(set);
  EXPECT_EQ(At(account, "metadata.name"), Value("s"));
  EXPECT_EQ(At(account, "automountServiceAccountToken"), Value(true));
  EXPECT_EQ(LabelsOf(account), (Labels{{"app.kubernetes.io/name", "s"},
                                       {"app.kubernetes.io/managed-by", "grove-operator"},
                                       {"app.kubernetes.io/part-of", "s"},
                                       {"app.kubernetes.io/component", "pod-service-account"}}));
  ExpectOwner(account, "PodCliqueSet", "s", "set-uid");
  EXPECT_EQ(At(RenderRole(set), "metadata.name"), Value("grove.io:pcs:s"));
  EXPECT_EQ(LabelsOf(RenderRole(set))["app.kubernetes.io/name"], "grove.io-pcs-s");
  EXPECT_EQ(At(RenderRoleBinding(set), "roleRef.name"), Value("grove.io:pcs:s"));
  const Value secret = RenderTokenSecret(set);
  EXPECT_EQ(At(secret, "metadata.name"), Value("s-ic-sat"));
  EXPECT_EQ(*secret.Find("metadata")->Find("annotations"),
            ReadYaml("{kubernetes.io/service-account.name: s}"));
}

TEST(Children, TheServiceHoldsOnlyWhatWeOwn) {
  SetFacts set = ReadSet(kSet);
  const Value service = RenderService(set, 1);
  EXPECT_EQ(At(service, "metadata.name"), Value("s-1"));
  EXPECT_EQ(At(service, "spec"), ReadYaml(R"(
clusterIP: None
publishNotReadyAddresses: true
selector:
  app.kubernetes.io/managed-by: grove-operator
  app.kubernetes.io/part-of: s
  grove.io/podcliqueset-replica-index: "1"
)"));
  set.spec.set_template.headless_service = api::grove::HeadlessService{false};
  EXPECT_EQ(At(RenderService(set, 1), "spec.publishNotReadyAddresses"), Value());
}

TEST(Children, AGroupHasTheTemplatesSizeUntilItIsScaled) {
  const SetFacts set = ReadSet(kSet);
  const auto& group = *set.FindGroup("g");
  const Value made = RenderGroup(set, group, 1, std::nullopt);
  EXPECT_EQ(At(made, "metadata.name"), Value("s-1-g"));
  EXPECT_EQ(At(made, "metadata.annotations"), ReadYaml("{for: group}"));
  EXPECT_EQ(Texts(At(made, "metadata.finalizers")),
            std::vector<std::string>{"grove.io/podcliquescalinggroup.grove.io"});
  EXPECT_EQ(At(made, "spec"), ReadYaml("{replicas: 3, minAvailable: 2, cliqueNames: [ldr, wkr]}"));
  EXPECT_EQ(At(RenderGroup(set, group, 1, 0), "spec.replicas"), Value(0));
}

TEST(Children, ACliqueHasItsTemplateAndItsPlace) {
  const SetFacts set = ReadSet(kSet);
  const Value clique = RenderClique(set, *set.FindClique("router"), 1, "c1-h", std::nullopt);
  EXPECT_EQ(At(clique, "metadata.name"), Value("s-1-router"));
  // What we say wins over the template's own labels.
  EXPECT_EQ(LabelsOf(clique), (Labels{{"tier", "gold"},
                                      {"app.kubernetes.io/name", "s-1-router"},
                                      {"app.kubernetes.io/managed-by", "grove-operator"},
                                      {"app.kubernetes.io/part-of", "s"},
                                      {"app.kubernetes.io/component", "pcs-podclique"},
                                      {"grove.io/podcliqueset-replica-index", "1"},
                                      {"grove.io/podgang", "s-1"},
                                      {"grove.io/pod-template-hash", "c1-h"}}));
  EXPECT_EQ(At(clique, "metadata.annotations"), ReadYaml("{note: kept}"));
  EXPECT_EQ(Texts(At(clique, "metadata.finalizers")),
            std::vector<std::string>{"grove.io/podclique.grove.io"});
  ExpectOwner(clique, "PodCliqueSet", "s", "set-uid");
  EXPECT_EQ(At(clique, "spec.replicas"), Value(3));
  EXPECT_EQ(At(clique, "spec.minAvailable"), Value(2));
  EXPECT_EQ(At(clique, "spec.startsAfter"), Value());
  EXPECT_EQ(At(clique, "spec.podSpec"), ReadYaml("{containers: [{name: c, image: i}]}"));
  EXPECT_EQ(At(RenderClique(set, *set.FindClique("router"), 1, "h", 9), "spec.replicas"), Value(9));
}

TEST(Children, AMemberKnowsItsGroup) {
  const SetFacts set = ReadSet(kSet);
  const GroupFacts group =
      StoredGroup(WithUid(RenderGroup(set, *set.FindGroup("g"), 1, std::nullopt), "group-uid"));
  const Value member = RenderMember(set, group, *set.FindClique("wkr"), 1, "c1-h", std::nullopt);
  EXPECT_EQ(At(member, "metadata.name"), Value("s-1-g-1-wkr"));
  ExpectOwner(member, "PodCliqueScalingGroup", "s-1-g", "group-uid");
  Labels labels = LabelsOf(member);
  EXPECT_EQ(labels["app.kubernetes.io/component"], "pcsg-podclique");
  EXPECT_EQ(labels["grove.io/podcliquescalinggroup"], "s-1-g");
  EXPECT_EQ(labels["grove.io/podcliquescalinggroup-replica-index"], "1");
  EXPECT_EQ(labels["grove.io/podgang"], "s-1");
  EXPECT_FALSE(labels.contains("grove.io/base-podgang"));
  EXPECT_EQ(Texts(At(member, "spec.startsAfter")),
            (std::vector<std::string>{"s-1-g-0-ldr", "s-1-g-1-ldr"}));
  const Value variables = ReadYaml(R"(
- {name: GROVE_PCSG_NAME, valueFrom: {fieldRef: {fieldPath: "metadata.labels['grove.io/podcliquescalinggroup']"}}}
- {name: GROVE_PCSG_TEMPLATE_NUM_PODS, value: "4"}
- {name: GROVE_PCSG_INDEX, valueFrom: {fieldRef: {fieldPath: "metadata.labels['grove.io/podcliquescalinggroup-replica-index']"}}}
)");
  EXPECT_EQ(At(member, "spec.podSpec.initContainers.0.env"), variables);
  Value with_own = variables;
  with_own.Append(ReadYaml("{name: A, value: a}"));
  with_own.Append(ReadYaml("{name: B, value: b}"));
  EXPECT_EQ(At(member, "spec.podSpec.containers.0.env"), with_own);
}

TEST(Children, AMemberBeyondTheMinimumIsInAGangOfItsOwn) {
  const SetFacts set = ReadSet(kSet);
  const GroupFacts group =
      StoredGroup(WithUid(RenderGroup(set, *set.FindGroup("g"), 0, std::nullopt), "group-uid"));
  const Value member = RenderMember(set, group, *set.FindClique("wkr"), 2, "c1-h", std::nullopt);
  EXPECT_EQ(LabelsOf(member)["grove.io/podgang"], "s-0-g-0");
  EXPECT_EQ(LabelsOf(member)["grove.io/base-podgang"], "s-0");
  EXPECT_EQ(Texts(At(member, "spec.startsAfter")), std::vector<std::string>{"s-0-g-2-ldr"});
}

// One port for two protocols is told apart by both.
TEST(Children, WhatIsStoredAsItIsIsNotSentAgain) {
  SetFacts set = ReadSet(kSet);
  auto& clique = set.spec.set_template.cliques[0];
  clique.spec.pod_spec.Find("containers")->items()[0].Set("ports", ReadYaml(R"(
- {containerPort: 53, protocol: TCP}
- {containerPort: 53, protocol: UDP}
)"));
  const json::Blob blob = RenderClique(set, clique, 0, "c1-h", std::nullopt).ToBlob();
  EXPECT_FALSE(controller::NeedsApply(blob.view(), blob.view()));
}

TEST(Children, AutoscalersAreCalledAsWhatTheyScale) {
  const auto autoscalers = RenderAutoscalers(ReadSet(kSet), 1);
  ASSERT_EQ(autoscalers.size(), 2U);
  EXPECT_EQ(At(autoscalers[0], "metadata.name"), Value("s-1-router"));
  // As the server writes it, else it would be sent again and again.
  EXPECT_EQ(At(autoscalers[0], "spec"), ReadYaml(R"(
scaleTargetRef: {apiVersion: grove.io/v1alpha1, kind: PodClique, name: s-1-router}
minReplicas: 2
maxReplicas: 5
metrics:
- type: Pods
  pods: {metric: {name: m}, target: {type: AverageValue, averageValue: "1"}}
)"));
  EXPECT_EQ(At(autoscalers[1], "spec"), ReadYaml(R"(
scaleTargetRef: {apiVersion: grove.io/v1alpha1, kind: PodCliqueScalingGroup, name: s-1-g}
minReplicas: 3
maxReplicas: 4
)"));
}

}  // namespace
}  // namespace hearth::grove

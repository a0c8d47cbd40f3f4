#include "claims/plan.h"

#include <gmock/gmock.h>

#include "base/testing/status_matchers.h"
#include "claims/testing/claim_store.h"
#include "claims/testing/sample_sets.h"
#include "json/yaml.h"

namespace hearth::claims {
namespace {

using json::Value;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kSpec = R"(
replicas: 2
template:
  cliques:
  - name: worker
    resourceSharing: [{name: gpu-shared, scope: AllReplicas}, {name: gpu-mps, scope: PerReplica}]
    spec: {roleName: w, replicas: 2, podSpec: {}}
  - {name: member, spec: {roleName: m, replicas: 1, podSpec: {}}}
  podCliqueScalingGroups:
  - name: sga
    cliqueNames: [member]
    replicas: 2
    resourceSharing: [{name: gpu-shared, scope: AllReplicas}, {name: gpu-mps, scope: PerReplica}]
  resourceClaimTemplates:
  - {name: gpu-shared, templateSpec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: big}}]}}}}
  - {name: gpu-mps, templateSpec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: small}}]}}}}
  resourceSharing: [{name: gpu-shared, scope: AllReplicas}, {name: gpu-mps, scope: PerReplica}]
)";

Value Yaml(const std::string& text) {
  auto value = json::ParseYamlDocument(text);
  EXPECT_OK(value);
  return *std::move(value);
}

auto Problem(const std::string& claim, std::string_view reason, const std::string& words) {
  return AllOf(Field(&ClaimProblem::claim, claim), Field(&ClaimProblem::reason, reason),
               Field(&ClaimProblem::message, HasSubstr(words)));
}

class Plan : public testing::Test {
 protected:
  ClaimPlan PlanFor(const Owner& owner) {
    const auto facts = store_.Facts();
    return PlanClaims(
        owner, set_.parts().resource_claim_templates, facts,
        [&](std::string_view claim) { return in_use_.contains(std::string(claim)); },
        [&](const kube::ObjectKey& key) -> Result<Template> {
          asked_.push_back(key.ToString());
          const auto found = external_.find(key.ToString());
          return found == external_.end() ? NotFoundError("there is none") : Result(found->second);
        });
  }
  ClaimPlan Sync(const Owner& owner) {
    ClaimPlan plan = PlanFor(owner);
    store_.Execute(plan);
    return plan;
  }
  Owner SetWith(int32_t replicas) {
    set_.spec.replicas = replicas;
    return SetOwner(set_);
  }
  Owner Worker(int32_t replicas, const std::set<int32_t>& pods = {}) {
    auto owner = CliqueOwner(set_, SampleClique(set_, 0, "worker", replicas), pods);
    EXPECT_OK(owner);
    return *std::move(owner);
  }
  Owner Group(int32_t replicas) {
    auto owner = GroupOwner(set_, SampleGroup(set_, 0, "sga", replicas));
    EXPECT_OK(owner);
    return *std::move(owner);
  }
  std::string LabelOf(const std::string& claim, const std::string& key) {
    const Value* labels = store_.Find(claim)->FindPath("metadata.labels");
    return labels->Find(key) == nullptr ? "" : labels->Find(key)->string();
  }
  Value OwnersOf(const std::string& claim) {
    return *store_.Find(claim)->FindPath("metadata.ownerReferences");
  }
  // A claim of that name with another controller and without labels.
  void PutForeign(const std::string& name, const std::string& kind, const std::string& owner,
                  const std::string& uid = "foreign-uid") {
    Value claim = Yaml("metadata: {namespace: default}");
    claim["metadata"]["name"] = name;
    claim["metadata"]["ownerReferences"].Append(
        kube::OwnerReference{"grove.io/v1alpha1", kind, owner, uid, true, true}.ToValue());
    store_.Put(std::move(claim));
  }

  grove::SetFacts set_ = SampleSet("my-pcs", kSpec);
  ClaimStore store_;
  std::set<std::string> in_use_;
  std::map<std::string, Template> external_;
  std::vector<std::string> asked_;
};

// RS-E1, RS-P2
TEST_F(Plan, AMissingClaimIsMadeFromItsTemplate) {
  ASSERT_THAT(PlanFor(SetWith(0)).steps, SizeIs(1));
  const ClaimStep step = PlanFor(SetWith(0)).steps[0];
  EXPECT_EQ(step.kind, ClaimStep::Kind::kCreate);
  EXPECT_EQ(step.body, Yaml(R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: my-pcs-all-gpu-shared
  namespace: default
  labels:
    app.kubernetes.io/managed-by: grove-operator
    app.kubernetes.io/part-of: my-pcs
    app.kubernetes.io/component: resource-claim
  annotations: {hearth.dev/claim-template: internal/gpu-shared}
  ownerReferences:
  - {apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, name: my-pcs, uid: my-pcs-uid, controller: true, blockOwnerDeletion: true}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: big}}]}}
)"));
}

// RS-P1, RS-E3, RS-E4
TEST_F(Plan, ASetHasOneForAllAndOneForEachReplica) {
  const ClaimPlan plan = Sync(SetWith(2));
  EXPECT_TRUE(plan.shares);
  EXPECT_EQ(plan.total, 3);
  EXPECT_THAT(store_.Names(),
              ElementsAre("my-pcs-0-gpu-mps", "my-pcs-1-gpu-mps", "my-pcs-all-gpu-shared"));
  EXPECT_EQ(LabelOf("my-pcs-0-gpu-mps", "grove.io/podcliqueset-replica-index"), "0");
  EXPECT_EQ(LabelOf("my-pcs-1-gpu-mps", "grove.io/podcliqueset-replica-index"), "1");
  EXPECT_EQ(LabelOf("my-pcs-all-gpu-shared", "grove.io/podcliqueset-replica-index"), "");
}

// RS-Q1, RS-Q2
TEST_F(Plan, ACliqueHasOneForAllAndOneForEachPod) {
  Sync(Worker(2));
  EXPECT_THAT(store_.Names(), ElementsAre("my-pcs-0-worker-0-gpu-mps", "my-pcs-0-worker-1-gpu-mps",
                                          "my-pcs-0-worker-all-gpu-shared"));
  EXPECT_EQ(LabelOf("my-pcs-0-worker-0-gpu-mps", "grove.io/podclique-pod-index"), "0");
  EXPECT_EQ(LabelOf("my-pcs-0-worker-0-gpu-mps", "grove.io/podclique"), "my-pcs-0-worker");
  EXPECT_EQ(LabelOf("my-pcs-0-worker-all-gpu-shared", "grove.io/podclique"), "my-pcs-0-worker");
  EXPECT_EQ(OwnersOf("my-pcs-0-worker-1-gpu-mps"), Yaml(R"(
- {apiVersion: grove.io/v1alpha1, kind: PodClique, name: my-pcs-0-worker, uid: my-pcs-0-worker-uid, controller: true, blockOwnerDeletion: true}
)"));
}

// Upstream has no such test.
TEST_F(Plan, AGroupHasOneForAllAndOneForEachReplica) {
  Sync(Group(2));
  EXPECT_THAT(store_.Names(), ElementsAre("my-pcs-0-sga-0-gpu-mps", "my-pcs-0-sga-1-gpu-mps",
                                          "my-pcs-0-sga-all-gpu-shared"));
  EXPECT_EQ(LabelOf("my-pcs-0-sga-1-gpu-mps", "grove.io/podcliqueset-replica-index"), "");
}

// RS-P4, RS-Q4
TEST_F(Plan, WhatSharesNothingHasNoClaims) {
  auto owner = CliqueOwner(set_, SampleMember(set_, 0, "sga", 0, "member", 1), {});
  ASSERT_OK(owner);
  const ClaimPlan plan = PlanFor(*owner);
  EXPECT_FALSE(plan.shares);
  EXPECT_THAT(plan.steps, IsEmpty());
  EXPECT_EQ(ClaimsCondition(plan, 1, ""), std::nullopt);
}

// RS-E2: a claim that nobody controls is taken as it is; only what is ours is written.
TEST_F(Plan, AClaimWithoutOwnerIsTakenOverAndItsSpecStays) {
  store_.Put(Yaml(R"(
metadata:
  name: my-pcs-all-gpu-shared
  namespace: default
  labels: {mine: stays, app.kubernetes.io/part-of: other}
  ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: c, uid: c-uid}]
spec: {devices: {requests: [{name: other}]}}
)"));
  const ClaimPlan plan = Sync(SetWith(0));
  ASSERT_THAT(plan.steps, SizeIs(1));
  EXPECT_EQ(plan.steps[0].kind, ClaimStep::Kind::kPatchMetadata);
  EXPECT_EQ(plan.steps[0].body.Find("spec"), nullptr);
  EXPECT_EQ(LabelOf("my-pcs-all-gpu-shared", "mine"), "stays");
  EXPECT_EQ(LabelOf("my-pcs-all-gpu-shared", "app.kubernetes.io/part-of"), "my-pcs");
  EXPECT_EQ(OwnersOf("my-pcs-all-gpu-shared"), Yaml(R"(
- {apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, name: my-pcs, uid: my-pcs-uid, controller: true, blockOwnerDeletion: true}
- {apiVersion: v1, kind: ConfigMap, name: c, uid: c-uid}
)"));
  EXPECT_THAT(PlanFor(SetWith(0)).steps, IsEmpty());
}

// 8.6.10, W2: a claim that upstream made, with allocation, finalizer and foreign keys.
TEST_F(Plan, WhatUpstreamMadeCostsNoWrite) {
  store_.Put(Yaml(R"(
metadata:
  name: my-pcs-0-gpu-mps
  namespace: default
  uid: x
  finalizers: [resource.kubernetes.io/delete-protection]
  labels:
    app.kubernetes.io/managed-by: grove-operator
    app.kubernetes.io/part-of: my-pcs
    app.kubernetes.io/component: resource-claim
    grove.io/podcliqueset-replica-index: "0"
    somebody.else/key: v
  ownerReferences:
  - {apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, name: my-pcs, uid: my-pcs-uid, controller: true, blockOwnerDeletion: true}
spec: {devices: {requests: [{name: of-another-template}]}}
status: {allocation: {devices: {}}, reservedFor: [{resource: pods, name: p, uid: u}]}
)"));
  const ClaimPlan plan = PlanFor(SetWith(1));
  ASSERT_THAT(plan.steps, SizeIs(1));
  EXPECT_EQ(plan.steps[0].name, "my-pcs-all-gpu-shared");
  EXPECT_EQ(plan.total, 2);
  EXPECT_EQ(plan.bound, 1);
  EXPECT_EQ(store_.Facts()[0].consumers, 1U);
}

// An owner that was deleted and made again: its claims are not lost with the former one.
TEST_F(Plan, AClaimOfAFormerOwnerOfTheSameNameIsPointedToTheNewOne) {
  Sync(SetWith(1));
  set_ = SampleSuccessor(set_);
  const ClaimPlan plan = Sync(SetWith(1));
  ASSERT_THAT(plan.steps, SizeIs(2));
  EXPECT_EQ(plan.steps[0].kind, ClaimStep::Kind::kPatchMetadata);
  EXPECT_EQ(plan.steps[0].body.FindPath("metadata.labels"), nullptr) << "labels are right";
  EXPECT_THAT(OwnersOf("my-pcs-0-gpu-mps").items(), SizeIs(1));
  EXPECT_EQ(OwnersOf("my-pcs-0-gpu-mps").items()[0].Find("uid")->string(), "my-pcs-uid-2");
  EXPECT_THAT(PlanFor(SetWith(1)).steps, IsEmpty());
}

// Those of the former one that the new one does not want are left to garbage collection.
TEST_F(Plan, OtherClaimsOfAFormerOwnerAreLeftAlone) {
  Sync(SetWith(3));
  set_ = SampleSuccessor(set_);
  Sync(SetWith(1));
  EXPECT_NE(store_.Find("my-pcs-2-gpu-mps"), nullptr);
}

// W2, 8.6.6
TEST_F(Plan, WhatIsSettledHasNoSteps) {
  for (const Owner& owner : {SetWith(2), Group(2), Worker(2)}) {
    Sync(owner);
  }
  for (const Owner& owner : {SetWith(2), Group(2), Worker(2)}) {
    EXPECT_THAT(PlanFor(owner).steps, IsEmpty());
  }
}

// Only the key that differs is sent.
TEST_F(Plan, ALabelThatSomebodyChangedIsSetBack) {
  Sync(SetWith(1));
  store_.Get("my-pcs-0-gpu-mps")["metadata"]["labels"].Set("grove.io/podcliqueset-replica-index",
                                                           "9");
  const ClaimPlan plan = PlanFor(SetWith(1));
  ASSERT_THAT(plan.steps, SizeIs(1));
  EXPECT_EQ(plan.steps[0].body,
            Value::Object({{"metadata",
                            Value::Object({{"labels", Yaml("{grove.io/podcliqueset-replica-index: "
                                                           "'0'}")},
                                           {"uid", plan.steps[0].uid}})}}));
}

// RS-X1, RS-P3, RS-D1
TEST_F(Plan, ScalingInDeletesWhatIsBeyondAndNothingElse) {
  Sync(SetWith(3));
  const ClaimPlan plan = Sync(SetWith(2));
  ASSERT_THAT(plan.steps, SizeIs(1));
  EXPECT_EQ(plan.steps[0].kind, ClaimStep::Kind::kDelete);
  EXPECT_EQ(plan.steps[0].name, "my-pcs-2-gpu-mps");
  EXPECT_FALSE(plan.steps[0].uid.empty());
  EXPECT_THAT(store_.Names(),
              ElementsAre("my-pcs-0-gpu-mps", "my-pcs-1-gpu-mps", "my-pcs-all-gpu-shared"));
}

// RS-X2
TEST_F(Plan, ScalingToNothingKeepsTheClaimForAll) {
  Sync(SetWith(2));
  Sync(SetWith(0));
  EXPECT_THAT(store_.Names(), ElementsAre("my-pcs-all-gpu-shared"));
}

// RS-X3, RS-D2
TEST_F(Plan, ScalingOutDeletesNothing) {
  Sync(SetWith(1));
  for (const ClaimStep& step : PlanFor(SetWith(5)).steps) {
    EXPECT_EQ(step.kind, ClaimStep::Kind::kCreate);
  }
}

// RS-Q3, RS-Q6
TEST_F(Plan, OfACliqueTouchesNoClaimOfAnother) {
  auto other = CliqueOwner(set_, SampleClique(set_, 1, "worker", 3), {});
  ASSERT_OK(other);
  Sync(*other);
  Sync(SetWith(3));
  Sync(Group(3));
  const size_t others = store_.Names().size();
  Sync(Worker(3));
  const ClaimPlan plan = Sync(Worker(1));
  ASSERT_THAT(plan.steps, SizeIs(2));
  EXPECT_EQ(plan.steps[0].name, "my-pcs-0-worker-1-gpu-mps");
  EXPECT_EQ(plan.steps[1].name, "my-pcs-0-worker-2-gpu-mps");
  EXPECT_THAT(store_.Names(), SizeIs(others + 2));
}

// RS-P6: a set that has nothing left takes along what is its own, and no claim of other levels.
TEST_F(Plan, OfAnOwnerThatSharesNoMoreDeletesItsOwn) {
  Sync(Worker(1));
  Sync(SetWith(2));
  Owner owner = SetWith(2);
  owner.sharing.clear();
  Sync(owner);
  EXPECT_THAT(store_.Names(),
              ElementsAre("my-pcs-0-worker-0-gpu-mps", "my-pcs-0-worker-all-gpu-shared"));
  EXPECT_THAT(PlanFor(owner).steps, IsEmpty());
}

// 8.6.3
TEST_F(Plan, WhatAPodUsesIsDeletedOnlyAfterThePod) {
  Sync(SetWith(2));
  in_use_ = {"my-pcs-1-gpu-mps"};
  EXPECT_THAT(PlanFor(SetWith(1)).steps, IsEmpty());
  in_use_.clear();
  EXPECT_THAT(PlanFor(SetWith(1)).steps, SizeIs(1));
}

// W13, H3: the pod that survives a scaling in keeps its claim.
TEST_F(Plan, APodOfAHigherIndexKeepsItsClaim) {
  Sync(Worker(2));
  EXPECT_THAT(PlanFor(Worker(1, {1})).steps, IsEmpty());
}

// What only looks like ours: no label, or no controller.
TEST_F(Plan, AClaimOfASimilarNameIsLeftAlone) {
  PutForeign("my-pcs-7-gpu-mps", "PodCliqueSet", "my-pcs", "my-pcs-uid");
  store_.Put(Yaml(R"(
metadata:
  name: my-pcs-8-gpu-mps
  namespace: default
  labels:
    app.kubernetes.io/managed-by: grove-operator
    app.kubernetes.io/part-of: my-pcs
    app.kubernetes.io/component: resource-claim
)"));
  Sync(SetWith(1));
  EXPECT_NE(store_.Find("my-pcs-7-gpu-mps"), nullptr);
  EXPECT_NE(store_.Find("my-pcs-8-gpu-mps"), nullptr);
}

// H5, 7.1: two sets of one namespace.
TEST_F(Plan, AClaimOfSomebodyElseIsReportedAndNotTouched) {
  PutForeign("my-pcs-all-gpu-shared", "PodCliqueSet", "other");
  const Value before = *store_.Find("my-pcs-all-gpu-shared");
  const ClaimPlan plan = Sync(SetWith(2));
  EXPECT_THAT(plan.problems, ElementsAre(Problem("my-pcs-all-gpu-shared", kClaimNameConflict,
                                                 "belongs to PodCliqueSet other")));
  EXPECT_THAT(plan.steps, SizeIs(2)) << "the others are made";
  EXPECT_EQ(*store_.Find("my-pcs-all-gpu-shared"), before);
  store_.Remove("my-pcs-all-gpu-shared");
  EXPECT_THAT(Sync(SetWith(2)).problems, IsEmpty()) << "it heals when the other one goes";
  EXPECT_NE(store_.Find("my-pcs-all-gpu-shared"), nullptr);
}

// W10: levels of one set are different owners, too; a name alone does not make it ours.
TEST_F(Plan, AClaimOfAnObjectOfTheSameNameAndAnotherKindIsForeign) {
  PutForeign("my-pcs-0-worker-all-gpu-shared", "PodCliqueScalingGroup", "my-pcs-0-worker");
  EXPECT_THAT(PlanFor(Worker(0)).problems,
              ElementsAre(Problem("my-pcs-0-worker-all-gpu-shared", kClaimNameConflict,
                                  "PodCliqueScalingGroup my-pcs-0-worker")));
}

// H2, W14: out again while the claim of before is being deleted.
TEST_F(Plan, AClaimThatIsBeingDeletedIsAwaitedAndThenMadeAgain) {
  Sync(SetWith(2));
  store_.MarkDeleting("my-pcs-1-gpu-mps");
  EXPECT_THAT(PlanFor(SetWith(1)).steps, IsEmpty()) << "it is not deleted twice";
  const ClaimPlan waiting = Sync(SetWith(2));
  EXPECT_THAT(waiting.steps, IsEmpty());
  EXPECT_THAT(waiting.problems,
              ElementsAre(Problem("my-pcs-1-gpu-mps", kClaimTerminating, "being deleted")));
  store_.Remove("my-pcs-1-gpu-mps");
  const ClaimPlan again = Sync(SetWith(2));
  EXPECT_THAT(again.problems, IsEmpty());
  ASSERT_THAT(again.steps, SizeIs(1));
  EXPECT_EQ(again.steps[0].name, "my-pcs-1-gpu-mps");
}

// H6: deleted by hand, with and without pods that hold it.
TEST_F(Plan, AClaimThatWasDeletedByHandIsMadeAgain) {
  Sync(Worker(1));
  store_.Remove("my-pcs-0-worker-0-gpu-mps");
  EXPECT_THAT(Sync(Worker(1)).steps, SizeIs(1));
  in_use_ = {"my-pcs-0-worker-0-gpu-mps"};
  store_.MarkDeleting("my-pcs-0-worker-0-gpu-mps");
  EXPECT_THAT(PlanFor(Worker(1)).problems,
              ElementsAre(Problem("my-pcs-0-worker-0-gpu-mps", kClaimTerminating, "")));
}

// W16: the template is of use only until the claim is there.
TEST_F(Plan, ATemplateIsAskedForOnlyToCreateAndOnlyOnce) {
  Owner owner = SetWith(3);
  owner.sharing = {{.name = "ext",
                    .name_space = "lib",
                    .scope = api::grove::SharingScope::kPerReplica,
                    .filter = std::nullopt}};
  external_["lib/ext"] = {.identity = "lib/ext/u/1", .metadata = Value(), .spec = Yaml("{a: b}")};
  Sync(owner);
  EXPECT_THAT(asked_, ElementsAre("lib/ext"));
  EXPECT_EQ(store_.Find("my-pcs-2-ext")->Find("spec")->Write(), R"({"a":"b"})");
  external_.clear();
  asked_.clear();
  const ClaimPlan plan = PlanFor(owner);
  EXPECT_THAT(plan.problems, IsEmpty());
  EXPECT_THAT(asked_, IsEmpty());
}

// H4, W16
TEST_F(Plan, ATemplateThatIsMissingIsToldAndStopsNothingElse) {
  Owner owner = SetWith(2);
  owner.sharing.push_back({.name = "late",
                           .name_space = "",
                           .scope = api::grove::SharingScope::kPerReplica,
                           .filter = std::nullopt});
  const ClaimPlan plan = Sync(owner);
  EXPECT_THAT(plan.steps, SizeIs(3));
  EXPECT_THAT(plan.problems,
              ElementsAre(Problem("my-pcs-0-late", kTemplateNotFound, "default/late"),
                          Problem("my-pcs-1-late", kTemplateNotFound, "default/late")));
  EXPECT_THAT(plan.missing_templates, ElementsAre("default/late"));
  external_["default/late"] = {.identity = "default/late/u/1", .metadata = Value(), .spec = {}};
  const ClaimPlan later = Sync(owner);
  EXPECT_THAT(later.problems, IsEmpty());
  EXPECT_THAT(later.steps, SizeIs(2));
}

// W20: replicas that were made of two templates of one name.
TEST_F(Plan, ATemplateThatWasReplacedMeanwhileIsTold) {
  Owner owner = SetWith(1);
  owner.sharing = {{.name = "ext",
                    .name_space = "",
                    .scope = api::grove::SharingScope::kPerReplica,
                    .filter = std::nullopt}};
  external_["default/ext"].identity = "default/ext/u/1";
  Sync(owner);
  owner.indices = {0, 1};
  external_["default/ext"].identity = "default/ext/u/5";
  EXPECT_THAT(PlanFor(owner).replaced_templates, IsEmpty());
  external_["default/ext"].identity = "default/ext/v/9";
  EXPECT_THAT(Sync(owner).replaced_templates, ElementsAre("default/ext"));
  const ClaimPlan settled = PlanFor(owner);
  EXPECT_THAT(settled.steps, IsEmpty());
  EXPECT_THAT(settled.replaced_templates, ElementsAre("default/ext"));
  const auto condition = ClaimsCondition(settled, 1, "");
  EXPECT_EQ(condition->status, "True");
  EXPECT_THAT(condition->message, HasSubstr("default/ext"));
}

// W18
TEST_F(Plan, LabelsAndAnnotationsOfTheTemplateAreHandedOnAndOursWin) {
  Owner owner = Group(0);
  owner.sharing = {{.name = "ext",
                    .name_space = "",
                    .scope = api::grove::SharingScope::kAllReplicas,
                    .filter = std::nullopt}};
  external_["default/ext"] = {.identity = "default/ext/u/1",
                              .metadata = Yaml(R"(
labels:
  team: red
  app.kubernetes.io/part-of: theirs
  grove.io/podcliqueset-replica-index: "0"
annotations: {note: kept, hearth.dev/claim-template: forged}
)"),
                              .spec = {}};
  Sync(owner);
  const std::string claim = "my-pcs-0-sga-all-ext";
  EXPECT_EQ(LabelOf(claim, "team"), "red");
  EXPECT_EQ(LabelOf(claim, "app.kubernetes.io/part-of"), "my-pcs");
  EXPECT_EQ(LabelOf(claim, "grove.io/podcliqueset-replica-index"), "")
      << "it would be taken for a claim of the set";
  EXPECT_EQ(*store_.Find(claim)->FindPath("metadata.annotations"),
            Yaml("{note: kept, hearth.dev/claim-template: default/ext/u/1}"));
}

TEST_F(Plan, AClaimThatCannotHaveItsNameIsNotAttempted) {
  Owner owner = SetWith(0);
  owner.sharing[0].name = std::string(250, 'x');
  const ClaimPlan plan = PlanFor(owner);
  EXPECT_THAT(plan.steps, IsEmpty());
  ASSERT_THAT(plan.problems, SizeIs(1));
  EXPECT_EQ(plan.problems[0].reason, kClaimNameTooLong);
  EXPECT_THAT(asked_, IsEmpty());
  owner.sharing[0].name = "Upper";
  EXPECT_EQ(PlanFor(owner).problems[0].reason, kClaimNameTooLong);
}

// H13: a claim of one level that is missing is nothing to the other levels.
TEST_F(Plan, OfOneLevelDoesNotWaitForAnother) {
  set_.spec.set_template.resource_sharing[0].name = "missing";
  EXPECT_THAT(PlanFor(SetOwner(set_)).problems, SizeIs(1));
  EXPECT_THAT(PlanFor(Group(2)).problems, IsEmpty());
  EXPECT_THAT(PlanFor(Worker(2)).problems, IsEmpty());
}

TEST(ClaimsCondition, IsTrueWhenNothingIsWrong) {
  ClaimPlan plan;
  plan.shares = true;
  plan.total = 2;
  const auto condition = ClaimsCondition(plan, 4, "");
  ASSERT_TRUE(condition);
  EXPECT_EQ(condition->type, "ResourceClaimsReady");
  EXPECT_EQ(condition->status, "True");
  EXPECT_EQ(condition->reason, "AllClaimsReady");
  EXPECT_EQ(condition->observed_generation, 4);
}

// A set that is scaled to nothing shares all the same.
TEST(ClaimsCondition, IsTrueWhenNoClaimIsNeededNow) {
  ClaimPlan plan;
  plan.shares = true;
  EXPECT_EQ(ClaimsCondition(plan, 1, "")->reason, "AllClaimsReady");
}

TEST(ClaimsCondition, TellsTheFirstProblemAndCountsTheOthers) {
  ClaimPlan plan;
  plan.shares = true;
  plan.problems = {{"a", "TemplateNotFound", "first"}};
  EXPECT_EQ(ClaimsCondition(plan, 1, "")->message, "first");
  plan.problems.push_back({"b", "ClaimTerminating", "second"});
  plan.problems.push_back({"c", "ClaimTerminating", "third"});
  const auto condition = ClaimsCondition(plan, 1, "");
  EXPECT_EQ(condition->status, "False");
  EXPECT_EQ(condition->reason, "TemplateNotFound");
  EXPECT_EQ(condition->message, "first (and 2 more)");
}

// H10: a warning, as all claims are there.
TEST(ClaimsCondition, WarnsOfTooManyConsumersAndStaysTrue) {
  ClaimPlan plan;
  plan.shares = true;
  plan.total = 1;
  const auto condition = ClaimsCondition(plan, 1, "300 pods");
  EXPECT_EQ(condition->status, "True");
  EXPECT_EQ(condition->reason, "TooManyConsumers");
  EXPECT_THAT(condition->message, HasSubstr("300 pods"));
  plan.problems = {{"a", "ClaimTerminating", "first"}};
  const auto both = ClaimsCondition(plan, 1, "300 pods");
  EXPECT_EQ(both->status, "False");
  EXPECT_EQ(both->reason, "ClaimTerminating");
  EXPECT_THAT(both->message, HasSubstr("300 pods"));
}

}  // namespace
}  // namespace hearth::claims

// What an API server refuses is told, tried again, and stops nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "controller/side_by_side.h"
#include "grove/model/labels.h"
#include "grove/reconcile/bounds.h"
#include "grove/reconcile/outcome.h"
#include "grove/reconcile/testing/set_rig.h"
#include "json/yaml.h"

namespace hearth::grove {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

const kube::ResourceType& Claims() { return claims::ResourceClaims(claims::ApiVersion::kV1); }

// A router of one pod, and a group of one replica of one worker; a claim for each replica.
constexpr const char* kParts = R"(
    resourceClaimTemplates:
    - {name: inside, templateSpec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}}
    resourceSharing: [{name: inside, scope: PerReplica}]
    cliques:
    - name: router
      spec: {roleName: router, replicas: 1, minAvailable: 1, podSpec: {containers: [{name: main, image: i}]}}
    - name: worker
      spec: {roleName: worker, replicas: 1, minAvailable: 1, podSpec: {containers: [{name: main, image: i}]}}
    podCliqueScalingGroups:
    - {name: gpus, replicas: 1, minAvailable: 1, cliqueNames: [worker]}
)";

constexpr const char* kRouter = "serve-0-router";
constexpr const char* kGpus = "serve-0-gpus";
constexpr const char* kWorker = "serve-0-gpus-0-worker";

// That it will be looked at again without anything else happening.
void ExpectAnotherTry(const Result<controller::Outcome>& outcome) {
  ASSERT_OK(outcome);  // what is Invalid would end the tries
  ASSERT_TRUE(outcome->delay().has_value());
  EXPECT_LE(*outcome->delay(), kRefusedAgain);
}

class Refusals : public testing::Test {
 protected:
  void Make(int replicas = 1) {
    rig_.PutSet(replicas, kParts);
    rig_.Settle();
  }
  std::vector<std::string> Codes(const kube::ResourceType& type, const std::string& name) {
    std::vector<std::string> codes;
    for (const auto& error : rig_.LastErrors(type, name)) {
      codes.push_back(error.code);
    }
    return codes;
  }

  SetRig rig_;
};

TEST_F(Refusals, OfClaimsDoNotHoldTheDeletionOfTheirOwners) {
  Make();
  ASSERT_THAT(rig_.api().All(Claims()), SizeIs(1));
  rig_.Refuse("DELETE", "/resourceclaims/");
  rig_.Delete(PodCliqueSets(), "serve");
  EXPECT_OK(rig_.Set());
  EXPECT_FALSE(rig_.Find(PodCliqueSets(), "serve"));
  EXPECT_THAT(rig_.Events(), Contains(StartsWith("ResourceClaimDeleteFailed: 1 ResourceClaims are "
                                                 "left to garbage collection: ")));
}

TEST_F(Refusals, DuringTheDeletionOfASetAreToldAndTriedAgain) {
  Make();
  rig_.Refuse("DELETE", "/services/");
  rig_.Delete(PodCliqueSets(), "serve");
  ExpectAnotherTry(rig_.Set());
  EXPECT_THAT(Codes(PodCliqueSets(), "serve"), ElementsAre("ERR_SYNC_PODCLIQUESET_SERVICE"));
  EXPECT_THAT(rig_.Condition(PodCliqueSets(), "serve", "ReplicaFailure"),
              StartsWith("True DeniedByAdmission: it cannot be deleted: "));
  rig_.RefuseNothing();
  EXPECT_OK(rig_.Set());
  EXPECT_FALSE(rig_.Find(PodCliqueSets(), "serve"));
}

TEST_F(Refusals, DuringTheDeletionOfAGroupOrACliqueAreToldAndTriedAgain) {
  Make();
  rig_.Delete(PodCliqueScalingGroups(), kGpus);
  rig_.Delete(PodCliques(), kRouter);
  rig_.Refuse("DELETE", "/podcliques/");
  ExpectAnotherTry(rig_.Group(kGpus));
  EXPECT_THAT(Codes(PodCliqueScalingGroups(), kGpus), ElementsAre("ERR_DELETE_PODCLIQUE"));

  rig_.Refuse("PATCH", "/podcliques/serve-0-router?");
  ExpectAnotherTry(rig_.Clique(kRouter));
  EXPECT_THAT(Codes(PodCliques(), kRouter), ElementsAre("ERR_SYNC_FINALIZER"));

  rig_.RefuseNothing();
  EXPECT_OK(rig_.Group(kGpus));
  EXPECT_OK(rig_.Clique(kRouter));
  EXPECT_FALSE(rig_.Find(PodCliqueScalingGroups(), kGpus));
  EXPECT_FALSE(rig_.Find(PodCliques(), kRouter));
}

TEST_F(Refusals, OfAFinalizerAreToldAndTriedAgain) {
  rig_.PutSet(1, kParts);
  rig_.Refuse("PATCH", "/podcliquesets/serve?");
  ExpectAnotherTry(rig_.Set());
  EXPECT_THAT(Codes(PodCliqueSets(), "serve"), ElementsAre("ERR_SYNC_FINALIZER"));
  EXPECT_THAT(rig_.Condition(PodCliqueSets(), "serve", "ReplicaFailure"),
              StartsWith("True DeniedByAdmission: its finalizer cannot be set: "));
  rig_.RefuseNothing();
  rig_.Settle();
  EXPECT_EQ(rig_.Condition(PodCliqueSets(), "serve", "ReplicaFailure"), "");
  EXPECT_THAT(Codes(PodCliqueSets(), "serve"), SizeIs(0));
}

TEST_F(Refusals, OfServicesAndCliquesAreAConditionOfTheirSet) {
  rig_.PutSet(3, kParts);
  rig_.Refuse("POST", "/services");
  ASSERT_OK(rig_.Set());
  ExpectAnotherTry(rig_.Set());
  EXPECT_THAT(rig_.Condition(PodCliqueSets(), "serve", "ReplicaFailure"),
              StartsWith("True DeniedByAdmission: 3 objects could not be written: "));
  EXPECT_THAT(rig_.api().All(PodCliques()), SizeIs(3)) << "they are made all the same";
  rig_.RefuseNothing();
  rig_.Settle();
  EXPECT_EQ(rig_.Condition(PodCliqueSets(), "serve", "ReplicaFailure"), "");
}

TEST_F(Refusals, OfMembersAreAConditionOfTheirGroup) {
  rig_.PutSet(1, kParts);
  ASSERT_OK(rig_.Set());
  ASSERT_OK(rig_.Set());
  rig_.Refuse("POST", "/podcliques");
  ExpectAnotherTry(rig_.Group(kGpus));
  EXPECT_THAT(rig_.Condition(PodCliqueScalingGroups(), kGpus, "ReplicaFailure"),
              StartsWith("True DeniedByAdmission: 1 objects could not be written: "));
  EXPECT_THAT(Codes(PodCliqueScalingGroups(), kGpus), ElementsAre("ERR_SYNC_PODCLIQUE"));
}

TEST_F(Refusals, OfGangsAreToldOfTheirSetAndTriedAgain) {
  Make();
  rig_.Delete(PodGangs(), "serve-0");
  rig_.Refuse("POST", "/podgangs");
  ExpectAnotherTry(rig_.Gang("serve-0"));
  EXPECT_THAT(rig_.Events(),
              Contains(StartsWith("PodGangCreateOrUpdateFailed: PodGang serve-0: ")));
  rig_.RefuseNothing();
  EXPECT_OK(rig_.Gang("serve-0"));
  EXPECT_TRUE(rig_.Find(PodGangs(), "serve-0"));
}

// W16: and the status stays small.
TEST_F(Refusals, OfManyClaimsAreOneErrorAndOfOneClaimStopNoOther) {
  rig_.PutSet(150, kParts);
  rig_.Refuse("POST", "/resourceclaims");
  ASSERT_OK(rig_.Set());
  ExpectAnotherTry(rig_.Set());
  const auto errors = rig_.LastErrors(PodCliqueSets(), "serve");
  ASSERT_THAT(errors, SizeIs(1));
  EXPECT_EQ(errors[0].code, "ERR_SYNC_PCS_RESOURCE_CLAIM");
  EXPECT_THAT(errors[0].description, HasSubstr("denied request: no (and 149 more)"));
}

TEST_F(Refusals, TwoThousandMillionReplicasAreToldAndNotTried) {
  rig_.PutSet(2'000'000'000, R"(
    cliques:
    - name: router
      spec: {roleName: router, replicas: 1, minAvailable: 1, podSpec: {containers: [{name: main, image: i}]}}
)");
  rig_.Refuse("POST", "/podcliques");
  PassNotes notes;
  (void)rig_.Set();
  EXPECT_LE(rig_.refusals(), kMostRefusals + controller::kWritesAtOnce);
  rig_.RefuseNothing();
  NoteTooMany(2'000'000'000, 1, notes);
  ASSERT_TRUE(notes.refused);
  EXPECT_EQ(notes.refused->reason, "TooManyReplicas");
  EXPECT_EQ(notes.refused->message, "2000000000 replicas are asked for; at most 150000 are made");
}

// ---- kubectl delete --cascade=orphan, seen when garbage collection is done with it.

class LetGo : public Refusals {
 protected:
  // The API server shows this object without owners, the caches still with them.
  void LetGoOf(const kube::ResourceType& type, const std::string& name) {
    json::Value object = *rig_.Find(type, name);
    object["metadata"].Erase("ownerReferences");
    rig_.api().Intercept([path = "/" + type.name + "/" + name, body = object.Write()](
                             const http::Request& request) -> std::optional<http::Response> {
      if (request.method != "GET" || !request.target.ends_with(path)) {
        return std::nullopt;
      }
      http::Response answer;
      answer.status = 200;
      answer.headers.Set("Content-Type", "application/json");
      answer.body = body;
      return answer;
    });
  }
  size_t Count(const kube::ResourceType& type) { return rig_.api().All(type).size(); }
};

TEST_F(LetGo, ChildrenOfASetStay) {
  Make();
  LetGoOf(PodCliqueScalingGroups(), kGpus);
  rig_.Delete(PodCliqueSets(), "serve");
  EXPECT_OK(rig_.Set());
  EXPECT_FALSE(rig_.Find(PodCliqueSets(), "serve"));
  EXPECT_EQ(Count(PodCliqueScalingGroups()), 1U);
  EXPECT_EQ(Count(PodCliques()), 2U);
  EXPECT_EQ(Count(kube::types::Pods()), 2U);
  EXPECT_EQ(Count(kube::types::Services()), 1U);
  EXPECT_EQ(Count(Claims()), 1U);
}

TEST_F(LetGo, CliquesOfAGroupAndPodsOfACliqueStay) {
  Make();
  LetGoOf(PodCliques(), kWorker);
  rig_.Delete(PodCliqueScalingGroups(), kGpus);
  EXPECT_OK(rig_.Group(kGpus));
  EXPECT_FALSE(rig_.Find(PodCliqueScalingGroups(), kGpus));
  EXPECT_EQ(Count(PodCliques()), 2U);

  std::string pod;
  for (const json::Value& object : rig_.api().All(kube::types::Pods())) {
    const std::string name = object.FindPath("metadata.name")->StringOr("");
    pod = name.starts_with(kRouter) ? name : pod;
  }
  LetGoOf(kube::types::Pods(), pod);
  rig_.Delete(PodCliques(), kRouter);
  EXPECT_OK(rig_.Clique(kRouter));
  EXPECT_FALSE(rig_.Find(PodCliques(), kRouter));
  EXPECT_EQ(Count(kube::types::Pods()), 2U);
}

// ---- Others who own without controlling.

std::string Owned(const std::string& name, const std::string& uid, const std::string& label,
                  const std::string& metadata = "") {
  return "metadata:\n  name: " + name + "\n  namespace: ns\n  labels: {" + label +
         "}\n  ownerReferences: [{apiVersion: grove.io/v1alpha1, kind: PodClique, name: x, uid: " +
         uid + "}]\n" + metadata + "spec: {}\n";
}

TEST_F(Refusals, WhatAGroupOrACliqueDoesNotControlSurvivesIt) {
  Make();
  const auto uid = [&](const kube::ResourceType& type, const std::string& name) {
    return rig_.Find(type, name)->FindPath("metadata.uid")->StringOr("");
  };
  rig_.Put(PodCliques(), Owned("theirs", uid(PodCliqueScalingGroups(), kGpus), "a: b"));
  rig_.Put(kube::types::Pods(), Owned("theirs", uid(PodCliques(), kRouter), "a: b"));
  EXPECT_OK(rig_.Group(kGpus));
  rig_.Delete(PodCliqueScalingGroups(), kGpus);
  rig_.Delete(PodCliques(), kRouter);
  EXPECT_OK(rig_.Group(kGpus));
  EXPECT_OK(rig_.Clique(kRouter));
  EXPECT_TRUE(rig_.Find(PodCliques(), "theirs"));
  EXPECT_TRUE(rig_.Find(kube::types::Pods(), "theirs"));
}

// A claim that the cache does not show, beside one who owns it.
class UnseenClaim : public Refusals {
 protected:
  void Meet(const std::string& metadata) {
    rig_.PutSet(1, kParts);
    // Until somebody looks for it.
    rig_.api().HoldWatches(true);
    rig_.api().Intercept([this](const http::Request& request) -> std::optional<http::Response> {
      if (request.method == "GET" && request.target.find("/resourceclaims/") != std::string::npos) {
        rig_.api().HoldWatches(false);
      }
      return std::nullopt;
    });
    rig_.api().Put(Claims(),
                   *json::ParseYamlDocument(Owned(kClaim, "their-uid", "a: b", metadata)));
    (void)rig_.Set();
  }
  static constexpr const char* kClaim = "serve-0-inside";
};

TEST_F(UnseenClaim, KeepsItsOtherOwnersWhenItIsAdopted) {
  Meet("");
  const auto owners = rig_.Find(Claims(), kClaim)->FindPath("metadata.ownerReferences")->items();
  ASSERT_THAT(owners, SizeIs(2));
  EXPECT_EQ(owners[0].Find("kind")->StringOr(""), "PodCliqueSet");
  EXPECT_EQ(owners[1].Find("uid")->StringOr(""), "their-uid");
}

TEST_F(UnseenClaim, IsLeftAloneWhileItIsBeingDeleted) {
  Meet("  deletionTimestamp: 2026-01-01T00:00:00Z\n  finalizers: [theirs/one]\n");
  EXPECT_THAT(rig_.Find(Claims(), kClaim)->FindPath("metadata.ownerReferences")->items(),
              SizeIs(1));
  EXPECT_THAT(rig_.Condition(PodCliqueSets(), "serve", "ResourceClaimsReady"),
              HasSubstr("is being deleted"));
}

}  // namespace
}  // namespace hearth::grove

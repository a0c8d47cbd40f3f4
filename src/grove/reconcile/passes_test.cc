// Sets looked at pass by pass.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "grove/reconcile/testing/set_rig.h"
#include "json/yaml.h"

namespace hearth::grove {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

const kube::ResourceType& Claims() { return claims::ResourceClaims(claims::ApiVersion::kV1); }

constexpr const char* kParts = R"(
    resourceClaimTemplates:
    - {name: inside, templateSpec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}}
    resourceSharing: [{name: inside, scope: PerReplica}]
    cliques:
    - name: router
      spec: {roleName: router, replicas: 1, minAvailable: 1, podSpec: {containers: [{name: main, image: i}]}}
)";
constexpr const char* kRouter = "serve-0-router";
constexpr const char* kClaim = "serve-0-inside";

class Passes : public testing::Test {
 protected:
  Passes() {
    rig_.PutSet(1, kParts);
    rig_.Settle();
  }
  std::string UidOf(const kube::ResourceType& type, const std::string& name) {
    const auto object = rig_.Find(type, name);
    return object ? object->FindPath("metadata.uid")->StringOr("") : "nothing";
  }
  // It ran, and has been without its pod for years.
  void BreakRouter() {
    json::Value clique = *rig_.Find(PodCliques(), kRouter);
    clique["metadata"].Set("creationTimestamp", "2020-01-01T00:00:00Z");
    clique["status"].Set("conditions", *json::ParseYamlDocument(R"(
- {type: PodCliqueScheduled, status: "True", reason: r, message: m, lastTransitionTime: "2020-01-01T01:00:00Z"}
- {type: MinAvailableBreached, status: "True", reason: r, message: m, lastTransitionTime: "2020-01-01T02:00:00Z"}
)"));
    rig_.api().Put(PodCliques(), clique);
  }

  SetRig rig_;
};

// H8
TEST_F(Passes, TheClaimsOfASetSurviveTheEndOfAGang) {
  const std::string claim = UidOf(Claims(), kClaim);
  const std::string clique = UidOf(PodCliques(), kRouter);
  BreakRouter();
  for (int i = 0; i < 3; ++i) {
    rig_.Settle();
  }
  EXPECT_NE(UidOf(PodCliques(), kRouter), clique) << "it is made anew";
  EXPECT_THAT(rig_.Events(),
              Contains(StartsWith("PodCliqueSetReplicaDeleteSuccessful: replica 0 is taken away")));
  EXPECT_EQ(UidOf(Claims(), kClaim), claim);
  EXPECT_EQ(rig_.Find(Claims(), kClaim)->FindPath("metadata.deletionTimestamp"), nullptr);
}

// W6
TEST_F(Passes, OverASettledSetTellNothing) {
  const auto events = rig_.Events();
  const size_t writes = rig_.writes();
  rig_.Settle();
  EXPECT_EQ(rig_.writes(), writes);
  EXPECT_EQ(rig_.Events(), events);
}

// W45
TEST_F(Passes, TellThatSharingWorks) {
  EXPECT_THAT(rig_.Condition(PodCliqueSets(), "serve", "ResourceClaimsReady"),
              StartsWith("True AllClaimsReady"));
  EXPECT_THAT(rig_.Events(), Contains(StartsWith("ResourceClaimsCreated: made 1 of 1")));
  EXPECT_THAT(rig_.manager().metrics().Expose(),
              HasSubstr("hearth_grove_claims_created_total{level=\"set\"} 1"));
}

}  // namespace
}  // namespace hearth::grove

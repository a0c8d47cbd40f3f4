#include "grove/render/start_order.h"

#include <gtest/gtest.h>

#include "grove/render/children.h"
#include "grove/render/testing/read.h"

namespace hearth::grove {
namespace {

using Names = std::vector<std::string>;

// A router, then a group of leader and worker, then a metrics clique.
SetFacts Set(const std::string& startup, const std::string& worker_after = "[]",
             const std::string& metrics_after = "[]") {
  return ReadSet(R"(
metadata: {name: s, namespace: ns}
spec:
  replicas: 2
  template:
    cliqueStartupType: CliqueStartupType)" +
                 startup + R"(
    cliques:
    - {name: router, spec: {roleName: router, replicas: 1, podSpec: {}}}
    - {name: ldr, spec: {roleName: ldr, replicas: 1, podSpec: {}}}
    - {name: wkr, spec: {roleName: wkr, replicas: 3, podSpec: {}, startsAfter: )" +
                 worker_after + R"(}}
    - {name: metrics, spec: {roleName: metrics, replicas: 1, podSpec: {}, startsAfter: )" +
                 metrics_after + R"(}}
    podCliqueScalingGroups: [{name: g, cliqueNames: [ldr, wkr], replicas: 4, minAvailable: 2}]
)");
}

Names Of(const SetFacts& set, const std::string& clique, int32_t i,
         std::optional<int32_t> j = std::nullopt) {
  return Parents(set, *set.FindClique(clique), i, j);
}

TEST(StartOrder, InAnyOrderNobodyWaits) {
  const SetFacts set = Set("AnyOrder", "[ldr]", "[router]");
  EXPECT_EQ(Of(set, "wkr", 0, 0), Names{});
  EXPECT_EQ(Of(set, "metrics", 0), Names{});
  EXPECT_FALSE(NeedsTokenSecret(set));
}

TEST(StartOrder, InOrderEachWaitsForTheOneBefore) {
  const SetFacts set = Set("InOrder");
  EXPECT_EQ(Of(set, "router", 0), Names{});
  EXPECT_EQ(Of(set, "ldr", 1, 0), Names{"s-1-router"});
  // In the base gang a clique of a group stands for those of all its replicas there.
  EXPECT_EQ(Of(set, "wkr", 0, 1), (Names{"s-0-g-0-ldr", "s-0-g-1-ldr"}));
  EXPECT_EQ(Of(set, "metrics", 0), (Names{"s-0-g-0-wkr", "s-0-g-1-wkr"}));
  EXPECT_TRUE(NeedsTokenSecret(set));
}

TEST(StartOrder, InAScaledGangOnlyItsOwnReplicaCounts) {
  const SetFacts set = Set("InOrder");
  EXPECT_EQ(Of(set, "ldr", 0, 2), Names{});
  EXPECT_EQ(Of(set, "wkr", 0, 3), Names{"s-0-g-3-ldr"});
}

TEST(StartOrder, ExplicitlyTheyNameWhomTheyWaitFor) {
  const SetFacts set = Set("Explicit", "[router, ldr]", "[wkr, router]");
  EXPECT_EQ(Of(set, "ldr", 0, 0), Names{});
  EXPECT_EQ(Of(set, "wkr", 0, 0), (Names{"s-0-router", "s-0-g-0-ldr", "s-0-g-1-ldr"}));
  EXPECT_EQ(Of(set, "wkr", 0, 2), Names{"s-0-g-2-ldr"});
  EXPECT_EQ(Of(set, "metrics", 1), (Names{"s-1-g-0-wkr", "s-1-g-1-wkr", "s-1-router"}));
}

}  // namespace
}  // namespace hearth::grove

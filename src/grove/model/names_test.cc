#include "grove/model/names.h"

#include <gtest/gtest.h>

namespace hearth::grove {
namespace {

TEST(GroveNames, AreAsUsersAndClientsKnowThem) {
  EXPECT_EQ(ReplicaName("set", 2), "set-2");
  EXPECT_EQ(HeadlessAddress("set", 0, "ns"), "set-0.ns.svc.cluster.local");
  EXPECT_EQ(CliqueName("set", 1, "router"), "set-1-router");
  EXPECT_EQ(GroupName("set", 1, "sga"), "set-1-sga");
  EXPECT_EQ(MemberName("set-1-sga", 3, "worker"), "set-1-sga-3-worker");
  EXPECT_EQ(GroupReplicaName("set-1-sga", 3), "set-1-sga-3");
  EXPECT_EQ(RoleName("set"), "grove.io:pcs:set");
  EXPECT_EQ(TokenSecretName("set"), "set-ic-sat");
  EXPECT_EQ(Hostname("set-1-router", 4), "set-1-router-4");
}

TEST(GroveNames, AScaledGangCountsFromTheMinimumOn) {
  EXPECT_EQ(ScaledGangName("set-0-sga", 2, 2), "set-0-sga-0");
  EXPECT_EQ(ScaledGangName("set-0-sga", 4, 2), "set-0-sga-2");
}

TEST(GroveNames, IndicesAreReadAsTheyAreWritten) {
  EXPECT_EQ(IndexAfter("set-0-w", "set-0-w-12"), 12);
  EXPECT_EQ(IndexAfter("set-0-w", "set-0-w-0"), 0);
  for (const char* text : {"set-0-w", "set-0-w-", "set-0-w-01", "set-0-w-+1", "set-0-w--1",
                           "set-0-w-1a", "set-0-w-2147483648", "set-0-x-1", "set-0-w-1-2"}) {
    EXPECT_EQ(IndexAfter("set-0-w", text), std::nullopt) << text;
  }
}

TEST(GroveNames, ACliqueIsNotTakenForOneWhoseNameEndsAlike) {
  EXPECT_EQ(NameAfter("set", 0, "set-0-prefill-worker"), "prefill-worker");
  EXPECT_EQ(NameAfter("set", 1, "set-0-worker"), std::nullopt);
  EXPECT_EQ(NameAfter("set", 1, "set-10-worker"), std::nullopt);
  EXPECT_EQ(NameAfter("set", 1, "set-1-"), std::nullopt);
}

}  // namespace
}  // namespace hearth::grove

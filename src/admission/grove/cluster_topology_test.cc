#include "admission/grove/cluster_topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admission/grove/testing/rig.h"

namespace hearth::admission::grove {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

json::Value Binding(const std::vector<Edit>& edits = {}) {
  return Edited(Yaml(R"yaml(
apiVersion: grove.io/v1alpha1
kind: ClusterTopologyBinding
metadata: {name: t}
spec:
  levels:
  - {domain: zone, key: topology.kubernetes.io/zone}
  - {domain: rack, key: example.com/rack}
  schedulerTopologyBindings:
  - {schedulerName: kai-scheduler, topologyReference: mine}
)yaml"),
                edits);
}

TEST(ClusterTopology, LevelsDifferInDomainAndKey) {
  EXPECT_THAT(AllErrors(Binding()), IsEmpty());
  EXPECT_THAT(Errors(Binding({{"spec.levels[1].domain", "zone"}})),
              ElementsAre("spec.levels[1].domain: Duplicate value: \"zone\""));
  EXPECT_THAT(Errors(Binding({{"spec.levels[1].key", "topology.kubernetes.io/zone"}})),
              ElementsAre("spec.levels[1].key: Duplicate value: \"topology.kubernetes.io/zone\""));
}

TEST(ClusterTopology, SchedulersAreEnabledKnowTopologyAndStandOnce) {
  const std::string name = "spec.schedulerTopologyBindings[0].schedulerName";
  EXPECT_THAT(
      Errors(Binding({{"spec.schedulerTopologyBindings[1]",
                       "{schedulerName: kai-scheduler, topologyReference: b}"}})),
      ElementsAre(
          "spec.schedulerTopologyBindings[1].schedulerName: Duplicate value: \"kai-scheduler\""));
  EXPECT_THAT(Errors(Binding({{name, "volcano"}})),
              ElementsAre(HasSubstr(name + ": Invalid value: \"volcano\": not enabled")));
  EXPECT_THAT(
      Errors(Binding({{name, "default-scheduler"}})),
      ElementsAre(HasSubstr(
          name + ": Invalid value: \"default-scheduler\": this scheduler has no topologies")));
  Request without;
  without.setup.schedulers = {"default-scheduler"};
  EXPECT_THAT(Errors(Binding(), without), ElementsAre(HasSubstr("enabled are default-scheduler")));
}

TEST(ClusterTopology, TakesAnythingAtAll) {
  for (const char* text : {"[]", "{spec: 3}",
                           "{kind: ClusterTopologyBinding, spec: {levels: [3, {domain: []}, {}], "
                           "schedulerTopologyBindings: [a, {schedulerName: 3}]}}"}) {
    Findings findings;
    CheckClusterTopology(Yaml(text), {}, findings);
    EXPECT_TRUE(findings.ok()) << text;
  }
}

}  // namespace
}  // namespace hearth::admission::grove

// The kinds that a set is turned into: everything in them is read and written back.
#include <gtest/gtest.h>

#include "api/grove/cluster_topology_binding.h"
#include "api/grove/pod_clique.h"
#include "api/grove/pod_clique_scaling_group.h"
#include "api/grove/pod_clique_set.h"
#include "api/grove/pod_gang.h"
#include "base/testing/status_matchers.h"
#include "json/yaml.h"

namespace hearth::api::grove {
namespace {

template <typename T>
T ReadAndWrite(std::string_view yaml) {
  const auto value = json::ParseYamlDocument(yaml);
  EXPECT_OK(value);
  const json::Blob blob = value->ToBlob();
  auto decoded = DecodeAs<T>(blob.view());
  EXPECT_OK(decoded);
  EXPECT_EQ(Encoded(*decoded), *value) << json::WriteYaml(Encoded(*decoded));
  return *std::move(decoded);
}

TEST(PodClique, IsReadAndWritten) {
  const auto spec = ReadAndWrite<PodCliqueSpec>(R"(
roleName: worker
podSpec: {containers: [{name: main, image: x}], newField: 1}
replicas: 0
minAvailable: 0
startsAfter: [x-0-router]
autoScalingConfig:
  minReplicas: 0
  maxReplicas: 4
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization}}}]
)");
  EXPECT_EQ(spec.min_available, 0);
  EXPECT_EQ(spec.auto_scaling->max_replicas, 4);
  const auto status = ReadAndWrite<PodCliqueStatus>(R"(
observedGeneration: 1
replicas: 5
readyReplicas: 0
updatedReplicas: 1
scheduleGatedReplicas: 2
scheduledReplicas: 3
hpaPodSelector: a=b
currentPodCliqueSetGenerationHash: h1
currentPodTemplateHash: h2
updateProgress:
  updateStartedAt: "2026-01-01T00:00:00Z"
  updateEndedAt: "2026-01-01T00:00:01Z"
  podCliqueSetGenerationHash: h3
  podTemplateHash: h4
  readyPodsSelectedToUpdate: {current: p2, completed: [p1]}
resourceClaims: {total: 1, bound: 0, summary: 0/1}
)");
  EXPECT_EQ(status.schedule_gated_replicas, 2);
  EXPECT_EQ(status.update_progress->ready_pods_selected->current, "p2");
}

TEST(PodCliqueScalingGroup, IsReadAndWritten) {
  const auto spec = ReadAndWrite<PodCliqueScalingGroupSpec>(
      "{replicas: 0, minAvailable: 2, cliqueNames: [a, b]}");
  EXPECT_EQ(spec.replicas, 0);
  const auto status = ReadAndWrite<PodCliqueScalingGroupStatus>(R"(
replicas: 3
scheduledReplicas: 2
availableReplicas: 1
updatedReplicas: 0
selector: a=b
observedGeneration: 4
lastErrors: [{code: C, description: d, observedAt: "2026-01-01T00:00:00Z"}]
currentPodCliqueSetGenerationHash: h1
updateProgress:
  updateStartedAt: "2026-01-01T00:00:00Z"
  podCliqueSetGenerationHash: h2
  updatedPodCliquesCount: 1
  totalPodCliquesCount: 2
  readyReplicaIndicesSelectedToUpdate: {current: 0, completed: [1, 2]}
)");
  EXPECT_EQ(status.update_progress->ready_replicas_selected->completed.size(), 2U);
}

// The server fills them in: a status would never be what it was sent as.
TEST(PodCliqueScalingGroup, CountersOfAnUpdateAreWrittenAlsoWhenTheyAreZero) {
  const json::Value progress = Encoded(PodCliqueScalingGroupUpdateProgress());
  ASSERT_NE(progress.Find("updatedPodCliquesCount"), nullptr);
  EXPECT_NE(progress.Find("totalPodCliquesCount"), nullptr);
  const json::Value of_set = Encoded(PodCliqueSetUpdateProgress());
  for (const char* counter :
       {"updatedPodCliquesCount", "totalPodCliquesCount", "updatedPodCliqueScalingGroupsCount",
        "totalPodCliqueScalingGroupsCount"}) {
    EXPECT_NE(of_set.Find(counter), nullptr) << counter;
  }
}

TEST(PodGang, IsReadAndWritten) {
  const auto spec = ReadAndWrite<PodGangSpec>(R"(
podgroups:
- name: x-0-worker
  podReferences: [{namespace: default, name: x-0-worker-abcde}]
  minReplicas: 0
  topologyConstraint: {packConstraint: {required: topology.kubernetes.io/rack}}
topologyConstraint: {packConstraint: {required: a/b, preferred: c/d}}
topologyConstraintGroupConfigs:
- {name: x-0-sga-0, podGroupNames: [x-0-worker], topologyConstraint: {}}
priorityClassName: high
reuseReservationRef: {namespace: default, name: x-1}
)");
  EXPECT_EQ(spec.pod_groups.at(0).pod_references.at(0).name, "x-0-worker-abcde");
  const auto status = ReadAndWrite<PodGangStatus>("{phase: Pending, placementScore: 0.75}");
  EXPECT_EQ(status.phase, "Pending");
}

TEST(ClusterTopologyBinding, IsReadAndWritten) {
  const auto spec = ReadAndWrite<ClusterTopologyBindingSpec>(R"(
levels: [{domain: zone, key: topology.kubernetes.io/zone}, {domain: host, key: kubernetes.io/hostname}]
schedulerTopologyBindings: [{schedulerName: kai-scheduler, topologyReference: t}]
)");
  EXPECT_EQ(spec.levels.at(1).domain, "host");
  const auto status = ReadAndWrite<ClusterTopologyBindingStatus>(R"(
observedGeneration: 2
schedulerTopologyStatuses:
- {schedulerName: kai-scheduler, topologyReference: t, inSync: false,
   schedulerBackendTopologyObservedGeneration: 7, message: levels differ}
)");
  EXPECT_FALSE(status.scheduler_topologies.at(0).in_sync);
}

}  // namespace
}  // namespace hearth::api::grove

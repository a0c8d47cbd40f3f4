#include "api/grove/pod_clique_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/grove/testing/sharing_example.h"
#include "base/testing/status_matchers.h"
#include "json/parse.h"
#include "json/yaml.h"

namespace hearth::api::grove {
namespace {

using ::testing::ElementsAre;

template <typename T>
Result<T> Read(const json::Value& value) {
  const json::Blob blob = value.ToBlob();
  return DecodeAs<T>(blob.view());
}

TEST(PodCliqueSet, ReadsTheExampleAndWritesItBack) {
  const auto object = json::ParseYamlDocument(SharingExample());
  ASSERT_OK(object);
  const json::Value& spec_json = *object->Find("spec");
  const auto spec = Read<PodCliqueSetSpec>(spec_json);
  ASSERT_OK(spec);
  EXPECT_EQ(spec->replicas, 1);
  EXPECT_FALSE(spec->update_strategy.has_value());

  const PodCliqueSetTemplate& set = spec->set_template;
  EXPECT_EQ(set.startup_type, StartupType::kAnyOrder);
  EXPECT_EQ(set.termination_delay, "4h0m0s");
  ASSERT_TRUE(set.headless_service.has_value());
  EXPECT_FALSE(set.headless_service->publish_not_ready_addresses);
  ASSERT_EQ(set.resource_claim_templates.size(), 8U);
  EXPECT_EQ(set.resource_claim_templates[1].name, "int-tpl2");
  EXPECT_NE(set.resource_claim_templates[1].template_spec.FindPath("spec.devices.requests"),
            nullptr);

  ASSERT_EQ(set.resource_sharing.size(), 4U);
  EXPECT_EQ(set.resource_sharing[0].name, "int-tpl5");
  EXPECT_EQ(set.resource_sharing[0].scope, SharingScope::kAllReplicas);
  EXPECT_FALSE(set.resource_sharing[0].filter.has_value());
  EXPECT_EQ(set.resource_sharing[1].scope, SharingScope::kPerReplica);
  EXPECT_THAT(set.resource_sharing[2].filter->child_clique_names, ElementsAre("worker-a"));
  EXPECT_THAT(set.resource_sharing[3].filter->child_scaling_group_names, ElementsAre("sga"));

  ASSERT_EQ(set.cliques.size(), 2U);
  EXPECT_EQ(set.cliques[0].name, "worker-a");
  EXPECT_EQ(set.cliques[0].labels.at("role"), "a");
  EXPECT_EQ(set.cliques[0].resource_sharing[1].name_space, "rs-shared");
  EXPECT_EQ(set.cliques[1].spec.role_name, "worker-b");
  EXPECT_EQ(set.cliques[1].spec.min_available, 1);
  EXPECT_EQ(set.cliques[1].spec.pod_spec.Find("containers")->items().size(), 1U);

  ASSERT_EQ(set.scaling_groups.size(), 1U);
  EXPECT_EQ(set.scaling_groups[0].replicas, 2);
  EXPECT_THAT(set.scaling_groups[0].clique_names, ElementsAre("worker-b"));
  EXPECT_THAT(set.scaling_groups[0].resource_sharing[2].filter->child_clique_names,
              ElementsAre("worker-b"));

  EXPECT_EQ(Encoded(*spec), spec_json) << json::WriteYaml(Encoded(*spec));
}

TEST(PodCliqueSet, WhatUpstreamTellsApartStaysApart) {
  ScalingGroupTemplate group;
  group.replicas = 0;  // not the default
  EXPECT_EQ(Encoded(group).Write(), R"({"name":"","cliqueNames":[],"replicas":0})");
  HeadlessService service{.publish_not_ready_addresses = false};
  EXPECT_EQ(Encoded(service).Write(), R"({"publishNotReadyAddresses":false})");
  EXPECT_EQ(Encoded(PodCliqueSetStatus()).Write(),
            R"({"updatedReplicas":0,"availableReplicas":0})");
}

TEST(PodCliqueSet, ReadsAndWritesAFullStatus) {
  const auto status_json = json::ParseYamlDocument(R"(
observedGeneration: 3
conditions:
- {type: TopologyLevelsUnavailable, status: "False", reason: AllClusterTopologyLevelsAvailable,
   message: "", lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration: 3}
lastErrors: [{code: ERR_CREATE_POD, description: failed, observedAt: "2026-01-01T00:00:00Z"}]
replicas: 2
updatedReplicas: 1
availableReplicas: 2
hpaPodSelector: app.kubernetes.io/part-of=x
podGangStatuses: [{name: x-0, phase: Running}]
currentGenerationHash: c1-abc
updateProgress:
  updateStartedAt: "2026-01-01T00:00:00Z"
  updatedPodCliquesCount: 1
  totalPodCliquesCount: 2
  updatedPodCliqueScalingGroupsCount: 3
  totalPodCliqueScalingGroupsCount: 4
  currentlyUpdating: [{replicaIndex: 0, updateStartedAt: "2026-01-01T00:00:00Z"}]
resourceClaims: {total: 4, bound: 3, summary: 3/4}
)");
  ASSERT_OK(status_json);
  const auto status = Read<PodCliqueSetStatus>(*status_json);
  ASSERT_OK(status);
  EXPECT_EQ(status->last_errors.at(0).code, "ERR_CREATE_POD");
  EXPECT_EQ(status->update_progress->total_scaling_groups, 4);
  EXPECT_EQ(status->resource_claims->summary, "3/4");
  EXPECT_EQ(Encoded(*status), *status_json) << json::WriteYaml(Encoded(*status));
}

TEST(PodCliqueSet, ErrorsNameThePlace) {
  const auto spec =
      json::ParseYamlDocument("template: {resourceSharing: [{name: a, scope: Sometimes}]}");
  ASSERT_OK(spec);
  EXPECT_EQ(Read<PodCliqueSetSpec>(*spec).status().message(),
            "template.resourceSharing[0].scope is \"Sometimes\", expected one of AllReplicas, "
            "PerReplica");
}

TEST(TopologyConstraint, TheDeprecatedNameStillCounts) {
  TopologyConstraint constraint;
  constraint.pack_domain = "rack";
  EXPECT_EQ(constraint.RequiredDomain(), "rack");
  constraint.pack.emplace().preferred = "host";
  EXPECT_EQ(constraint.RequiredDomain(), "rack");
  constraint.pack->required = "zone";
  EXPECT_EQ(constraint.RequiredDomain(), "zone");
}

}  // namespace
}  // namespace hearth::api::grove

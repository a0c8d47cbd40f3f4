#include "dynamo/recovery/replacement.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace hearth::dynamo::recovery {
namespace {

using Decision = ReplacementDecision;

TEST(Replacement, IsDecidedByWhatThePodIs) {
  struct Case {
    const char* what;
    void (*change)(RestoredPodFacts& pod);
    Decision decision;
  };
  const Case cases[] = {
      {"server restarted", [](RestoredPodFacts&) {}, Decision::kReplace},
      {"never restarted", [](RestoredPodFacts& pod) { pod.server_restarts = 0; },
       Decision::kServerFine},
      {"started cold", [](RestoredPodFacts& pod) { pod.restore_target = false; },
       Decision::kNotRestored},
      {"being deleted", [](RestoredPodFacts& pod) { pod.deleting = true; }, Decision::kDeleting},
      {"nobody's", [](RestoredPodFacts& pod) { pod.controlled = false; },
       Decision::kNobodyReplaces},
      {"over", [](RestoredPodFacts& pod) { pod.over = true; }, Decision::kOver},
      {"init container", [](RestoredPodFacts& pod) { pod.server_beside = false; },
       Decision::kNoServer},
  };
  for (const Case& each : cases) {
    RestoredPodFacts pod{.restore_target = true,
                         .deleting = false,
                         .controlled = true,
                         .over = false,
                         .server_beside = true,
                         .server_restarts = 1};
    each.change(pod);
    EXPECT_EQ(DecideReplacement(pod), each.decision) << each.what;
  }
}

RestoredPodFacts Read(const char* text) {
  const auto pod = json::ParseValue(text);
  EXPECT_TRUE(pod.ok()) << pod.status().ToString();
  const json::Blob blob = pod->ToBlob();
  return ReadRestoredPod(blob.view());
}

TEST(Replacement, ReadsTheServerBesideTheEngines) {
  const RestoredPodFacts pod = Read(R"({
    "metadata": {"labels": {"nvidia.com/snapshot-is-restore-target": "true"},
                 "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r",
                                      "uid": "u", "controller": true}]},
    "spec": {"initContainers": [{"name": "first"},
                                {"name": "gms-server", "restartPolicy": "Always"}]},
    "status": {"phase": "Running",
               "initContainerStatuses": [{"name": "first", "restartCount": 7},
                                         {"name": "gms-server", "restartCount": 2}]}})");
  EXPECT_TRUE(pod.restore_target);
  EXPECT_TRUE(pod.controlled);
  EXPECT_FALSE(pod.over);
  EXPECT_TRUE(pod.server_beside);
  EXPECT_EQ(pod.server_restarts, 2);
}

TEST(Replacement, KnowsNoServerWhereNoneRunsOn) {
  const RestoredPodFacts pod = Read(R"({
    "metadata": {"ownerReferences": [{"apiVersion": "v1", "kind": "X", "name": "x", "uid": "u"}]},
    "spec": {"initContainers": [{"name": "gms-server"}]},
    "status": {"phase": "Failed"}})");
  EXPECT_FALSE(pod.restore_target);
  EXPECT_FALSE(pod.controlled);
  EXPECT_TRUE(pod.over);
  EXPECT_FALSE(pod.server_beside);
  EXPECT_EQ(pod.server_restarts, 0);
}

}  // namespace
}  // namespace hearth::dynamo::recovery

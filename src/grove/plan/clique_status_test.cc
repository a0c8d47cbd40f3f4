// Group of the acceptance list: PCLQ status.
#include "grove/plan/clique_status.h"

#include <gtest/gtest.h>

#include "api/grove/constants.h"
#include "grove/plan/internal/conditions.h"
#include "grove/plan/testing/facts.h"

namespace hearth::grove {
namespace {

struct Scene {
  Scene() : set(MakeSet(1)) {
    AddClique(set, "w", 2, 2);
    hashes = MakeHashes(set, 1);
    clique = MakeStandalone(set, 0, "w");
    pods = {MakePod(clique, 0), MakePod(clique, 1)};
  }

  CliqueStatus Make(const PassNotes& notes = {}) {
    const CliqueWorld world{set,     hashes, clique, "w", pods,  {},
                            nullptr, false,  true,   {},  false, At(1000)};
    return MakeCliqueStatus(world, PlanPods(world), notes);
  }

  SetFacts set;
  Hashes hashes;
  CliqueFacts clique;
  std::vector<PodFacts> pods;
};

struct Verdict {
  const char* name;
  void (*change)(Scene& scene);
  const char* scheduled;
  const char* breached;
  const char* reason;
};

class CliqueConditions : public testing::TestWithParam<Verdict> {};

TEST_P(CliqueConditions, Are) {
  Scene scene;
  GetParam().change(scene);
  const CliqueStatus made = scene.Make();
  const auto* scheduled = FindCondition(made.status.conditions, api::grove::kPodCliqueScheduled);
  const auto* breached = FindCondition(made.status.conditions, api::grove::kMinAvailableBreached);
  ASSERT_TRUE(scheduled != nullptr && breached != nullptr);
  EXPECT_EQ(scheduled->status, GetParam().scheduled);
  EXPECT_EQ(breached->status, GetParam().breached);
  EXPECT_EQ(breached->reason, GetParam().reason);
  EXPECT_EQ(breached->last_transition_time, TimeText(1000));
}

INSTANTIATE_TEST_SUITE_P(
    All, CliqueConditions,
    testing::Values(Verdict{"Ready", [](Scene&) {}, "True", "False", "SufficientReadyPods"},
                    Verdict{"Starting",
                            [](Scene& scene) {
                              scene.pods[0].ready = false;
                              scene.pods[0].unstarted = true;
                            },
                            "True", "False", "SufficientReadyPods"},
                    Verdict{"StartedAndNotReady",
                            [](Scene& scene) {
                              scene.pods[0].ready = false;
                              scene.pods[0].started_not_ready = true;
                            },
                            "True", "True", "InsufficientReadyPods"},
                    Verdict{"Crashing",
                            [](Scene& scene) {
                              scene.pods[0].ready = false;
                              scene.pods[0].failed_before = true;
                            },
                            "True", "True", "InsufficientReadyPods"},
                    Verdict{"CrashedOnceAndReady",
                            [](Scene& scene) { scene.pods[0].failed_before = true; }, "True",
                            "False", "SufficientReadyPods"},
                    Verdict{"Failed",
                            [](Scene& scene) {
                              scene.pods[0].ready = false;
                              scene.pods[0].phase = "Failed";
                            },
                            "True", "True", "InsufficientReadyPods"},
                    Verdict{"Unscheduled",
                            [](Scene& scene) { scene.pods[0] = MakePending(scene.clique, 0); },
                            "False", "True", "ScheduledReplicasBelowMinAvailable"},
                    Verdict{"Terminating", [](Scene& scene) { scene.pods[0].id.deleting = true; },
                            "False", "True", "ScheduledReplicasBelowMinAvailable"},
                    Verdict{"NothingWanted",  // W36
                            [](Scene& scene) {
                              scene.clique.replicas = 0;
                              scene.pods.clear();
                            },
                            "True", "False", "SufficientReadyPods"},
                    Verdict{"Updating",
                            [](Scene& scene) {
                              BeginUpdate(scene.set, 2, 0);
                              scene.hashes = MakeHashes(scene.set, 2);
                              scene.clique.template_hash = HashText("w", 2);
                            },
                            "True", "Unknown", "UpdateInProgress"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(CliqueStatus, CountsWhatThePlanLeaves) {
  Scene scene;
  scene.clique.replicas = 3;
  const CliqueStatus made = scene.Make();
  EXPECT_EQ(made.status.replicas, 3);
  EXPECT_EQ(made.status.ready_replicas, 2);
  EXPECT_EQ(made.status.scheduled_replicas, 2);
  EXPECT_EQ(made.status.updated_replicas, 3);
  EXPECT_EQ(made.status.observed_generation, 1);
  EXPECT_EQ(made.status.selector,
            "app.kubernetes.io/managed-by=grove-operator,app.kubernetes.io/part-of=s,"
            "grove.io/podclique=s-0-w");
  scene.clique.place.group = "s-0-g";
  EXPECT_EQ(scene.Make().status.selector, "");
}

TEST(CliqueStatus, TransitionTimesStayWhileTheStatusStays) {
  Scene scene;
  PutCondition(scene.clique.status.conditions, api::grove::kMinAvailableBreached, "False", 7);
  const CliqueStatus made = scene.Make();
  const auto* breached = FindCondition(made.status.conditions, api::grove::kMinAvailableBreached);
  EXPECT_EQ(breached->last_transition_time, TimeText(7));
  EXPECT_EQ(breached->reason, "SufficientReadyPods");
}

TEST(CliqueStatus, ErrorsHoldTheGenerationBackAndAreClearedBySuccess) {  // W30
  Scene scene;
  PassNotes notes;
  notes.errors = {{"ERR_CREATE_POD", "quota", TimeText(1000)}};
  scene.clique.status = scene.Make(notes).status;
  EXPECT_EQ(scene.clique.status.observed_generation, 0);
  EXPECT_TRUE(scene.clique.status.conditions.empty());  // nothing was observed yet
  ASSERT_EQ(scene.clique.status.last_errors.size(), 1U);
  // The same error again is no news.
  notes.errors[0].observed_at = TimeText(2000);
  EXPECT_EQ(scene.Make(notes).status.last_errors[0].observed_at, TimeText(1000));
  const CliqueStatus made = scene.Make();
  EXPECT_TRUE(made.status.last_errors.empty());
  EXPECT_EQ(made.status.observed_generation, 1);
}

TEST(CliqueStatus, ClaimsAreTakenFromThePass) {
  Scene scene;
  PassNotes notes;
  notes.claims = {.type = "ResourceClaimsReady",
                  .status = "False",
                  .reason = "TemplateNotFound",
                  .message = "x",
                  .observed_generation = 1};
  notes.claim_counts = {.total = 2, .bound = 1, .summary = "1/2"};
  scene.clique.status = scene.Make(notes).status;
  EXPECT_TRUE(HasStatus(scene.clique.status.conditions, "ResourceClaimsReady", "False"));
  EXPECT_EQ(scene.clique.status.resource_claims->total, 2);
  EXPECT_EQ(FindCondition(scene.Make().status.conditions, "ResourceClaimsReady"), nullptr);
}

TEST(CliqueStatus, TellsWhenAllScheduledPodsAreLost) {
  Scene scene;
  scene.clique.status.scheduled_replicas = 2;
  EXPECT_TRUE(scene.Make().events.empty());
  scene.pods.clear();
  const CliqueStatus made = scene.Make();
  ASSERT_EQ(made.events.size(), 1U);
  EXPECT_TRUE(made.events[0].warning);
  EXPECT_EQ(made.events[0].reason, "AllScheduledReplicasLost");
  scene.clique.replicas = 0;  // as was asked for
  EXPECT_TRUE(scene.Make().events.empty());
}

TEST(CliqueStatus, HashesAdvanceWhenAllPodsAreOfTheTemplate) {
  Scene scene;
  EXPECT_EQ(scene.Make().status.current_pod_template_hash, HashText("w", 1));
  EXPECT_EQ(scene.Make().status.current_set_generation_hash, HashText("all", 1));
  scene.clique.status = scene.Make().status;
  scene.set.status.current_generation_hash = HashText("all", 2);
  scene.hashes = MakeHashes(scene.set, 2);
  scene.clique.template_hash = HashText("w", 2);
  EXPECT_EQ(scene.Make().status.current_pod_template_hash, HashText("w", 1));
  EXPECT_EQ(scene.Make().status.updated_replicas, 0);
  for (PodFacts& pod : scene.pods) {
    pod.template_hash = HashText("w", 2);
  }
  EXPECT_EQ(scene.Make().status.current_pod_template_hash, HashText("w", 2));
  EXPECT_EQ(scene.Make().status.current_set_generation_hash, HashText("all", 2));
}

TEST(CliqueStatus, HashesOfAnotherOperatorCountAndStay) {  // takeover
  Scene scene;
  scene.hashes.aliases = {{HashText("w", 1), "bcdf"}, {HashText("all", 1), "ghjk"}};
  scene.clique.template_hash = "bcdf";
  scene.clique.status.current_pod_template_hash = "bcdf";
  scene.clique.status.current_set_generation_hash = "ghjk";
  for (PodFacts& pod : scene.pods) {
    pod.template_hash = "bcdf";
  }
  const CliqueStatus made = scene.Make();
  EXPECT_EQ(made.status.updated_replicas, 2);
  EXPECT_EQ(made.status.current_pod_template_hash, "bcdf");
  EXPECT_EQ(made.status.current_set_generation_hash, "ghjk");
}

}  // namespace
}  // namespace hearth::grove

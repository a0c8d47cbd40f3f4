#include "admission/grove/claim_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admission/grove/testing/rig.h"
#include "api/grove/testing/sharing_example.h"

namespace hearth::admission::grove {
namespace {

using json::Value;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr size_t kAll = 1000;

Value Example(const std::vector<Edit>& edits = {}) {
  return Edited(Yaml(api::grove::SharingExample()), edits);
}

// The set S12 of upstream's end-to-end test.
TEST(ClaimNames, AreUpstreams) {
  EXPECT_THAT(
      ClaimNames(Example(), kAll),
      UnorderedElementsAre("rs-test-all-int-tpl5", "rs-test-0-ext-tpl", "rs-test-0-int-tpl",
                           "rs-test-all-int-tpl7", "rs-test-0-worker-a-0-int-tpl4",
                           "rs-test-0-worker-a-all-ext-ns-tpl", "rs-test-0-sga-all-int-tpl2",
                           "rs-test-0-sga-0-int-tpl3", "rs-test-0-sga-1-int-tpl3",
                           "rs-test-0-sga-all-int-tpl8", "rs-test-0-sga-0-worker-b-all-int-tpl6",
                           "rs-test-0-sga-1-worker-b-all-int-tpl6"));
}

TEST(ClaimNames, FollowTheReplicasOfEveryLevel) {
  EXPECT_EQ(ClaimNames(Example({{"spec.replicas", "2"}}), kAll).size(), 22U);
  EXPECT_EQ(
      ClaimNames(Example({{"spec.template.podCliqueScalingGroups[0].replicas", "3"}}), kAll).size(),
      14U);
  EXPECT_THAT(ClaimNames(Example({{"spec.template.cliques[0].spec.replicas", "2"}}), kAll),
              ::testing::Contains("rs-test-0-worker-a-1-int-tpl4"));
  EXPECT_THAT(ClaimNames(Example({{"spec.replicas", "0"}}), kAll),
              ElementsAre("rs-test-all-int-tpl5", "rs-test-all-int-tpl7"));
  EXPECT_EQ(ClaimNames(Example({{"spec.replicas", "2147483647"}}), kAll).size(), kAll);
}

// A set p with a clique w and a group g of clique m, and what shares which templates.
Value Small(const char* of_set, const char* of_group, const char* of_clique) {
  return Edited(Yaml(R"yaml(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: p}
spec:
  replicas: 1
  template:
    terminationDelay: 1h
    cliques:
    - {name: w, spec: {roleName: w, replicas: 1, minAvailable: 1, podSpec: {}}}
    - {name: m, spec: {roleName: m, replicas: 1, minAvailable: 1, podSpec: {}}}
    podCliqueScalingGroups:
    - {name: g, cliqueNames: [m], replicas: 1, minAvailable: 1}
)yaml"),
                {{"spec.template.resourceSharing", of_set},
                 {"spec.template.podCliqueScalingGroups[0].resourceSharing", of_group},
                 {"spec.template.cliques[1].resourceSharing", of_clique}});
}

// W10.
TEST(ClaimNames, ThatCollideWithinASetAreRefused) {
  const std::string of_group =
      "spec.template.podCliqueScalingGroups[0].resourceSharing[0].name: Invalid value: ";
  EXPECT_THAT(Errors(Small("[{name: g-all-gpu, scope: PerReplica}]",
                           "[{name: gpu, scope: AllReplicas}]", "[]")),
              ElementsAre(of_group + "\"gpu\": claims would be named 'p-<index>-g-all-gpu', and so "
                                     "would those of spec.template.resourceSharing[0]"));
  // Only for some index: p-0-g-7-gpu.
  EXPECT_THAT(Errors(Small("[{name: g-7-gpu, scope: PerReplica}]",
                           "[{name: gpu, scope: PerReplica}]", "[]")),
              ElementsAre(HasSubstr(of_group)));
  // A group's template that looks like a clique's claim.
  EXPECT_THAT(Errors(Small("[]", "[{name: m-all-x, scope: PerReplica}]",
                           "[{name: x, scope: AllReplicas}]")),
              ElementsAre(HasSubstr(
                  "spec.template.cliques[1].resourceSharing[0].name: Invalid value: \"x\"")));
  EXPECT_THAT(Errors(Small("[{name: g-3-m-4-x, scope: PerReplica}]",
                           "[{name: m-5-x, scope: PerReplica}]", "[{name: x, scope: PerReplica}]")),
              ElementsAre(HasSubstr("cliques[1].resourceSharing[0].name")));
}

TEST(ClaimNames, ThatOnlyLookAlikeAreFine) {
  EXPECT_THAT(Errors(Small("[{name: gpu, scope: PerReplica}]", "[{name: gpu, scope: PerReplica}]",
                           "[{name: gpu, scope: PerReplica}]")),
              IsEmpty());
  EXPECT_THAT(Errors(Small("[{name: gpu, scope: AllReplicas}]", "[{name: gpu, scope: AllReplicas}]",
                           "[{name: gpu, scope: AllReplicas}]")),
              IsEmpty());
  EXPECT_THAT(Errors(Small("[{name: g-all-gpu, scope: AllReplicas}]",
                           "[{name: gpu, scope: AllReplicas}]", "[]")),
              IsEmpty());
  EXPECT_THAT(Errors(Small("[{name: g-07-gpu, scope: PerReplica}]",
                           "[{name: gpu, scope: PerReplica}]", "[]")),
              IsEmpty());
  EXPECT_THAT(Errors(Small("[{name: g-x-gpu, scope: PerReplica}]",
                           "[{name: gpu, scope: PerReplica}]", "[]")),
              IsEmpty());
}

// W10: a clique and a group of the same name share claim names only when both share that template.
TEST(ClaimNames, OfACliqueAndAGroupOfTheSameNameCollideOnlyWhenTheyShareATemplate) {
  const auto same_name = [](const char* of_clique) {
    return Edited(Small("[]", "[{name: gpu, scope: AllReplicas}]", "[]"),
                  {{"spec.template.cliques[0].name", "g"},
                   {"spec.template.cliques[0].resourceSharing", of_clique}});
  };
  EXPECT_THAT(Errors(same_name("[{name: nic, scope: AllReplicas}]")), IsEmpty());
  EXPECT_THAT(Errors(same_name("[{name: gpu, scope: AllReplicas}]")),
              ElementsAre(HasSubstr("spec.template.cliques[0].resourceSharing[0].name")));
}

TEST(ClaimNames, MustBeDnsNamesWhateverTheIndex) {
  const std::string path = "spec.template.resourceSharing[0].name: Invalid value";
  EXPECT_THAT(Errors(Small("[{name: Gpu_1, scope: AllReplicas}]", "[]", "[]")),
              ElementsAre(HasSubstr(path)));
  EXPECT_THAT(Errors(Small("[{name: -, scope: AllReplicas}]", "[]", "[]")),
              ElementsAre(HasSubstr(path)));
  // "p-", ten digits and a dash before it.
  const auto entry = [](size_t length) {
    return "[{name: " + std::string(length, 'a') + ", scope: PerReplica}]";
  };
  EXPECT_THAT(Errors(Small(entry(240).c_str(), "[]", "[]")), IsEmpty());
  EXPECT_THAT(
      Errors(Small(entry(241).c_str(), "[]", "[]")),
      ElementsAre(::testing::AllOf(HasSubstr(path), HasSubstr("must be no more than 253"))));
}

// W11: pods get a shortened name for such claims; the user is told.
TEST(ClaimNames, ThatPodsCannotUseAreWarnedOf) {
  const auto warnings = [](const std::string& name) {
    return Warnings(Small(("[{name: " + name + ", scope: AllReplicas}]").c_str(), "[]", "[]"));
  };
  EXPECT_THAT(warnings(std::string(57, 'a')), IsEmpty());  // p-all- and 57: 63
  EXPECT_THAT(
      warnings(std::string(58, 'a')),
      ElementsAre(HasSubstr("spec.template.resourceSharing[0]: claims such as 'p-all-aaa")));
  EXPECT_THAT(warnings("a.b"), ElementsAre(HasSubstr("'p-all-a.b'")));
}

TEST(ObjectNames, OfPodCliquesMustNotCollide) {
  const Value set = Edited(Small("[]", "[]", "[]"), {{"spec.template.cliques[0].name", "g-2-m"}});
  EXPECT_THAT(
      Errors(set),
      ElementsAre(HasSubstr(
          "spec.template.cliques[1].name: Invalid value: \"m\": its PodCliques would be named "
          "'p-<index>-g-<index>-m', and so would those of spec.template.cliques[0]")));
  EXPECT_THAT(Errors(Edited(Small("[]", "[]", "[]"), {{"spec.template.cliques[0].name", "g-x-m"}})),
              IsEmpty());
}

TEST(ObjectNames, OfAutoscalersMustNotCollide) {
  const char* scaling = "{minReplicas: 1, maxReplicas: 2}";
  const Value same = Edited(Small("[]", "[]", "[]"), {{"spec.template.cliques[0].name", "g"}});
  EXPECT_THAT(Errors(same), IsEmpty());
  const Edit of_group{"spec.template.podCliqueScalingGroups[0].scaleConfig", scaling};
  const Edit of_clique{"spec.template.cliques[0].spec.autoScalingConfig", scaling};
  EXPECT_THAT(Errors(Edited(same, {of_group})), IsEmpty());
  const Value both = Edited(same, {of_group, of_clique});
  EXPECT_THAT(
      Errors(both),
      ElementsAre(HasSubstr(
          "spec.template.podCliqueScalingGroups[0].name: Invalid value: \"g\": its autoscalers")));
  // A change must not bring it about, and what has it already stays changeable.
  EXPECT_THAT(UpdateErrors(both, Edited(same, {of_group})),
              ElementsAre(HasSubstr("its autoscalers")));
  EXPECT_THAT(UpdateErrors(both, both), IsEmpty());
}

// Objects that upstream admitted can still be changed: their names cannot be repaired.
TEST(ClaimNames, ThatCollidedBeforeDoNotStopAnUpdate) {
  const Value set =
      Small("[{name: g-all-gpu, scope: PerReplica}]", "[{name: gpu, scope: AllReplicas}]", "[]");
  EXPECT_THAT(Errors(set), ::testing::SizeIs(1));
  EXPECT_THAT(UpdateErrors(Edited(set, {{"spec.replicas", "3"}}), set), IsEmpty());
}

}  // namespace
}  // namespace hearth::admission::grove

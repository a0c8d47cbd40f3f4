#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admission/grove/testing/rig.h"

namespace hearth::admission::grove {
namespace {

using json::Value;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::vector<std::string> Changed(const std::vector<Edit>& edits, const Value& old = GoodSet()) {
  return UpdateErrors(Edited(old, edits), old);
}

TEST(Updates, OfWhatIsFixedAreRefused) {
  const std::string clique = "spec.template.cliques[1]";
  const std::string group = "spec.template.podCliqueScalingGroups[0]";
  const std::string immutable = "field is immutable";
  const struct {
    std::vector<Edit> edits;
    std::vector<std::string> errors;
  } cases[] = {
      {{{clique + ".spec.roleName", "new"}},
       {clique + ".spec.roleName: Invalid value: \"new\": " + immutable}},
      {{{clique + ".spec.minAvailable", "2"}, {clique + ".spec.replicas", "2"}},
       {clique + ".spec.minAvailable: Invalid value: 2: " + immutable}},
      {{{clique + ".spec.startsAfter", "[]"}},
       {clique + ".spec.startsAfter: Invalid value: []: " + immutable}},
      {{{clique + ".spec.startsAfter", nullptr}},
       {clique + ".spec.startsAfter: Invalid value: null: " + immutable}},
      {{{clique + ".spec.podSpec.schedulerName", "default-scheduler"}},
       {clique +
        ".spec.podSpec.schedulerName: Invalid value: \"default-scheduler\": " + immutable}},
      {{{group + ".cliqueNames", "[work, lead]"}},
       {group + ".cliqueNames: Invalid value: [\"work\",\"lead\"]: " + immutable}},
      {{{group + ".minAvailable", "2"}, {group + ".scaleConfig.minReplicas", "2"}},
       {group + ".minAvailable: Invalid value: 2: " + immutable}},
      {{{"spec.template.cliqueStartupType", "CliqueStartupTypeAnyOrder"}},
       {"spec.template.cliqueStartupType: Invalid value: \"CliqueStartupTypeAnyOrder\": " +
        immutable}},
      {{{"metadata.annotations.'grove.io/mnnvl-group'", "none"}},
       {"metadata.annotations[grove.io/mnnvl-group]: Invalid value: \"none\": " + immutable}},
      {{{clique + ".annotations.'grove.io/mnnvl-group'", "none"}},
       {clique + ".annotations[grove.io/mnnvl-group]: Invalid value"}},
      {{{group + ".annotations.'grove.io/mnnvl-group'", "none"}},
       {group + ".annotations[grove.io/mnnvl-group]: Invalid value"}},
      {{{"spec.template.cliques[4]",
         "{name: new, spec: {roleName: new, replicas: 1, minAvailable: 1, podSpec: {}}}"}},
       {"spec.template.cliques: Forbidden: not allowed to change clique composition: there were 4 "
        "and are 5",
        "spec.template.cliques[4].name: Forbidden: not allowed to change clique composition: 'new' "
        "is new"}},
      {{{"spec.template.cliques[3].name", "new"},
        {group + ".cliqueNames[1]", "new"},
        {group + ".resourceSharing", "[]"},
        {"spec.template.resourceSharing", "[]"}},
       {"spec.template.cliques[3].name: Forbidden: not allowed to change clique composition: 'new' "
        "is new",
        group + ".cliqueNames: Invalid value"}},
      {{{"spec.template.podCliqueScalingGroups[1]",
         "{name: new, cliqueNames: [side], replicas: 1, minAvailable: 1}"}},
       {"spec.template.podCliqueScalingGroups: Forbidden: not allowed to add or remove "
        "PodCliqueScalingGroups",
        "spec.template.podCliqueScalingGroups[1].name: Forbidden: not allowed to change scaling "
        "group composition: 'new' is new"}},
      {{{"spec.template.podCliqueScalingGroups", "[]"}, {"spec.template.resourceSharing", "[]"}},
       {"spec.template.podCliqueScalingGroups: Forbidden: not allowed to add or remove "
        "PodCliqueScalingGroups"}},
      {{{group + ".name", "new"}, {"spec.template.resourceSharing", "[]"}},
       {group + ".name: Forbidden: not allowed to change scaling group composition: 'new' is new"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.edits.front().path);
    std::vector<::testing::Matcher<std::string>> expected;
    for (const std::string& error : c.errors) {
      expected.push_back(StartsWith(error));
    }
    EXPECT_THAT(Changed(c.edits), ElementsAreArray(expected));
  }
}

TEST(Updates, OfTheRestAreFine) {
  const std::string clique = "spec.template.cliques[0]";
  const std::string group = "spec.template.podCliqueScalingGroups[0]";
  const std::vector<Edit> edits = {
      {"metadata.labels.a", "b"},
      {"spec.replicas", "7"},
      {"spec.updateStrategy.type", "OnDelete"},
      {"spec.template.priorityClassName", "high"},
      {"spec.template.terminationDelay", "2h"},
      {"spec.template.headlessServiceConfig.publishNotReadyAddresses", "false"},
      {clique + ".labels.a", "b"},
      {clique + ".annotations.a", "b"},
      {clique + ".spec.replicas", "3"},
      {clique + ".spec.autoScalingConfig.maxReplicas", "9"},
      {clique + ".spec.podSpec.containers[0].image", "front:2"},
      {clique + ".spec.podSpec.schedulerName", "''"},
      {group + ".annotations.a", "b"},
      {group + ".replicas", "3"},
      {group + ".scaleConfig.maxReplicas", "5"},
      {"spec.template.cliques[0].spec.startsAfter", "[]"},
  };
  for (const Edit& edit : edits) {
    EXPECT_THAT(Changed({edit}), IsEmpty()) << edit.path;
  }
  EXPECT_THAT(Changed(edits), IsEmpty());
}

Value Swapped(Value set, size_t a, size_t b) {
  auto& cliques = set.MakePath("spec.template").Find("cliques")->items();
  std::swap(cliques[a], cliques[b]);
  return set;
}

TEST(Updates, KeepTheOrderOfCliquesWhereItMeansSomething) {
  for (const char* type : {"CliqueStartupTypeExplicit", "CliqueStartupTypeInOrder"}) {
    const Value old = Edited(GoodSet(), {{"spec.template.cliqueStartupType", type}});
    EXPECT_THAT(UpdateErrors(Swapped(old, 0, 1), old),
                ElementsAre(HasSubstr("spec.template.cliques[0].name: Invalid value: \"side\": "
                                      "clique order cannot be changed when "
                                      "StartupType is InOrder or Explicit: 'front' was here"),
                            HasSubstr("spec.template.cliques[1].name: Invalid value: \"front\"")));
  }
  const Value any =
      Edited(GoodSet(), {{"spec.template.cliqueStartupType", "CliqueStartupTypeAnyOrder"}});
  EXPECT_THAT(UpdateErrors(Swapped(any, 0, 1), any), IsEmpty());
  // Fields are compared by name, wherever the clique went.
  EXPECT_THAT(
      UpdateErrors(Edited(Swapped(any, 0, 1), {{"spec.template.cliques[0].spec.roleName", "x"}}),
                   any),
      ElementsAre(HasSubstr("spec.template.cliques[0].spec.roleName")));
}

TEST(Updates, AreLookedAtOnlyWhenTheSetItselfIsFine) {
  EXPECT_THAT(Changed({{"spec.replicas", "-1"}, {"spec.template.cliques[1].spec.roleName", "new"}}),
              ElementsAre(HasSubstr("spec.replicas: Invalid value")));
}

TEST(Updates, ComparePlainNumbersByValue) {
  EXPECT_THAT(Changed({{"spec.template.cliques[1].spec.minAvailable", "1.0"}}), IsEmpty());
}

// Whoever takes finalizers off must get through, whatever the rules are by now.
TEST(Updates, OfWhatIsBeingDeletedAreNotLookedAt) {
  const std::vector<Edit> faults = {{"spec.replicas", "-1"}, {"spec.template.cliques", "[]"}};
  const Value going = Edited(GoodSet(), {{"metadata.deletionTimestamp", "'2026-01-01T00:00:00Z'"}});
  EXPECT_THAT(UpdateErrors(Edited(going, faults), going), IsEmpty());
  EXPECT_THAT(UpdateErrors(Edited(going, faults), GoodSet()), ::testing::Not(IsEmpty()));
}

const std::string kSet = "spec.template.topologyConstraint";
const std::string kGroup = "spec.template.podCliqueScalingGroups[0].topologyConstraint";
const std::string kClique = "spec.template.cliques[1].topologyConstraint";
const char* const kNamed = "{topologyName: t, pack: {required: rack}}";

TEST(TopologyUpdates, AreRefused) {
  const Value old = Edited(GoodSet(), {{kSet, kNamed}, {kGroup, kNamed}});
  const struct {
    std::vector<Edit> edits;
    std::string error;
  } cases[] = {
      {{{kSet + ".topologyName", "u"}}, kSet + ".topologyName: Forbidden: field is immutable"},
      {{{kSet + ".pack.required", "host"}}, kSet + ": Forbidden: field is immutable"},
      {{{kSet + ".pack.preferred", "host"}}, kSet + ": Forbidden"},
      {{{kSet, "{topologyName: t, packDomain: rack}"}}, kSet + ": Forbidden"},
      {{{kSet, nullptr}}, kSet + ".topologyName: Forbidden"},
      {{{kGroup, nullptr}}, kGroup + ".topologyName: Forbidden"},
      {{{kClique, kNamed}}, kClique + ".topologyName: Forbidden"},
      {{{kClique, "{pack: {required: host}}"}}, kClique + ": Forbidden"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(Changed(c.edits, old), ElementsAre(HasSubstr(c.error))) << c.edits[0].path;
  }
  EXPECT_THAT(UpdateErrors(old, old), IsEmpty());
}

TEST(TopologyUpdates, MayBringOldConstraintsUpToDate) {
  const Value old = Edited(GoodSet(), {{kSet, "{topologyName: t, packDomain: rack}"}});
  const Value unnamed = Edited(GoodSet(), {{kSet, "{packDomain: rack}"}});
  EXPECT_THAT(Changed({{kSet, kNamed}}, old), IsEmpty());
  EXPECT_THAT(Changed({{kSet, "{topologyName: t, pack: {required: host}}"}}, old),
              ElementsAre(HasSubstr(kSet + ": Forbidden")));
  // A repair is no occasion to take another topology.
  EXPECT_THAT(Changed({{kSet, "{topologyName: u, pack: {required: rack}}"}}, old),
              ElementsAre(HasSubstr(kSet + ".topologyName: Forbidden: field is immutable: cannot "
                                           "be changed from 't' to 'u'")));
  EXPECT_THAT(Changed({{kSet, "{pack: {required: rack}}"}}, old),
              ElementsAre(HasSubstr(kSet + ".topologyName: Forbidden")));
  EXPECT_THAT(Changed({{kSet, "{topologyName: t, pack: {preferred: rack}}"}}, old),
              ElementsAre(HasSubstr(kSet + ": Forbidden")));
  EXPECT_THAT(Changed({{kSet, "{topologyName: t, packDomain: rack}"}}, unnamed), IsEmpty());
  EXPECT_THAT(Changed({{kSet, kNamed}}, unnamed), IsEmpty());
  EXPECT_THAT(Changed({{kSet, "{topologyName: t, packDomain: host}"}}, unnamed),
              ElementsAre(HasSubstr("Forbidden")));
  // The name must then be one that could have been given on creation.
  const Value two = Edited(unnamed, {{kClique, "{packDomain: host}"}});
  EXPECT_THAT(Changed({{kSet, kNamed}, {kClique, "{topologyName: u, packDomain: host}"}}, two),
              ElementsAre(HasSubstr(kClique + ".topologyName: Invalid value: \"u\"")));
}

TEST(TopologyUpdates, WarnOfTheDeprecatedField) {
  const Value old = Edited(GoodSet(), {{kSet, "{topologyName: t, packDomain: rack}"}});
  Request request;
  request.operation = Operation::kUpdate;
  request.old = &old;
  EXPECT_THAT(
      Warnings(old, request),
      ElementsAre(
          "spec.template.topologyConstraint.packDomain: deprecated; use pack.required instead"));
}

}  // namespace
}  // namespace hearth::admission::grove

// What must hold of every PodCliqueSet. Each table row spoils a set that is fine otherwise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admission/grove/grove_rules.h"
#include "admission/grove/testing/rig.h"

namespace hearth::admission::grove {
namespace {

using json::Value;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Case {
  std::vector<Edit> edits;
  std::vector<std::string> errors;  // how each begins; none: the set is fine
};

void ExpectCases(const std::vector<Case>& cases, const Request& request = {}) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.edits.front().path + " " +
                 (c.edits.front().yaml == nullptr ? "taken away" : c.edits.front().yaml));
    std::vector<::testing::Matcher<std::string>> expected;
    for (const std::string& error : c.errors) {
      expected.push_back(::testing::StartsWith(error));
    }
    EXPECT_THAT(Errors(Edited(GoodSet(), c.edits), request), ElementsAreArray(expected));
  }
}

std::string Times(const char* text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) {
    result += text;
  }
  return result;
}

TEST(PodCliqueSetRules, AreContentWithTheGoodSet) {
  EXPECT_THAT(Errors(GoodSet()), IsEmpty());
  EXPECT_THAT(Warnings(GoodSet()), IsEmpty());
  EXPECT_THAT(AllErrors(GoodSet()), IsEmpty());
}

TEST(PodCliqueSetRules, ReplicasAndTerminationDelay) {
  ExpectCases({
      {{{"spec.replicas", "-1"}},
       {"spec.replicas: Invalid value: -1: must be greater than or equal to 0"}},
      {{{"spec.replicas", "0"}}, {}},
      {{{"spec.replicas", "3000000000"}},
       {"spec.replicas: Invalid value: 3000000000: must be a 32-bit"}},
      {{{"spec.template.terminationDelay", nullptr}},
       {"spec.template.terminationDelay: Required value"}},
      {{{"spec.template.terminationDelay", "0s"}},
       {"spec.template.terminationDelay: Invalid value: \"0s\": must be greater than 0"}},
      {{{"spec.template.terminationDelay", "-5m"}},
       {"spec.template.terminationDelay: Invalid value: \"-5m\": must be greater than 0"}},
      {{{"spec.template.terminationDelay", "soon"}},
       {"spec.template.terminationDelay: Invalid value: \"soon\": must be a duration"}},
      {{{"spec.template.terminationDelay", "1ns"}}, {}},
      {{{"spec.template.cliques[0].spec.autoScalingConfig.maxReplicas", "5000000000"}},
       {"spec.template.cliques[0].spec.autoScalingConfig.maxReplicas: Invalid value: 5000000000: "
        "must be a 32-bit"}},
  });
}

TEST(PodCliqueSetRules, CliquesAreNamedAndThere) {
  ExpectCases({
      // W35: no clique at all is an error like others.
      {{{"spec.template.cliques", "[]"},
        {"spec.template.podCliqueScalingGroups", "[]"},
        {"spec.template.resourceSharing", "[]"}},
       {"spec.template.cliques: Required value: at least one PodClique must be defined"}},
      {{{"spec.template.cliques[0].name", "''"}},
       {"spec.template.cliques[0].name: Required value",
        "spec.template.cliques[1].spec.startsAfter[0]: Not found",
        "spec.template.cliques[2].spec.startsAfter[0]: Not found",
        "spec.template.resourceSharing[0].filter.childCliqueNames[0]: Not found"}},
      {{{"spec.template.cliques[4]",
         "{name: Big_Name, spec: {roleName: z, replicas: 1, minAvailable: 1, podSpec: {}}}"}},
       {"spec.template.cliques[4].name: Invalid value: \"Big_Name\": a lowercase RFC 1123 "
        "subdomain"}},
      {{{"spec.template.cliques[4]",
         "{name: a.b, spec: {roleName: z, replicas: 1, minAvailable: 1, podSpec: {}}}"}},
       {"spec.template.cliques[4].name: Invalid value: \"a.b\": must not contain dots"}},
      {{{"spec.template.cliques[1].spec.roleName", "front"}},
       {"spec.template.cliques[1].spec.roleName: Duplicate value: \"front\""}},
      {{{"spec.template.cliques[0].labels.'a b'", "x"}},
       {"spec.template.cliques[0].labels: Invalid value: \"a b\""}},
      {{{"spec.template.cliques[0].labels.a", "'x y'"}},
       {"spec.template.cliques[0].labels[a]: Invalid value: \"x y\""}},
      {{{"spec.template.cliques[0].annotations.'a b'", "x"}},
       {"spec.template.cliques[0].annotations: Invalid value: \"a b\""}},
      {{{"spec.template.podCliqueScalingGroups[0].annotations.'a b'", "x"}},
       {"spec.template.podCliqueScalingGroups[0].annotations: Invalid value: \"a b\""}},
  });
  const std::string large = Times("x", 256 << 10);
  EXPECT_THAT(
      Errors(Edited(GoodSet(), {{"spec.template.cliques[0].annotations.large", large.c_str()}})),
      ElementsAre(HasSubstr("spec.template.cliques[0].annotations: Too long")));
}

TEST(PodCliqueSetRules, NamesMakeHostnamesAndServices) {
  ExpectCases({
      {{{"metadata.name", "a.b"}},
       {"metadata.name: Invalid value: \"a.b\": must not contain dots"}},
      {{{"metadata.name", "1abc"}},
       {"metadata.name: Invalid value: \"1abc\": must begin with a letter"}},
      {{{"metadata.name", "a1-b"}}, {}},
      {{{"spec.template.podCliqueScalingGroups[1]",
         "{name: g.h, cliqueNames: [side], replicas: 1, minAvailable: 1}"}},
       {"spec.template.podCliqueScalingGroups[1].name: Invalid value: \"g.h\": must not contain "
        "dots"}},
  });
}

TEST(PodCliqueSetRules, NamesTogetherFitIntoPodNames) {
  const std::string of41 = Times("a", 41);  // with "demo" 45
  const std::string of42 = Times("a", 42);  // one too many
  const auto clique = [](const std::string& name) {
    return "{name: " + name + ", spec: {roleName: z, replicas: 1, minAvailable: 1, podSpec: {}}}";
  };
  const auto with = [&](const std::string& name) {
    return Edited(GoodSet(), {{"spec.template.cliques[4]", clique(name).c_str()}});
  };
  EXPECT_THAT(Errors(with(of41)), IsEmpty());
  EXPECT_THAT(Errors(with(of42)),
              ElementsAre(HasSubstr("spec.template.cliques[4].name: Invalid value: \"" + of42 +
                                    "\": combined resource name length 46 exceeds"),
                          HasSubstr("metadata.name: Invalid value: \"demo\": combined")));
  // Members count their group: demo + pair + 37.
  const auto member = [&](int length) {
    const std::string name = Times("a", length);
    return Edited(with(name),
                  {{"spec.template.podCliqueScalingGroups[0].cliqueNames[2]", name.c_str()}});
  };
  EXPECT_THAT(Errors(member(37)), IsEmpty());
  EXPECT_THAT(
      Errors(member(38)),
      ElementsAre(
          HasSubstr("spec.template.cliques[4].name: Invalid value"),
          HasSubstr("spec.template.podCliqueScalingGroups[0].name: Invalid value: \"pair\""),
          HasSubstr("metadata.name: Invalid value: \"demo\"")));
  // A name that is yet to be generated has five characters more.
  const Value generated =
      Edited(with(Times("a", 37)), {{"metadata.name", nullptr}, {"metadata.generateName", "demo"}});
  EXPECT_THAT(Errors(generated), ElementsAre(HasSubstr("length 46"), HasSubstr("metadata.name")));
}

TEST(PodCliqueSetRules, CliqueNumbers) {
  const std::string spec = "spec.template.cliques[1].spec";
  ExpectCases({
      {{{spec + ".replicas", "0"}},
       {spec + ".replicas: Invalid value: 0: must be greater than 0",
        spec + ".minAvailable: Invalid value: 1: minAvailable must not be greater than replicas"}},
      {{{spec + ".replicas", "-3"}, {spec + ".minAvailable", "-4"}},
       {spec + ".replicas: Invalid value: -3: must be greater than 0",
        spec + ".minAvailable: Invalid value: -4: must be greater than 0"}},
      {{{spec + ".minAvailable", nullptr}}, {spec + ".minAvailable: Required value"}},
      {{{spec + ".minAvailable", "0"}},
       {spec + ".minAvailable: Invalid value: 0: must be greater than 0"}},
      {{{spec + ".minAvailable", "2"}},
       {spec + ".minAvailable: Invalid value: 2: minAvailable must not be greater than replicas"}},
      {{{spec + ".minAvailable", "2"}, {spec + ".replicas", "2"}}, {}},
      {{{spec + ".replicas", "2.0"}}, {}},
  });
}

TEST(PodCliqueSetRules, AutoScalingHasRoom) {
  const std::string config = "spec.template.cliques[0].spec.autoScalingConfig";
  const std::string group = "spec.template.podCliqueScalingGroups[0].scaleConfig";
  ExpectCases({
      {{{config + ".minReplicas", nullptr}}, {config + ".minReplicas: Required value"}},
      {{{config + ".minReplicas", "0"}},
       {config + ".minReplicas: Invalid value: 0: must be greater than or equal to "
                 "podCliqueSpec.minAvailable"}},
      {{{config + ".minReplicas", "5"}},
       {config + ".maxReplicas: Invalid value: 4: must be greater than or equal to "
                 "podCliqueSpec.minReplicas"}},
      {{{config + ".maxReplicas", "1"}},
       {config + ".maxReplicas: Invalid value: 1: must be greater than or equal to replicas"}},
      {{{config + ".maxReplicas", "2"}}, {}},
      {{{group + ".minReplicas", "0"}},
       {group + ".minReplicas: Invalid value: 0: scaleConfig.minReplicas must be greater than or "
                "equal to minAvailable"}},
      {{{group + ".minReplicas", "4"}}, {group + ".maxReplicas: Invalid value: 3"}},
      {{{group + ".minReplicas", nullptr}}, {}},
      {{{"spec.template.cliques[2].spec.autoScalingConfig", "{minReplicas: 1, maxReplicas: 2}"}},
       {"spec.template.cliques[2].spec.autoScalingConfig: Forbidden: not allowed for a clique in a "
        "scaling group"}},
  });
}

TEST(PodCliqueSetRules, StartOrder) {
  const std::string list = "spec.template.cliques[0].spec.startsAfter";
  ExpectCases({
      {{{list, "['']"}}, {list + "[0]: Required value"}},
      {{{list, "[front]"}},
       {list + "[0]: Invalid value: \"front\": clique dependency cannot refer to itself"}},
      {{{list, "[nobody]"}}, {list + "[0]: Not found: \"nobody\""}},
      {{{"spec.template.cliques[2].spec.startsAfter", "[side, side]"}},
       {"spec.template.cliques[2].spec.startsAfter[1]: Duplicate value: \"side\""}},
      {{{list, "[work]"}},
       {list + ": Invalid value: [\"work\"]: clique must not have circular dependencies: 'front' "
               "after 'work' after 'lead' after 'front'"}},
      // Only Explicit reads it.
      {{{list, "[work, nobody, front]"},
        {"spec.template.cliqueStartupType", "CliqueStartupTypeInOrder"}},
       {}},
  });
  EXPECT_THAT(Warnings(Edited(GoodSet(),
                              {{"spec.template.cliqueStartupType", "CliqueStartupTypeAnyOrder"}})),
              ::testing::Contains("spec.template.cliques[1].spec.startsAfter: not read, since "
                                  "cliqueStartupType is not CliqueStartupTypeExplicit"));
}

TEST(PodCliqueSetRules, PodSpecs) {
  const std::string pod = "spec.template.cliques[0].spec.podSpec";
  const std::string text = "a valid environment variable name";
  ExpectCases({
      {{{pod + ".nodeName", "n7"}}, {pod + ".nodeName: Invalid value: \"n7\": must not be set"}},
      {{{pod + ".topologySpreadConstraints", "[{maxSkew: 1}]"}},
       {pod + ".topologySpreadConstraints: Invalid value"}},
      {{{pod + ".topologySpreadConstraints", "[]"}, {pod + ".nodeName", "''"}}, {}},
      {{{pod + ".containers[0].env[0].name", "1ST"}},
       {pod + ".containers[0].env[0].name: Invalid value: \"1ST\": " + text}},
      {{{pod + ".containers[0].env[0].name", "''"}},
       {pod + ".containers[0].env[0].name: Invalid value: \"\""}},
      {{{pod + ".containers[0].env[0].name", "'..'"}},
       {pod + ".containers[0].env[0].name: Invalid value: \"..\""}},
      {{{pod + ".containers[0].env[0].name", "a.b-c_D9"}}, {}},
      {{{"spec.template.cliques[1].spec.podSpec.initContainers[0].env[0].name", "'a b'"}},
       {"spec.template.cliques[1].spec.podSpec.initContainers[0].env[0].name: Invalid value: \"a "
        "b\""}},
  });
  // That a name stands once, the schema says.
  EXPECT_THAT(AllErrors(Edited(GoodSet(), {{pod + ".containers[0].env[1]", "{name: MODE}"}})),
              ElementsAre(HasSubstr(pod + ".containers[0].env[1]: Duplicate value")));
  // Placement is for creation; upstream's stored objects may have it.
  const Value placed = Edited(GoodSet(), {{pod + ".nodeName", "n7"}});
  EXPECT_THAT(UpdateErrors(placed, placed), IsEmpty());
}

TEST(PodCliqueSetRules, WarnAboutPodsThatAreNotRestarted) {
  const std::string policy = "spec.template.cliques[0].spec.podSpec.restartPolicy";
  EXPECT_THAT(Warnings(Edited(GoodSet(), {{policy, "Never"}})),
              ElementsAre(HasSubstr(policy + ": Never is kept")));
}

TEST(PodCliqueSetRules, ScalingGroups) {
  const std::string group = "spec.template.podCliqueScalingGroups[0]";
  const std::string second = "spec.template.podCliqueScalingGroups[1]";
  ExpectCases({
      {{{group + ".name", "P_"}},
       {group + ".name: Invalid value: \"P_\"",
        "spec.template.resourceSharing[1].filter.childScalingGroupNames[0]: Not found"}},
      {{{group + ".name", "''"}},
       {group + ".name: Required value", "spec.template.resourceSharing[1].filter"}},
      {{{second, "{name: pair, cliqueNames: [side], replicas: 1, minAvailable: 1}"}},
       {second + ".name: Duplicate value: \"pair\""}},
      {{{second, "{name: other, cliqueNames: [side], replicas: 1, minAvailable: 1}"}}, {}},
      {{{second, "{name: other, cliqueNames: [side, work], replicas: 1, minAvailable: 1}"}},
       {second + ".cliqueNames[1]: Duplicate value: \"work\": already in "
                 "podCliqueScalingGroups[0].cliqueNames"}},
      {{{group + ".cliqueNames[2]", "nobody"}}, {group + ".cliqueNames[2]: Not found: \"nobody\""}},
      {{{group + ".replicas", "0"}},
       {group + ".replicas: Invalid value: 0: must be greater than 0",
        group + ".minAvailable: Invalid value: 1: minAvailable must not be greater than replicas"}},
      {{{group + ".minAvailable", "0"}},
       {group + ".minAvailable: Invalid value: 0: must be greater than 0"}},
      {{{group + ".minAvailable", "3"}},
       {group + ".scaleConfig.minReplicas: Invalid value: 1",
        group + ".minAvailable: Invalid value: 3: minAvailable must not be greater than replicas"}},
      {{{group + ".minAvailable", "2"}, {group + ".scaleConfig.minReplicas", "2"}}, {}},
  });
}

TEST(PodCliqueSetRules, Schedulers) {
  const std::string first = "spec.template.cliques[0].spec.podSpec.schedulerName";
  const std::string second = "spec.template.cliques[1].spec.podSpec.schedulerName";
  ExpectCases({
      {{{first, "default-scheduler"}}, {}},  // what the others mean
      {{{second, "other"}},
       {second + ": Invalid value: \"other\": not enabled in the operator's configuration; enabled "
                 "are default-scheduler, kai-scheduler",
        second + ": Invalid value: \"other\": must be the same for all cliques, and cliques[0] has "
                 "'default-scheduler'"}},
      {{{second, "kai-scheduler"}},
       {second + ": Invalid value: \"kai-scheduler\": must be the same"}},
  });
  Request kai_first;
  kai_first.setup.schedulers = {"kai-scheduler"};
  ExpectCases({{{{"metadata.labels.'kai.scheduler/queue'", "q"}}, {}},
               {{{"metadata.labels.'kai.scheduler/queue'", "q"}, {second, "default-scheduler"}},
                {second + ": Invalid value"}}},
              kai_first);
  Request none;
  none.setup.schedulers = {};
  EXPECT_THAT(Errors(GoodSet(), none), IsEmpty());
}

TEST(PodCliqueSetRules, KaiNeedsOneQueue) {
  Request kai;
  kai.setup.schedulers = {"kai-scheduler", "default-scheduler"};
  const std::string set = "metadata.labels.'kai.scheduler/queue'";
  const std::string clique = "spec.template.cliques[1].labels.'kai.scheduler/queue'";
  const std::string note = "spec.template.cliques[0].annotations.'kai.scheduler/queue'";
  ExpectCases(
      {
          {{{"spec.replicas", "1"}}, {"metadata.labels[kai.scheduler/queue]: Required value"}},
          {{{set, "q"}}, {}},
          {{{"metadata.annotations.'kai.scheduler/queue'", "q"}}, {}},
          {{{clique, "q"}}, {}},
          {{{set, "q"}, {clique, "other"}},
           {"spec.template.cliques[1].labels[kai.scheduler/queue]: Invalid value: \"other\""}},
          {{{note, "q"}, {clique, "other"}},
           {"spec.template.cliques[1].labels[kai.scheduler/queue]: Invalid value: \"other\": all "
            "pods of a set must be in one queue, and others are in 'q'"}},
          {{{note, "q"}, {clique, "q"}}, {}},
      },
      kai);
}

TEST(PodCliqueSetRules, SchedulersWithoutTopologyRefuseConstraints) {
  for (const char* scheduler : {"volcano", "lpx-scheduler"}) {
    Request request;
    request.setup.schedulers = {scheduler};
    const char* rack = "{topologyName: t, pack: {required: rack}}";
    ExpectCases(
        {
            {{{"spec.replicas", "1"}}, {}},
            {{{"spec.template.topologyConstraint", rack},
              {"spec.template.cliques[1].topologyConstraint", rack}},
             {"spec.template.topologyConstraint: Invalid value",
              "spec.template.cliques[1].topologyConstraint: Invalid value"}},
            {{{"spec.template.podCliqueScalingGroups[0].topologyConstraint", rack}},
             {"spec.template.podCliqueScalingGroups[0].topologyConstraint: Invalid value"}},
        },
        request);
  }
}

TEST(PodCliqueSetRules, TopologyIsRefusedWhenSwitchedOff) {
  Request off;
  off.setup.topology = false;
  const char* rack = "{topologyName: t, pack: {required: rack}}";
  const std::vector<Edit> edits = {
      {"spec.template.topologyConstraint", rack},
      {"spec.template.podCliqueScalingGroups[0].topologyConstraint", rack},
      {"spec.template.cliques[3].topologyConstraint", rack}};
  ExpectCases({{edits,
                {"spec.template.topologyConstraint: Invalid value",
                 "spec.template.podCliqueScalingGroups[0].topologyConstraint: Invalid value",
                 "spec.template.cliques[3].topologyConstraint: Invalid value"}}},
              off);
  ExpectCases({{edits, {}}});
  // A set from before stays as it is.
  const Value set = Edited(GoodSet(), edits);
  EXPECT_THAT(UpdateErrors(set, set, off), IsEmpty());
}

TEST(PodCliqueSetRules, OneTopologyNameThatIsGivenOrInherited) {
  const std::string set = "spec.template.topologyConstraint";
  const std::string group = "spec.template.podCliqueScalingGroups[0].topologyConstraint";
  const std::string member = "spec.template.cliques[3].topologyConstraint";
  const std::string alone = "spec.template.cliques[0].topologyConstraint";
  const char* named = "{topologyName: t, pack: {required: rack}}";
  const char* other = "{topologyName: u, pack: {required: rack}}";
  const char* bare = "{pack: {required: host}}";
  ExpectCases({
      {{{set, bare}}, {set + ".topologyName: Required value"}},
      {{{group, bare}}, {group + ".topologyName: Required value"}},
      {{{member, bare}}, {member + ".topologyName: Required value"}},
      {{{set, named}, {group, bare}, {member, bare}, {alone, bare}}, {}},
      {{{group, named}, {member, bare}}, {}},
      {{{group, named}, {alone, bare}}, {alone + ".topologyName: Required value"}},
      {{{set, named}, {group, other}, {member, bare}},
       {group + ".topologyName: Invalid value: \"u\""}},
      {{{alone, other}, {member, named}},
       {member + ".topologyName: Invalid value: \"t\": all topologyNames of a set must be the "
                 "same, and another one is 'u'"}},
  });
}

TEST(PodCliqueSetRules, MultiNodeNvlinkIsNotOffered) {
  ExpectCases({
      {{{"metadata.annotations.'grove.io/mnnvl-group'", "none"}}, {}},
      {{{"metadata.annotations.'grove.io/mnnvl-group'", "g"}},
       {"metadata.annotations[grove.io/mnnvl-group]: Invalid value: \"g\""}},
      {{{"spec.template.cliques[0].annotations.'grove.io/mnnvl-group'", "g"}},
       {"spec.template.cliques[0].annotations[grove.io/mnnvl-group]: Invalid value"}},
      {{{"spec.template.podCliqueScalingGroups[0].annotations.'grove.io/mnnvl-group'", "g"}},
       {"spec.template.podCliqueScalingGroups[0].annotations[grove.io/mnnvl-group]: Invalid "
        "value"}},
  });
}

TEST(PodCliqueSetRules, TellEverythingAtOnce) {
  EXPECT_THAT(Errors(Edited(GoodSet(), {{"spec.replicas", "-1"},
                                        {"spec.template.cliques[0].spec.podSpec.nodeName", "n7"},
                                        {"spec.template.cliques[1].spec.minAvailable", "7"},
                                        {"spec.template.resourceClaimTemplates[1].name", "gpu"}})),
              ElementsAre(HasSubstr("spec.replicas"), HasSubstr("cliques[1].spec.minAvailable"),
                          HasSubstr("nodeName"), HasSubstr("resourceClaimTemplates[1].name")));
}

TEST(PodCliqueSetRules, EveryRuleHasAnIdOfItsOwnAndSaysWhatItIsFor) {
  std::vector<std::string> ids;
  for (const KindRules& kind : GroveRules()) {
    for (const Rule* rule : kind.rules) {
      ids.emplace_back(rule->id);
      EXPECT_THAT(rule->purpose, ::testing::MatchesRegex("[A-Za-z].*\\.")) << rule->id;
      EXPECT_THAT(rule->id, ::testing::MatchesRegex("[a-z][a-z0-9-]*"));
    }
  }
  std::vector<std::string> unique = ids;
  std::sort(unique.begin(), unique.end());
  unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
  EXPECT_EQ(unique.size(), ids.size());
}

}  // namespace
}  // namespace hearth::admission::grove

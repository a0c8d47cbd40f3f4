#include "admission/grove/defaults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admission/grove/testing/rig.h"

namespace hearth::admission::grove {
namespace {

using json::Value;
using ::testing::ElementsAre;

Value Defaulted(Value set) {
  SetDefaults(set, {});
  return set;
}

Value Bare() {
  return Yaml(R"yaml(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: bare}
spec:
  template:
    cliques:
    - name: a
      spec:
        roleName: a
        replicas: 3
        autoScalingConfig: {maxReplicas: 5}
        podSpec: {containers: [{name: main, image: a:1}]}
    podCliqueScalingGroups:
    - {name: g, cliqueNames: [], replicas: 2, minAvailable: 1, scaleConfig: {maxReplicas: 4}}
)yaml");
}

Value Clique(const Value& set) {
  return set.FindPath("spec.template")->Find("cliques")->items()[0];
}

TEST(GroveDefaults, FillInWhatWasLeftOut) {
  const Value set = Defaulted(Bare());
  const Value clique = Clique(set);
  EXPECT_EQ(*set.FindPath("metadata.namespace"), Value("default"));
  EXPECT_EQ(*set.FindPath("spec.template.terminationDelay"), Value("4h0m0s"));
  EXPECT_EQ(*set.FindPath("spec.template.headlessServiceConfig"),
            Value::Object({{"publishNotReadyAddresses", true}}));
  EXPECT_EQ(*clique.FindPath("spec.podSpec.restartPolicy"), Value("Always"));
  EXPECT_EQ(*clique.FindPath("spec.podSpec.terminationGracePeriodSeconds"), Value(30));
  EXPECT_EQ(*clique.FindPath("spec.replicas"), Value(3));
  EXPECT_EQ(*clique.FindPath("spec.minAvailable"), Value(3));
  EXPECT_EQ(*clique.FindPath("spec.autoScalingConfig.minReplicas"), Value(3));
  const Value& group = set.FindPath("spec.template")->Find("podCliqueScalingGroups")->items()[0];
  EXPECT_EQ(*group.FindPath("scaleConfig.minReplicas"), Value(2));
}

TEST(GroveDefaults, LeaveWhatIsThere) {
  const Value set = GoodSet();
  Value changed =
      Edited(set, {{"spec.template.cliques[0].spec.podSpec.restartPolicy", "Never"},
                   {"spec.template.cliques[0].spec.podSpec."
                    "terminationGracePeriodSeconds",
                    "0"},
                   {"spec.template.headlessServiceConfig.publishNotReadyAddresses", "false"}});
  changed = Defaulted(std::move(changed));
  EXPECT_EQ(*Clique(changed).FindPath("spec.podSpec.restartPolicy"), Value("Never"));
  EXPECT_EQ(*Clique(changed).FindPath("spec.podSpec.terminationGracePeriodSeconds"), Value(0));
  EXPECT_EQ(*Clique(changed).FindPath("spec.minAvailable"), Value(1));
  EXPECT_EQ(*changed.FindPath("metadata.namespace"), Value("team"));
  EXPECT_EQ(*changed.FindPath("spec.template.terminationDelay"), Value("1h"));
  EXPECT_EQ(*changed.FindPath("spec.template.headlessServiceConfig.publishNotReadyAddresses"),
            Value(false));
}

// W36: replicas come first, so that what is made from them is valid.
TEST(GroveDefaults, ACliqueOfNoPodsGetsOneAndPassesTheRules) {
  for (const char* replicas : {"0", "null"}) {
    const Value set =
        Defaulted(Edited(Bare(), {{"spec.template.cliques[0].spec.replicas", replicas}}));
    EXPECT_EQ(*Clique(set).FindPath("spec.replicas"), Value(1)) << replicas;
    EXPECT_EQ(*Clique(set).FindPath("spec.minAvailable"), Value(1)) << replicas;
    EXPECT_EQ(*Clique(set).FindPath("spec.autoScalingConfig.minReplicas"), Value(1)) << replicas;
    EXPECT_THAT(Errors(set), ElementsAre()) << replicas;
  }
}

TEST(GroveDefaults, EmptyStringsCountAsLeftOut) {
  const Value set =
      Defaulted(Edited(Bare(), {{"metadata.namespace", "''"},
                                {"spec.template.cliques[0].spec.podSpec.restartPolicy", "''"}}));
  EXPECT_EQ(*set.FindPath("metadata.namespace"), Value("default"));
  EXPECT_EQ(*Clique(set).FindPath("spec.podSpec.restartPolicy"), Value("Always"));
}

TEST(GroveDefaults, TwiceIsOnce) {
  for (const Value& given : {Bare(), GoodSet()}) {
    const Value once = Defaulted(given);
    EXPECT_EQ(Defaulted(once), once);
  }
}

TEST(GroveDefaults, LeaveAloneWhatIsOfTheWrongKind) {
  for (const char* text :
       {"[]", "a", "{spec: []}", "{metadata: 3, spec: {template: a}}",
        "{spec: {template: {terminationDelay: 3, headlessServiceConfig: [], cliques: {a: b}, "
        "podCliqueScalingGroups: 3}}}",
        "{spec: {template: {terminationDelay: 3, headlessServiceConfig: [], cliques: [3, {spec: "
        "a}, {spec: {replicas: two, podSpec: 3, autoScalingConfig: {}}}]}}}"}) {
    const Value given = Yaml(text);
    EXPECT_EQ(Defaulted(given), given) << text;
  }
}

TEST(GroveDefaults, AreAllThatASmallManifestNeeds) {
  EXPECT_THAT(AllErrors(Yaml(R"yaml(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: bare}
spec:
  template:
    cliques: [{name: a, spec: {roleName: a, podSpec: {containers: [{name: main}]}}}]
)yaml")),
              ElementsAre());
}

}  // namespace
}  // namespace hearth::admission::grove

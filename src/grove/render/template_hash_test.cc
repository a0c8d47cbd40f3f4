#include "grove/render/template_hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "grove/render/testing/read.h"

namespace hearth::grove {
namespace {

using json::Value;

constexpr const char* kSet = R"(
metadata: {name: s, namespace: ns}
spec:
  replicas: 1
  template:
    cliques:
    - name: w
      labels: {tier: gold, app: x}
      annotations: {note: kept}
      spec:
        roleName: w
        replicas: 1
        minAvailable: 1
        podSpec:
          restartPolicy: Always
          terminationGracePeriodSeconds: 30
          nodeSelector: {zone: a, disk: ssd}
          imagePullSecrets: [{name: one}, {name: two}]
          tolerations: [{key: k, operator: Exists}, {key: l, operator: Exists}]
          volumes:
          - {name: v1, emptyDir: {}}
          - {name: v2, configMap: {name: c, items: [{key: a, path: a}, {key: b, path: b}]}}
          initContainers:
          - {name: first, image: i1}
          - {name: second, image: i2}
          containers:
          - name: main
            image: m
            args: [serve, --port, "80"]
            env: [{name: A, value: "1"}, {name: B, value: "2"}, {name: C, value: c}]
            ports: [{containerPort: 80, protocol: TCP}, {containerPort: 80, protocol: UDP}]
            resources: {limits: {cpu: "2", memory: 1Gi}}
            volumeMounts: [{name: v1, mountPath: /a}, {name: v2, mountPath: /b}]
          - {name: side, image: s}
    - {name: r, spec: {roleName: r, replicas: 2, podSpec: {containers: [{name: c, image: c}]}}}
)";

std::string HashOf(const Value& set, const std::string& clique = "w") {
  const SetFacts facts = ReadSet(set.Write());
  return TemplateHash(facts, *facts.FindClique(clique));
}

Value& PodSpec(Value& set) {
  return *set["spec"]["template"].Find("cliques")->items()[0]["spec"].Find("podSpec");
}
Value& Main(Value& set) { return PodSpec(set).Find("containers")->items()[0]; }

// Changes a copy of the set and tells its hash.
template <typename Change>
std::string HashAfter(Change change) {
  Value set = ReadYaml(kSet);
  change(set);
  return HashOf(set);
}

TEST(TemplateHash, IsALabelThatWeRecognize) {
  const std::string hash = HashOf(ReadYaml(kSet));
  EXPECT_EQ(hash.size(), kHashPrefix.size() + 16);
  EXPECT_TRUE(IsOurHash(hash));
  EXPECT_FALSE(IsOurHash("5d8f7b6c9"));
  EXPECT_EQ(hash.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string::npos);
}

// Pods are replaced when this changes: an algorithm that changes it rolls every workload there is.
TEST(TemplateHash, StaysWhatItIs) {
  EXPECT_EQ(HashOf(ReadYaml(kSet)), "c1-00fc158d97511de6");
  EXPECT_EQ(GenerationHash(ReadSet(kSet)), "c1-ce9744298a9b1cc2");
}

// Shuffles the members of every object, and the lists whose order says nothing.
void Shuffle(Value& value, std::mt19937& random, const std::string& name = "") {
  static const std::vector<std::string> kKeyed = {
      "cliques", "containers", "env", "ports", "volumes", "volumeMounts", "imagePullSecrets"};
  if (value.IsObject()) {
    std::shuffle(value.members().begin(), value.members().end(), random);
    for (auto& [key, member] : value.members()) {
      Shuffle(member, random, key);
    }
  } else if (value.IsArray()) {
    if (std::find(kKeyed.begin(), kKeyed.end(), name) != kKeyed.end()) {
      std::shuffle(value.items().begin(), value.items().end(), random);
    }
    for (Value& item : value.items()) {
      Shuffle(item, random);
    }
  }
}

TEST(TemplateHash, OrderThatSaysNothingDoesNotCount) {
  const Value set = ReadYaml(kSet);
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same every time
  for (int round = 0; round < 100; ++round) {
    Value shuffled = set;
    Shuffle(shuffled, random);
    ASSERT_EQ(HashOf(shuffled), HashOf(set)) << shuffled.WritePretty();
    ASSERT_EQ(HashOf(shuffled, "r"), HashOf(set, "r"));
    ASSERT_EQ(GenerationHash(ReadSet(shuffled.Write())), GenerationHash(ReadSet(kSet)));
  }
}

TEST(TemplateHash, OrderThatSaysSomethingCounts) {
  const std::string hash = HashOf(ReadYaml(kSet));
  const auto reversed = [](Value& list) { std::reverse(list.items().begin(), list.items().end()); };
  EXPECT_NE(HashAfter([&](Value& set) { reversed(*PodSpec(set).Find("initContainers")); }), hash);
  EXPECT_NE(HashAfter([&](Value& set) { reversed(*Main(set).Find("args")); }), hash);
  // Variables that refer to others see only those before them.
  const auto refer = [](Value& set) { Main(set).Find("env")->items()[2].Set("value", "$(A)"); };
  EXPECT_NE(HashAfter([&](Value& set) {
              refer(set);
              reversed(*Main(set).Find("env"));
            }),
            HashAfter(refer));
}

TEST(TemplateHash, TheSameSaidOtherwiseIsTheSame) {
  const std::string hash = HashOf(ReadYaml(kSet));
  const auto limits = [](Value& set) -> Value& { return Main(set)["resources"]["limits"]; };
  EXPECT_EQ(HashAfter([&](Value& set) { limits(set).Set("cpu", 2); }), hash);
  EXPECT_EQ(HashAfter([&](Value& set) { limits(set).Set("cpu", "2000m"); }), hash);
  EXPECT_EQ(HashAfter([](Value& set) { Main(set).Set("command", Value::Array()); }), hash);
  EXPECT_EQ(HashAfter([](Value& set) { PodSpec(set).Set("overhead", Value::Object()); }), hash);
  EXPECT_EQ(HashAfter([](Value& set) { PodSpec(set).Set("affinity", Value()); }), hash);
}

TEST(TemplateHash, WhatPodsAreNotMadeOfDoesNotCount) {
  const std::string hash = HashOf(ReadYaml(kSet));
  const auto clique = [](Value& set) -> Value& {
    return set["spec"]["template"].Find("cliques")->items()[0];
  };
  EXPECT_EQ(HashAfter([&](Value& set) { clique(set)["spec"].Set("replicas", 7); }), hash);
  EXPECT_EQ(
      HashAfter([&](Value& set) { clique(set)["annotations"].Set("grove.io/topology-name", "t"); }),
      hash);
  // A class of its own hides the set's.
  const auto own = [](Value& set) { PodSpec(set).Set("priorityClassName", "own"); };
  EXPECT_EQ(HashAfter([&](Value& set) {
              own(set);
              set["spec"]["template"].Set("priorityClassName", "high");
            }),
            HashAfter(own));
}

// Every string and number of the template is changed, one at a time; each change counts.
TEST(TemplateHash, EveryValueCounts) {
  const Value set = ReadYaml(kSet);
  const std::string hash = HashOf(set);
  std::vector<std::string> seen = {hash};
  size_t leaves = 0;
  const std::function<void(Value&, Value&)> visit = [&](Value& whole, Value& value) {
    if (value.IsObject()) {
      for (auto& [name, member] : value.members()) {
        visit(whole, member);
      }
    } else if (value.IsArray()) {
      for (Value& item : value.items()) {
        visit(whole, item);
      }
    } else {
      const Value before = value;
      value = value.IsString() ? Value(value.string() + "0") : Value(*value.Int() + 1);
      const std::string changed = HashOf(whole);
      EXPECT_EQ(std::count(seen.begin(), seen.end(), changed), 0) << before.Write();
      seen.push_back(changed);
      value = before;
      ++leaves;
    }
  };
  Value whole = set;
  Value& clique = whole["spec"]["template"].Find("cliques")->items()[0];
  for (const char* const part : {"labels", "annotations"}) {
    visit(whole, clique[part]);
  }
  visit(whole, PodSpec(whole));
  EXPECT_GT(leaves, 40U);
  EXPECT_EQ(HashOf(whole), hash);
}

TEST(TemplateHash, ThePriorityOfTheSetAndSmallThingsCount) {
  const std::string hash = HashOf(ReadYaml(kSet));
  EXPECT_NE(HashAfter([](Value& set) { set["spec"]["template"].Set("priorityClassName", "high"); }),
            hash);
  EXPECT_NE(
      HashAfter([](Value& set) { PodSpec(set).Find("volumes")->items()[0].Erase("emptyDir"); }),
      hash);
  EXPECT_NE(HashAfter([](Value& set) { PodSpec(set).Find("containers")->items().pop_back(); }),
            hash);
}

TEST(GenerationHash, ChangesWithAnyCliqueAndWithTheirNames) {
  const std::string hash = GenerationHash(ReadSet(kSet));
  Value set = ReadYaml(kSet);
  Value& second = set["spec"]["template"].Find("cliques")->items()[1];
  second.Set("name", "q");
  EXPECT_NE(GenerationHash(ReadSet(set.Write())), hash);
  second.Set("name", "r");
  EXPECT_EQ(GenerationHash(ReadSet(set.Write())), hash);
  second["spec"]["podSpec"].Set("hostNetwork", true);
  EXPECT_NE(GenerationHash(ReadSet(set.Write())), hash);
  EXPECT_EQ(HashOf(set), HashOf(ReadYaml(kSet)));
}

}  // namespace
}  // namespace hearth::grove

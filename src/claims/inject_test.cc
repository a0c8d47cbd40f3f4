#include "claims/inject.h"

#include <gmock/gmock.h>

#include "base/random.h"
#include "base/testing/status_matchers.h"
#include "claims/testing/sample_sets.h"
#include "json/yaml.h"
#include "kube/model/names.h"

namespace hearth::claims {
namespace {

using json::Value;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> ClaimsOf(const grove::SetFacts& set, const grove::CliqueFacts& clique,
                                  int32_t index) {
  const auto place = PlaceOf(set, clique, index);
  EXPECT_OK(place);
  return claims::ClaimsOf(set, *place);
}

Value Yaml(const std::string& text) {
  auto value = json::ParseYamlDocument(text);
  EXPECT_OK(value);
  return *std::move(value);
}

Value Injected(const std::vector<std::string>& claims, Value spec) {
  Inject(claims, spec);
  return spec;
}

// RS-E2E steps 6 and 10, and H13: claims of all levels on one pod, whatever exists of them.
TEST(ClaimsOf, APodOfTheWorkedExampleAreUpstreams) {
  const auto set = WorkedExample();
  EXPECT_THAT(ClaimsOf(set, SampleClique(set, 0, "worker-a", 2), 0),
              ElementsAre("rs-test-all-int-tpl5", "rs-test-0-ext-tpl", "rs-test-0-int-tpl",
                          "rs-test-0-worker-a-all-ext-ns-tpl", "rs-test-0-worker-a-0-int-tpl4"));
  EXPECT_THAT(ClaimsOf(set, SampleClique(set, 0, "worker-a", 2), 1),
              ElementsAre("rs-test-all-int-tpl5", "rs-test-0-ext-tpl", "rs-test-0-int-tpl",
                          "rs-test-0-worker-a-all-ext-ns-tpl", "rs-test-0-worker-a-1-int-tpl4"));
  EXPECT_THAT(ClaimsOf(set, SampleMember(set, 0, "sga", 1, "worker-b", 1), 0),
              ElementsAre("rs-test-all-int-tpl5", "rs-test-all-int-tpl7", "rs-test-0-ext-tpl",
                          "rs-test-0-sga-all-int-tpl2", "rs-test-0-sga-all-int-tpl8",
                          "rs-test-0-sga-1-int-tpl3", "rs-test-0-sga-1-worker-b-all-int-tpl6"));
}

constexpr const char* kBothScopes = R"(
replicas: 3
template:
  cliques:
  - {name: w, spec: {roleName: a, replicas: 1, podSpec: {}}}
  - {name: m, spec: {roleName: b, replicas: 1, podSpec: {}}}
  podCliqueScalingGroups: [{name: g, cliqueNames: [m]}]
  resourceSharing:
  - {name: per-rep, scope: PerReplica, filter: {childCliqueNames: [w]}}
  - {name: all-rep, scope: AllReplicas, filter: {childScalingGroupNames: [g]}}
)";

// RS-I1, RS-I2, RS-I3: of one replica are its own and those for all; a filter leaves others out.
TEST(ClaimsOf, APodAreThoseOfItsReplicaThatTheFilterGivesIt) {
  const auto set = SampleSet("pcs", kBothScopes);
  EXPECT_THAT(ClaimsOf(set, SampleClique(set, 2, "w", 1), 0), ElementsAre("pcs-2-per-rep"));
  EXPECT_THAT(ClaimsOf(set, SampleMember(set, 2, "g", 0, "m", 1), 0),
              ElementsAre("pcs-all-all-rep"));
}

TEST(ClaimsOf, APodOfASetThatSharesNothingAreNone) {
  const auto set = SampleSet(
      "s", "{replicas: 1, template: {cliques: [{name: w, spec: {roleName: r, podSpec: {}}}]}}");
  EXPECT_THAT(ClaimsOf(set, SampleClique(set, 0, "w", 1), 0), IsEmpty());
}

// RS-I1: pod and container have exactly one.
TEST(Inject, RefersToTheClaimInThePodAndItsContainer) {
  EXPECT_EQ(Injected({"pcs-all-gpu"}, Yaml("containers: [{name: main}]")), Yaml(R"(
containers: [{name: main, resources: {claims: [{name: pcs-all-gpu}]}}]
resourceClaims: [{name: pcs-all-gpu, resourceClaimName: pcs-all-gpu}]
)"));
}

// RS-I3: no match, no claims.
TEST(Inject, NothingLeavesThePodAsItIs) {
  const Value spec = Yaml("containers: [{name: main}]");
  EXPECT_EQ(Injected({}, spec), spec);
}

// RS-I4
TEST(Inject, EveryContainerAndInitContainerGetsAllInTheirOrder) {
  EXPECT_EQ(Injected({"b", "a"}, Yaml(R"(
initContainers: [{name: i, restartPolicy: Always}]
containers: [{name: x, resources: {limits: {cpu: 1}}}, {name: y}]
)")),
            Yaml(R"(
initContainers: [{name: i, restartPolicy: Always, resources: {claims: [{name: b}, {name: a}]}}]
containers:
- {name: x, resources: {limits: {cpu: 1}, claims: [{name: b}, {name: a}]}}
- {name: y, resources: {claims: [{name: b}, {name: a}]}}
resourceClaims: [{name: b, resourceClaimName: b}, {name: a, resourceClaimName: a}]
)"));
}

// H12: the user refers to our claim already.
TEST(Inject, WhatTheUserRefersToIsNotReferredToTwice) {
  EXPECT_EQ(Injected({"gpu", "nic"}, Yaml(R"(
resourceClaims:
- {name: own, resourceClaimTemplateName: t}
- {name: my-gpu, resourceClaimName: gpu}
containers:
- {name: x, resources: {claims: [{name: own}, {name: my-gpu, request: first}]}}
- {name: y}
)")),
            Yaml(R"(
resourceClaims:
- {name: own, resourceClaimTemplateName: t}
- {name: my-gpu, resourceClaimName: gpu}
- {name: nic, resourceClaimName: nic}
containers:
- {name: x, resources: {claims: [{name: own}, {name: my-gpu, request: first}, {name: nic}]}}
- {name: y, resources: {claims: [{name: my-gpu}, {name: nic}]}}
)"));
}

// H12: the user calls something else by the name of our claim; both can be used.
TEST(Inject, WhatTheUserCallsByOurNameStaysAndOursGetsAnother) {
  Value spec = Yaml(R"(
resourceClaims: [{name: gpu, resourceClaimTemplateName: mine}]
containers: [{name: x, resources: {claims: [{name: gpu}]}}]
)");
  Inject({"gpu"}, spec);
  const auto& references = spec.Find("resourceClaims")->items();
  ASSERT_EQ(references.size(), 2U);
  EXPECT_EQ(references[0], Yaml("{name: gpu, resourceClaimTemplateName: mine}"));
  const std::string local = references[1].Find("name")->string();
  EXPECT_THAT(local, testing::MatchesRegex("gpu-[0-9a-f]{8}"));
  EXPECT_EQ(references[1].Find("resourceClaimName")->string(), "gpu");
  const auto& used = spec.Find("containers")->items()[0].FindPath("resources.claims")->items();
  ASSERT_EQ(used.size(), 2U);
  EXPECT_EQ(used[1].Find("name")->string(), local);
}

// Even when that name is taken, too.
TEST(Inject, ANameThatIsTakenInEveryFormGetsAnotherHash) {
  const std::string claim(64, 'a');
  Value spec = Value::Object();
  spec["resourceClaims"].Append(Value::Object({{"name", LocalName(claim)}}));
  Inject({claim}, spec);
  const auto& references = spec.Find("resourceClaims")->items();
  ASSERT_EQ(references.size(), 2U);
  EXPECT_NE(references[0].Find("name")->string(), references[1].Find("name")->string());
  EXPECT_OK(kube::CheckDnsLabel(references[1].Find("name")->string()));
}

// H11, W11
TEST(LocalName, IsTheClaimsAsLongAsThatIsALabel) {
  for (const size_t size : {1U, 62U, 63U}) {
    const std::string name(size, 'x');
    EXPECT_EQ(LocalName(name), name);
  }
}

// H11, W11
TEST(LocalName, OfALongerOneOrOneWithDotsIsShortenedReadablyAndALabel) {
  const std::string long_name =
      "s-0-" + std::string(45, 'c') + "-0-" + std::string(8, 'd') + "-gpus";
  ASSERT_EQ(long_name.size(), 65U);
  const std::string local = LocalName(long_name);
  EXPECT_OK(kube::CheckDnsLabel(local));
  EXPECT_EQ(local.size(), 63U);
  EXPECT_THAT(local, testing::MatchesRegex(".*c-0-dddddddd-gpus-[0-9a-f]{8}"));
  EXPECT_THAT(LocalName("a.b-all-gpu"), testing::MatchesRegex("a-b-all-gpu-[0-9a-f]{8}"));
  EXPECT_OK(kube::CheckDnsLabel(LocalName(std::string(253, '-') + ".")));
  EXPECT_OK(kube::CheckDnsLabel(LocalName("")));
}

// Names are in pods that live for long: the same claim is called the same by every version of us.
TEST(LocalName, DoesNotChange) { EXPECT_EQ(LocalName("a.b-all-gpu"), "a-b-all-gpu-6e7da2d3"); }

TEST(LocalName, OfDifferentClaimsDiffers) {
  std::set<std::string> locals;
  std::set<std::string> names;
  Random random(3);
  for (int i = 0; i < 2000; ++i) {
    std::string name;
    for (uint64_t length = 1 + random.Below(90); name.size() < length;) {
      name += "ab.-0"[random.Below(5)];
    }
    if (names.insert(name).second) {
      EXPECT_TRUE(locals.insert(LocalName(name)).second) << name;
    }
    EXPECT_OK(kube::CheckDnsLabel(LocalName(name)));
  }
}

// A pod's spec of up to three containers and user's references that may clash with ours.
Value RandomSpec(Random& random, const std::vector<std::string>& claims) {
  Value spec = Value::Object();
  for (uint64_t i = random.Below(3); i > 0; --i) {
    const std::string& claim = claims[random.Below(claims.size())];
    const bool ours = random.Below(2) == 0;
    const std::string name = random.Below(2) == 0 ? LocalName(claim) : "own-" + std::to_string(i);
    spec["resourceClaims"].Append(Value::Object(
        {{"name", name}, {ours ? "resourceClaimName" : "resourceClaimTemplateName", claim}}));
  }
  for (const char* list : {"containers", "initContainers"}) {
    for (uint64_t i = random.Below(3); i > 0; --i) {
      Value container = Value::Object({{"name", "c" + std::to_string(i)}});
      if (random.Below(2) == 0) {
        container.MakePath("resources.claims").Append(Value::Object({{"name", claims[0]}}));
      }
      spec[list].Append(std::move(container));
    }
  }
  return spec;
}

size_t CountOf(const Value* list, std::string_view member, const std::string& text) {
  return list == nullptr || !list->IsArray()
             ? 0
             : std::count_if(list->items().begin(), list->items().end(), [&](const Value& item) {
                 const Value* value = item.Find(member);
                 return value != nullptr && value->StringOr("") == text;
               });
}

TEST(Inject, AgainChangesNothingAndEveryContainerReachesEachClaim) {
  const std::vector<std::string> claims = {"gpu", "a.b", std::string(70, 'z')};
  Random random(11);
  for (int round = 0; round < 2000; ++round) {
    const Value before = RandomSpec(random, claims);
    const Value once = Injected(claims, before);
    ASSERT_EQ(Injected(claims, once), once) << before.Write();
    const Value& references = *once.Find("resourceClaims");
    for (const std::string& claim : claims) {
      const auto reference = std::find_if(
          references.items().begin(), references.items().end(), [&](const Value& item) {
            return item.Find("resourceClaimName") != nullptr &&
                   item.Find("resourceClaimName")->string() == claim;
          });
      ASSERT_NE(reference, references.items().end()) << before.Write();
      const std::string& local = reference->Find("name")->string();
      for (const char* list : {"containers", "initContainers"}) {
        for (const Value& container :
             once.Find(list) == nullptr ? Value::Items() : once.Find(list)->items()) {
          ASSERT_GE(CountOf(container.FindPath("resources.claims"), "name", local), 1U)
              << before.Write();
        }
      }
    }
  }
}

}  // namespace
}  // namespace hearth::claims

// Resource sharing, as users see it: the schema, its rules and the door together, since the door
// repeats nothing of what the schema says. The cases of upstream carry its IDs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admission/grove/testing/rig.h"
#include "api/grove/testing/sharing_example.h"

namespace hearth::admission::grove {
namespace {

using json::Value;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const std::string kTemplates = "spec.template.resourceClaimTemplates";
const std::string kOfSet = "spec.template.resourceSharing";
const std::string kOfGroup = "spec.template.podCliqueScalingGroups[0].resourceSharing";
const std::string kOfClique = "spec.template.cliques[0].resourceSharing";

struct Case {
  std::vector<Edit> edits;
  std::vector<std::string> errors;  // how each begins
};

void ExpectCases(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.edits.front().path + " " +
                 (c.edits.front().yaml == nullptr ? "taken away" : c.edits.front().yaml));
    std::vector<::testing::Matcher<std::string>> expected;
    for (const std::string& error : c.errors) {
      expected.push_back(StartsWith(error));
    }
    EXPECT_THAT(AllErrors(Edited(GoodSet(), c.edits)), ElementsAreArray(expected));
  }
}

TEST(Sharing, UpstreamsExampleIsFine) {
  EXPECT_THAT(AllErrors(Yaml(api::grove::SharingExample())), IsEmpty());
}

TEST(Sharing, RsV1TemplatesHaveNamesAndRequests) {
  const std::string empty = "{name: '', templateSpec: {spec: {}}}";
  ExpectCases({
      {{{kTemplates + "[0].name", "other"}}, {}},
      {{{kTemplates + "[2]",
         "{name: '', templateSpec: {spec: {devices: {requests: [{name: a, exactly: "
         "{deviceClassName: c}}]}}}}"}},
       {kTemplates + "[2].name: Required value"}},
      {{{kTemplates + "[1].templateSpec.spec", "{}"}},
       {kTemplates + "[1].templateSpec.spec.devices.requests: Required value: at least one device "
                     "request is required"}},
      {{{kTemplates + "[1].templateSpec.spec.devices.requests", "[]"}},
       {kTemplates + "[1].templateSpec.spec.devices.requests: Required value"}},
      {{{kTemplates + "[2]", empty.c_str()}},
       {kTemplates + "[2].name: Required value",
        kTemplates + "[2].templateSpec.spec.devices.requests: Required value"}},
      {{{kTemplates + "[1].name", "gpu"}}, {kTemplates + "[1].name: Duplicate value: \"gpu\""}},
  });
}

TEST(Sharing, RequestsSayWhatDeviceTheyWant) {
  const std::string request = kTemplates + "[0].templateSpec.spec.devices.requests[0]";
  ExpectCases({
      {{{request, "{name: a, deviceClassName: c, count: 1}"}},
       {request + ": Required value: exactly one of"}},
      {{{request,
         "{name: a, exactly: {deviceClassName: c}, firstAvailable: [{name: b, deviceClassName: "
         "c}]}"}},
       {request + ": Invalid value"}},
      {{{request, "{name: a, firstAvailable: [{name: b, deviceClassName: c}]}"}}, {}},
  });
}

TEST(Sharing, RsV2EntriesOfEveryLevel) {
  for (const std::string& list : {kOfSet, kOfGroup, kOfClique}) {
    SCOPED_TRACE(list);
    const Edit fresh{list, "[{name: gpu, scope: AllReplicas}]"};
    ExpectCases({
        {{fresh}, {}},
        {{fresh, {list + "[0].name", "''"}}, {list + "[0].name: Required value"}},
        {{fresh, {list + "[1]", "{name: gpu, scope: PerReplica}"}},
         {list + "[1].name: Duplicate value: \"gpu\""}},
        {{fresh, {list + "[1]", "{name: gpu, namespace: ns, scope: PerReplica}"}},
         {list + "[1].name: Duplicate value: \"gpu\"",
          list + "[1].namespace: Invalid value: \"ns\""}},
        {{fresh, {list + "[0].namespace", "ns"}},
         {list + "[0].namespace: Invalid value: \"ns\": namespace must be empty when name matches "
                 "an internal resourceClaimTemplate"}},
        {{fresh, {list + "[0].name", "external"}, {list + "[0].namespace", "ns"}}, {}},
        {{fresh, {list + "[0].name", "external"}}, {}},
        {{fresh, {list + "[0].name", "external"}, {list + "[0].namespace", "Team_A"}},
         {list + "[0].namespace: Invalid value: \"Team_A\": a lowercase RFC 1123 label"}},
        {{fresh, {list + "[0].scope", "Sometimes"}},
         {list + "[0].scope: Unsupported value: \"Sometimes\": supported values: \"AllReplicas\", "
                 "\"PerReplica\"",
          "<nil>: Invalid value"}},
    });
  }
}

TEST(Sharing, RsV3FiltersOfASetNameItsCliquesAndGroups) {
  const auto filter = [](const char* yaml) {
    return std::vector<Edit>{{kOfSet + "[0].filter", yaml}};
  };
  const std::string path = kOfSet + "[0].filter";
  ExpectCases({
      {filter("{childCliqueNames: [front]}"), {}},
      {filter("{childCliqueNames: [work]}"), {}},  // also within a group
      {filter("{childScalingGroupNames: [pair]}"), {}},
      {filter("{childCliqueNames: [side], childScalingGroupNames: [pair]}"), {}},
      {filter("{childCliqueNames: [nobody]}"),
       {path + ".childCliqueNames[0]: Not found: \"nobody\""}},
      {filter("{childScalingGroupNames: [nobody]}"),
       {path + ".childScalingGroupNames[0]: Not found: \"nobody\""}},
      // W12: each list has its own name space.
      {filter("{childCliqueNames: [pair]}"), {path + ".childCliqueNames[0]: Not found: \"pair\""}},
      {filter("{childScalingGroupNames: [front]}"),
       {path + ".childScalingGroupNames[0]: Not found: \"front\""}},
      {filter("{}"), {path + ": Required value"}},
      {filter("{childCliqueNames: [], childScalingGroupNames: []}"), {path + ": Required value"}},
  });
}

TEST(Sharing, RsV4FiltersOfAGroupNameItsMembers) {
  const std::string path = kOfGroup + "[1].filter";
  ExpectCases({
      {{{path, "{childCliqueNames: [lead, work]}"}}, {}},
      {{{path, "{childCliqueNames: [lead, front]}"}},
       {path + ".childCliqueNames[1]: Not found: \"front\""}},
      {{{path, "{childCliqueNames: []}"}}, {path + ": Required value"}},
  });
}

TEST(Sharing, RsV5SharingCannotBeChanged) {
  const struct {
    Edit edit;
    std::string error;
  } changes[] = {
      {{kTemplates + "[0].templateSpec.spec.devices.requests[0].exactly.deviceClassName", "c"},
       kTemplates + ": "},
      {{kTemplates + "[2]",
        "{name: new, templateSpec: {spec: {devices: {requests: [{name: a, exactly: "
        "{deviceClassName: c}}]}}}}"},
       kTemplates + ": "},
      {{kOfSet + "[0].scope", "PerReplica"}, kOfSet + ": "},
      {{kOfSet + "[0].filter.childCliqueNames", "[side]"}, kOfSet + ": "},
      {{kOfClique + "[0].scope", "AllReplicas"}, kOfClique + ": "},
      {{"spec.template.cliques[1].resourceSharing", "[{name: gpu, scope: AllReplicas}]"},
       "spec.template.cliques[1].resourceSharing: "},
      {{"spec.template.cliques[3].resourceSharing", nullptr},
       "spec.template.cliques[3].resourceSharing: "},
      {{kOfGroup + "[0].filter", nullptr}, "spec.template.podCliqueScalingGroups: "},
  };
  for (const auto& change : changes) {
    EXPECT_THAT(
        AllUpdateErrors(Edited(GoodSet(), {change.edit}), GoodSet()),
        ElementsAre(::testing::AllOf(StartsWith(change.error), HasSubstr("field is immutable"))))
        << change.edit.path;
  }
}

TEST(Sharing, RsV5SharingThatStaysIsFineAndNothingIsLikeEmpty) {
  EXPECT_THAT(AllUpdateErrors(GoodSet(), GoodSet()), IsEmpty());
  const Value with = Edited(GoodSet(), {{"spec.template.cliques[1].resourceSharing", "[]"}});
  EXPECT_THAT(AllUpdateErrors(with, GoodSet()), IsEmpty());
  EXPECT_THAT(AllUpdateErrors(GoodSet(), with), IsEmpty());
  const Value bare = Edited(GoodSet(), {{kOfSet, nullptr}, {kTemplates, nullptr}});
  const Value empty = Edited(GoodSet(), {{kOfSet, "[]"}, {kTemplates, "[]"}});
  EXPECT_THAT(AllUpdateErrors(bare, empty), IsEmpty());
  EXPECT_THAT(AllUpdateErrors(empty, bare), IsEmpty());
}

// W21.
TEST(Sharing, WarnsWhenMorePodsShareAClaimThanKubernetesAllows) {
  const auto warned = [](const std::vector<Edit>& edits) {
    return Warnings(Edited(GoodSet(), edits));
  };
  const std::string front = "spec.template.cliques[0].spec.replicas";
  const std::string more = "spec.template.cliques[0].spec.autoScalingConfig.maxReplicas";
  // The set's gpu: 2 replicas of front and of 2 x 3 work.
  EXPECT_THAT(warned({{front, "122"}, {more, "122"}}), IsEmpty());
  EXPECT_THAT(warned({{front, "123"}, {more, "123"}}),
              ElementsAre(HasSubstr(kOfSet + "[0]: 258 pods would share one ResourceClaim")));
  // The set's nic: one replica of 2 x (lead + 3 work); the group's gpu one of its replicas; work's
  // own.
  const std::string work = "spec.template.cliques[3].spec.replicas";
  EXPECT_THAT(warned({{work, "257"}, {kOfSet, "[]"}}),
              ElementsAre(HasSubstr("podCliqueScalingGroups[0].resourceSharing[0]: 257 pods"),
                          HasSubstr("podCliqueScalingGroups[0].resourceSharing[1]: 516 pods"),
                          HasSubstr("cliques[3].resourceSharing[0]: 257 pods")));
  EXPECT_THAT(
      warned({{kOfSet + "[1].filter", "{childCliqueNames: [work], childScalingGroupNames: [pair]}"},
              {work, "130"}}),
      ElementsAre(HasSubstr(kOfSet + "[0]: 524"), HasSubstr(kOfSet + "[1]: 262"),
                  HasSubstr("resourceSharing[1]: 262")));
}

}  // namespace
}  // namespace hearth::admission::grove

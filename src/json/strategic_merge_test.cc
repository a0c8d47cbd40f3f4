#include "json/strategic_merge.h"

#include <gtest/gtest.h>

#include <string>

#include "base/testing/status_matchers.h"
#include "json/internal/same_value.h"
#include "json/parse.h"

namespace hearth::json {
namespace {

Value Json(std::string_view text) {
  Result<Value> value = ParseValue(text);
  EXPECT_TRUE(value.ok()) << text << ": " << value.status().ToString();
  return value.ok() ? *std::move(value) : Value();
}

struct Case {
  const char* name;
  const char* document;
  const char* patch;
  const char* result;  // empty: refused
};

// Every result is what strategicpatch of apimachinery v0.34 gives for the same input.
const Case kCases[] = {
    {"SetsScalar", R"({"spec":{"replicas":1}})", R"({"spec":{"replicas":3}})",
     R"({"spec":{"replicas":3}})"},
    {"NullRemovesMember", R"({"spec":{"replicas":1,"paused":true}})", R"({"spec":{"paused":null}})",
     R"({"spec":{"replicas":1}})"},
    {"NullForMissingMemberIsNothing", R"({"spec":{}})", R"({"spec":{"nodeName":null}})",
     R"({"spec":{}})"},
    {"AddsMap", R"({"metadata":{"name":"a"}})", R"({"metadata":{"labels":{"x":"1","y":null}}})",
     R"({"metadata":{"labels":{"x":"1"},"name":"a"}})"},
    {"MergesMaps", R"({"metadata":{"labels":{"x":"1"}}})", R"({"metadata":{"labels":{"y":"2"}}})",
     R"({"metadata":{"labels":{"x":"1","y":"2"}}})"},
    {"ContainerMergedByName",
     R"({"spec":{"containers":[{"name":"a","image":"i"},{"name":"b","image":"j"}]}})",
     R"({"spec":{"containers":[{"name":"b","image":"k"}]}})",
     R"({"spec":{"containers":[{"image":"i","name":"a"},{"image":"k","name":"b"}]}})"},
    {"NewContainerComesFirst", R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})",
     R"({"spec":{"containers":[{"name":"c","image":"x"}]}})",
     R"({"spec":{"containers":[{"image":"x","name":"c"},{"name":"a"},{"name":"b"}]}})"},
    {"PatchOrderRulesNamedElements",
     R"({"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]}})",
     R"({"spec":{"containers":[{"name":"c"},{"name":"a"}]}})",
     R"({"spec":{"containers":[{"name":"b"},{"name":"c"},{"name":"a"}]}})"},
    {"NewBetweenNamedElements",
     R"({"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"c"},{"name":"d"}]}})",
     R"({"spec":{"containers":[{"name":"b"},{"name":"n"},{"name":"d"}]}})",
     R"({"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"n"},{"name":"c"},)"
     R"({"name":"d"}]}})"},
    {"TemplateContainers",
     R"({"spec":{"template":{"spec":{"containers":[{"name":"a","env":[{"name":"X",)"
     R"("value":"1"},{"name":"Y","value":"2"}]}]}}}})",
     R"({"spec":{"template":{"spec":{"containers":[{"name":"a","env":[{"name":"Y",)"
     R"("value":"3"},{"name":"Z","value":"4"}]}]}}}})",
     R"({"spec":{"template":{"spec":{"containers":[{"env":[{"name":"X","value":"1"},)"
     R"({"name":"Y","value":"3"},{"name":"Z","value":"4"}],"name":"a"}]}}}})"},
    {"DeletesElement", R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})",
     R"({"spec":{"containers":[{"name":"a","$patch":"delete"}]}})",
     R"({"spec":{"containers":[{"name":"b"}]}})"},
    {"DeletesAndMerges", R"({"spec":{"containers":[{"name":"a"},{"name":"b","image":"x"}]}})",
     R"({"spec":{"containers":[{"name":"a","$patch":"delete"},{"name":"b","image":"y"},)"
     R"({"name":"c"}]}})",
     R"({"spec":{"containers":[{"image":"y","name":"b"},{"name":"c"}]}})"},
    {"DeleteOfMissingElement", R"({"spec":{"containers":[{"name":"a"}]}})",
     R"({"spec":{"containers":[{"name":"z","$patch":"delete"}]}})",
     R"({"spec":{"containers":[{"name":"a"}]}})"},
    {"DeleteInMissingList", R"({"spec":{}})",
     R"({"spec":{"containers":[{"name":"z","$patch":"delete"}]}})",
     R"({"spec":{"containers":[]}})"},
    {"ReplacesList", R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})",
     R"({"spec":{"containers":[{"name":"c","image":"x"},{"$patch":"replace"}]}})",
     R"({"spec":{"containers":[{"image":"x","name":"c"}]}})"},
    {"ReplacesListByNothing", R"({"spec":{"volumes":[{"name":"a"}]}})",
     R"({"spec":{"volumes":[{"$patch":"replace"}]}})", R"({"spec":{"volumes":[]}})"},
    {"ReplacesMap", R"({"metadata":{"labels":{"x":"1","y":"2"}}})",
     R"({"metadata":{"labels":{"$patch":"replace","z":"3"}}})",
     R"({"metadata":{"labels":{"z":"3"}}})"},
    {"DeletesMap", R"({"metadata":{"labels":{"x":"1"},"name":"a"}})",
     R"({"metadata":{"labels":{"$patch":"delete"}}})", R"({"metadata":{"labels":{},"name":"a"}})"},
    {"ReplaceOfMissingMap", R"({"metadata":{"name":"a"}})",
     R"({"metadata":{"labels":{"$patch":"replace","z":"3"}}})", R"({"metadata":{"name":"a"}})"},
    {"DeleteOfMissingMap", R"({"metadata":{"name":"a"}})",
     R"({"metadata":{"labels":{"$patch":"delete"}}})", R"({"metadata":{"name":"a"}})"},
    {"ReplacesRoot", R"({"metadata":{"name":"a"},"spec":{"nodeName":"n"}})",
     R"({"$patch":"replace","metadata":{"name":"b"}})", R"({"metadata":{"name":"b"}})"},
    {"ReplacesElementWhole", R"({"spec":{"containers":[{"name":"a","image":"i","tty":true}]}})",
     R"({"spec":{"containers":[{"name":"a","resources":{"$patch":"replace","limits":{)"
     R"("cpu":"1"}}}]}})",
     R"({"spec":{"containers":[{"image":"i","name":"a","tty":true}]}})"},
    {"AtomicListReplaced", R"({"spec":{"containers":[{"name":"a","args":["x","y"]}]}})",
     R"({"spec":{"containers":[{"name":"a","args":["z"]}]}})",
     R"({"spec":{"containers":[{"args":["z"],"name":"a"}]}})"},
    {"AtomicListOfObjectsReplaced", R"({"spec":{"tolerations":[{"key":"a"},{"key":"b"}]}})",
     R"({"spec":{"tolerations":[{"key":"c"}]}})", R"({"spec":{"tolerations":[{"key":"c"}]}})"},
    {"FinalizersMergedAsSet", R"({"metadata":{"finalizers":["a","b"]}})",
     R"({"metadata":{"finalizers":["b","c"]}})", R"({"metadata":{"finalizers":["a","b","c"]}})"},
    {"FinalizersKeepServerOrder", R"({"metadata":{"finalizers":["a","b","c"]}})",
     R"({"metadata":{"finalizers":["c"]}})", R"({"metadata":{"finalizers":["a","b","c"]}})"},
    {"RepeatedFinalizersDropped", R"({"metadata":{"finalizers":["a","a","b"]}})",
     R"({"metadata":{"finalizers":["b"]}})", R"({"metadata":{"finalizers":["a","b"]}})"},
    {"DeletesFromFinalizers", R"({"metadata":{"finalizers":["a","b","c"]}})",
     R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["b","z"]}})",
     R"({"metadata":{"finalizers":["a","c"]}})"},
    {"DeletesAndAddsFinalizers", R"({"metadata":{"finalizers":["a","b","c"]}})",
     R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["b"],"finalizers":[)"
     R"("d"]}})",
     R"({"metadata":{"finalizers":["d","a","c"]}})"},
    {"DeletesFromMissingList", R"({"metadata":{"name":"a"}})",
     R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["b"]}})",
     R"({"metadata":{"name":"a"}})"},
    {"DeletesAllFinalizers", R"({"metadata":{"finalizers":["a"]}})",
     R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a"]}})",
     R"({"metadata":{"finalizers":[]}})"},
    {"OrderOfFinalizers", R"({"metadata":{"finalizers":["a","b","c"]}})",
     R"({"metadata":{"$setElementOrder/finalizers":["c","b","a"]}})",
     R"({"metadata":{"finalizers":["c","b","a"]}})"},
    {"OrderDeleteAndAddFinalizers", R"({"metadata":{"finalizers":["a","b","c"]}})",
     R"({"metadata":{"$setElementOrder/finalizers":["d","c","a"],)"
     R"("$deleteFromPrimitiveList/finalizers":[)"
     R"("b"],"finalizers":["d"]}})",
     R"({"metadata":{"finalizers":["d","c","a"]}})"},
    {"OrderOfContainers", R"({"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]}})",
     R"({"spec":{"$setElementOrder/containers":[{"name":"c"},{"name":"a"}],"containers":[)"
     R"({"name":"a","image":"x"}]}})",
     R"({"spec":{"containers":[{"name":"b"},{"name":"c"},{"image":"x","name":"a"}]}})"},
    {"OrderWithServerOnly",
     R"({"spec":{"containers":[{"name":"s1"},{"name":"a"},{"name":"s2"},{"name":"b"},)"
     R"({"name":"s3"}]}})",
     R"({"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}]}})",
     R"({"spec":{"containers":[{"name":"s1"},{"name":"s2"},{"name":"b"},{"name":"a"},)"
     R"({"name":"s3"}]}})"},
    {"OrderWithNew", R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})",
     R"({"spec":{"$setElementOrder/containers":[{"name":"a"},{"name":"n"},{"name":"b"}],)"
     R"("containers":[{"name":"n","image":"x"}]}})",
     R"({"spec":{"containers":[{"name":"a"},{"image":"x","name":"n"},{"name":"b"}]}})"},
    {"OrderWithDelete", R"({"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]}})",
     R"({"spec":{"$setElementOrder/containers":[{"name":"c"},{"name":"a"}],"containers":[)"
     R"({"name":"b","$patch":"delete"}]}})",
     R"({"spec":{"containers":[{"name":"c"},{"name":"a"}]}})"},
    {"OrderWithDeleteAndNew", R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})",
     R"({"spec":{"$setElementOrder/containers":[{"name":"d"}],)"
     R"("containers":[{"name":"b","$patch":"delete"},{"name":"d"}]}})",
     R"({"spec":{"containers":[{"name":"a"},{"name":"d"}]}})"},
    {"OrderWithoutLiveList", R"({"spec":{}})",
     R"({"spec":{"$setElementOrder/containers":[{"name":"a"},{"name":"b"}],"containers":[)"
     R"({"name":"a"},{"name":"b"}]}})",
     R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})"},
    {"OrderWithoutAnyList", R"({"spec":{"nodeName":"n"}})",
     R"({"spec":{"$setElementOrder/containers":[{"name":"a"}]}})", R"({"spec":{"nodeName":"n"}})"},
    {"OrderLacksPatchElement", R"({"spec":{"containers":[{"name":"a"}]}})",
     R"({"spec":{"$setElementOrder/containers":[{"name":"a"}],"containers":[{"name":"b"}]}})", ""},
    {"OrderContradictsPatch", R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})",
     R"({"spec":{"$setElementOrder/containers":[{"name":"a"},{"name":"b"}],"containers":[)"
     R"({"name":"b"},{"name":"a"}]}})",
     ""},
    {"OrderIsNotAList", R"({"spec":{"containers":[{"name":"a"}]}})",
     R"({"spec":{"$setElementOrder/containers":"a"}})", ""},
    {"RetainKeysSwitchesVolume", R"({"spec":{"volumes":[{"name":"v","emptyDir":{}}]}})",
     R"({"spec":{"volumes":[{"name":"v","$retainKeys":["name","hostPath"],"hostPath":{)"
     R"("path":"/x"}}]}})",
     R"({"spec":{"volumes":[{"hostPath":{"path":"/x"},"name":"v"}]}})"},
    {"RetainKeysSwitchesStrategy",
     R"({"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}}})",
     R"({"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}})",
     R"({"spec":{"strategy":{"type":"Recreate"}}})"},
    {"RetainKeysLacksPatchedMember", R"({"spec":{"strategy":{"type":"RollingUpdate"}}})",
     R"({"spec":{"strategy":{"$retainKeys":["type"],"rollingUpdate":{}}}})", ""},
    {"RetainKeysIsNotAList", R"({"spec":{"strategy":{"type":"RollingUpdate"}}})",
     R"({"spec":{"strategy":{"$retainKeys":"type"}}})", ""},
    {"PortsMergedByContainerPort",
     R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":80,"protocol":"TCP"},)"
     R"({"containerPort":443}]}]}})",
     R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":443,"name":"tls"}]}]}})",
     R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":80,"protocol":"TCP"},)"
     R"({"containerPort":443,"name":"tls"}]}]}})"},
    {"ServicePortsMergedByPort", R"({"spec":{"ports":[{"port":80,"targetPort":1},{"port":81}]}})",
     R"({"spec":{"ports":[{"port":80,"targetPort":2}]}})",
     R"({"spec":{"ports":[{"port":80,"targetPort":2},{"port":81}]}})"},
    {"MountsMergedByPath",
     R"({"spec":{"containers":[{"name":"a","volumeMounts":[{"mountPath":"/a","name":"v"}]}]}})",
     R"({"spec":{"containers":[{"name":"a","volumeMounts":[{"mountPath":"/b","name":"v"},)"
     R"({"mountPath":"/a","readOnly":true}]}]}})",
     R"({"spec":{"containers":[{"name":"a","volumeMounts":[{"mountPath":"/b","name":"v"},)"
     R"({"mountPath":"/a","name":"v","readOnly":true}]}]}})"},
    {"OwnersMergedByUid", R"({"metadata":{"ownerReferences":[{"uid":"1","name":"a"}]}})",
     R"({"metadata":{"ownerReferences":[{"uid":"2","name":"b"},{"uid":"1","controller":true}]}})",
     R"({"metadata":{"ownerReferences":[{"name":"b","uid":"2"},{"controller":true,)"
     R"("name":"a","uid":"1"}]}})"},
    {"ConditionsMergedByType",
     R"({"status":{"conditions":[{"type":"Ready","status":"False"},{"type":"Init",)"
     R"("status":"True"}]}})",
     R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})",
     R"({"status":{"conditions":[{"status":"True","type":"Ready"},{"status":"True",)"
     R"("type":"Init"}]}})"},
    {"PatchElementLacksKey", R"({"spec":{"containers":[{"name":"a"}]}})",
     R"({"spec":{"containers":[{"image":"x"}]}})", ""},
    {"LiveElementLacksKey", R"({"spec":{"containers":[{"image":"a"}]}})",
     R"({"spec":{"containers":[{"name":"x"}]}})", ""},
    {"DeleteLacksKey", R"({"spec":{"containers":[{"name":"a"}]}})",
     R"({"spec":{"containers":[{"$patch":"delete"}]}})", ""},
    {"ElementOfWrongKind", R"({"spec":{"containers":[{"name":"a"}]}})",
     R"({"spec":{"containers":["x"]}})", ""},
    {"UnknownDirective", R"({"metadata":{"labels":{"a":"b"}}})",
     R"({"metadata":{"labels":{"$patch":"frob"}}})", ""},
    {"UnknownDirectiveInList", R"({"spec":{"containers":[{"name":"a"}]}})",
     R"({"spec":{"containers":[{"name":"a","$patch":"frob"}]}})", ""},
    {"KindChanges", R"({"spec":{"strategy":{"rollingUpdate":{"maxSurge":1}}}})",
     R"({"spec":{"strategy":{"rollingUpdate":{"maxSurge":"25%"}}}})",
     R"({"spec":{"strategy":{"rollingUpdate":{"maxSurge":"25%"}}}})"},
    {"ListBecomesMap", R"({"spec":{"containers":[{"name":"a"}]}})",
     R"({"spec":{"containers":{"x":1}}})", R"({"spec":{"containers":{"x":1}}})"},
    {"EmptyPatch", R"({"spec":{"nodeName":"n"}})", R"({})", R"({"spec":{"nodeName":"n"}})"},
    {"EmptyListPatch", R"({"spec":{"containers":[{"name":"a"}]}})", R"({"spec":{"containers":[]}})",
     R"({"spec":{"containers":[{"name":"a"}]}})"},
    {"EmptyAtomicList", R"({"spec":{"tolerations":[{"key":"a"}]}})",
     R"({"spec":{"tolerations":[]}})", R"({"spec":{"tolerations":[]}})"},
    {"SameKeyTwiceInPatch", R"({"spec":{"containers":[{"name":"a"}]}})",
     R"({"spec":{"containers":[{"name":"b","image":"x"},{"name":"b","tty":true}]}})",
     R"({"spec":{"containers":[{"image":"x","name":"b","tty":true},{"name":"a"}]}})"},
    {"SameKeyTwiceInLive",
     R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":53,"protocol":"TCP"},)"
     R"({"containerPort":53,"protocol":"UDP"}]}]}})",
     R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":53,"name":"dns"}]}]}})",
     R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":53,"name":"dns",)"
     R"("protocol":"TCP"},{"containerPort":53,"protocol":"UDP"}]}]}})"},
    {"DeleteRemovesAllOfKey",
     R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":53,"protocol":"TCP"},)"
     R"({"containerPort":53,"protocol":"UDP"},{"containerPort":1}]}]}})",
     R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":53,"$patch":"delete"}]}]}})",
     R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":1}]}]}})"},
    {"NullElementMember", R"({"spec":{"containers":[{"name":"a","image":"x"}]}})",
     R"({"spec":{"containers":[{"name":"a","image":null}]}})",
     R"({"spec":{"containers":[{"name":"a"}]}})"},
    {"NullRemovesList", R"({"spec":{"containers":[{"name":"a"}],"nodeName":"n"}})",
     R"({"spec":{"containers":null}})", R"({"spec":{"nodeName":"n"}})"},
    {"GatesByName", R"({"spec":{"schedulingGates":[{"name":"a"},{"name":"b"}]}})",
     R"({"spec":{"schedulingGates":[{"name":"b","$patch":"delete"}]}})",
     R"({"spec":{"schedulingGates":[{"name":"a"}]}})"},
    {"ClaimsByName", R"({"spec":{"resourceClaims":[{"name":"g","resourceClaimName":"x"}]}})",
     R"({"spec":{"resourceClaims":[{"name":"g","$retainKeys":["name","resourceClaimTemplateName"],)"
     R"("resourceClaimTemplateName":"t"}]}})",
     R"({"spec":{"resourceClaims":[{"name":"g","resourceClaimTemplateName":"t"}]}})"},
    {"HostAliasesByIp", R"({"spec":{"hostAliases":[{"ip":"1.1.1.1","hostnames":["a"]}]}})",
     R"({"spec":{"hostAliases":[{"ip":"1.1.1.1","hostnames":["b"]},{"ip":"2.2.2.2"}]}})",
     R"({"spec":{"hostAliases":[{"hostnames":["b"],"ip":"1.1.1.1"},{"ip":"2.2.2.2"}]}})"},
    {"SpreadByTopologyKey",
     R"({"spec":{"topologySpreadConstraints":[{"topologyKey":"zone","maxSkew":1}]}})",
     R"({"spec":{"topologySpreadConstraints":[{"topologyKey":"zone","maxSkew":2}]}})",
     R"({"spec":{"topologySpreadConstraints":[{"maxSkew":2,"topologyKey":"zone"}]}})"},
    {"ResourcesMerged",
     R"({"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"1","memory":"1Gi"}}}]}})",
     R"({"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"2"},"requests":{)"
     R"("cpu":"1"}}}]}})",
     R"({"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"2","memory":"1Gi"},)"
     R"("requests":{"cpu":"1"}}}]}})"},
};

class StrategicMerge : public testing::TestWithParam<Case> {};

TEST_P(StrategicMerge, DoesAsApimachineryDoes) {
  const Case& row = GetParam();
  const Value before = Json(row.document);
  Value document = before;
  const Status status = ApplyStrategicMergePatch(document, Json(row.patch), PodMergeSchema());
  if (*row.result == '\0') {
    EXPECT_CODE(Code::kInvalid, status);
    EXPECT_EQ(document, before) << "a refused patch must change nothing";
    return;
  }
  ASSERT_OK(status);
  EXPECT_TRUE(internal::SameValue(document, Json(row.result))) << document.Write();
}

INSTANTIATE_TEST_SUITE_P(Table, StrategicMerge, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

Result<std::string> Apply(std::string_view document, std::string_view patch) {
  Value value = Json(document);
  RETURN_IF_ERROR(ApplyStrategicMergePatch(value, Json(patch), PodMergeSchema()));
  return value.WriteCanonical();
}

// apimachinery leaves these nulls and directives in and lets the typed decoder drop them.
TEST(StrategicMergeClean, NewElementHasNoNullMembers) {
  ASSERT_OK_AND_ASSIGN(const std::string result,
                       Apply(R"({"spec":{"containers":[{"name":"a"}]}})",
                             R"({"spec":{"containers":[{"name":"b","image":null}]}})"));
  EXPECT_EQ(result, R"({"spec":{"containers":[{"name":"b"},{"name":"a"}]}})");
}

TEST(StrategicMergeClean, NewObjectHasNoDirectives) {
  ASSERT_OK_AND_ASSIGN(
      const std::string result,
      Apply("{}", R"({"spec":{"$setElementOrder/containers":[{"name":"a"}],"$retainKeys":["x"],)"
                  R"("$deleteFromPrimitiveList/y":[1],"containers":[{"name":"a"}]}})"));
  EXPECT_EQ(result, R"({"spec":{"containers":[{"name":"a"}]}})");
}

TEST(StrategicMergeClean, ReplacementHasNoNullMembers) {
  ASSERT_OK_AND_ASSIGN(const std::string result,
                       Apply(R"({"metadata":{"labels":{"a":"b"}}})",
                             R"({"metadata":{"labels":{"$patch":"replace","c":null,"d":"e"}}})"));
  EXPECT_EQ(result, R"({"metadata":{"labels":{"d":"e"}}})");
}

TEST(StrategicMergeDirective, MergeIsWhatHappensAnyway) {
  ASSERT_OK_AND_ASSIGN(
      const std::string result,
      Apply(R"({"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"x"}]}})",
            R"({"metadata":{"labels":{"$patch":"merge","c":"d"}},)"
            R"("spec":{"containers":[{"name":"x","$patch":"merge","tty":true}]}})"));
  EXPECT_EQ(result, R"({"metadata":{"labels":{"a":"b","c":"d"}},)"
                    R"("spec":{"containers":[{"name":"x","tty":true}]}})");
}

TEST(StrategicMergeDirective, OrderWithoutListNameIsRefused) {
  EXPECT_CODE(Code::kInvalid, Apply("{}", R"({"$setElementOrder":[]})"));
  EXPECT_CODE(Code::kInvalid, Apply("{}", R"({"$deleteFromPrimitiveList":[]})"));
}

TEST(StrategicMergeErrors, NameThePath) {
  const auto result = Apply(R"({"spec":{"template":{"spec":{"containers":[{"name":"a"}]}}}})",
                            R"({"spec":{"template":{"spec":{"containers":[{"image":"x"}]}}}})");
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.status().message().find("spec.template.spec.containers"), std::string::npos)
      << result.status().ToString();
  EXPECT_NE(result.status().message().find("name"), std::string::npos);
}

TEST(StrategicMergeErrors, OnlyObjectsMeet) {
  EXPECT_CODE(Code::kInvalid, Apply("[]", "{}"));
  EXPECT_CODE(Code::kInvalid, Apply("{}", "[]"));
}

TEST(StrategicMergeKeys, NumbersByValue) {
  ASSERT_OK_AND_ASSIGN(const std::string result,
                       Apply(R"({"spec":{"ports":[{"port":80,"name":"a"}]}})",
                             R"({"spec":{"ports":[{"port":8e1,"name":"b"}]}})"));
  EXPECT_EQ(result, R"({"spec":{"ports":[{"name":"b","port":8e1}]}})");
}

TEST(PodMergeSchema, KnowsPodSpecsWhereverTheyStand) {
  const MergeSchema& schema = PodMergeSchema();
  for (const auto& path : {std::vector<std::string_view>{"spec", "containers"},
                           {"spec", "template", "spec", "containers"},
                           {"spec", "jobTemplate", "spec", "template", "spec", "containers"}}) {
    const MergeSchema::List* list = schema.ListAt(path);
    ASSERT_NE(list, nullptr);
    EXPECT_EQ(list->merge_key, "name");
  }
  EXPECT_EQ(schema.ListAt({"spec", "tolerations"}), nullptr);
  EXPECT_EQ(schema.ListAt({"finalizers"}), nullptr);
  EXPECT_EQ(schema.ListAt({}), nullptr);
}

TEST(PodMergeSchema, PortsDependOnWhatHoldsThem) {
  const MergeSchema& schema = PodMergeSchema();
  EXPECT_EQ(schema.ListAt({"spec", "containers", "ports"})->merge_key, "containerPort");
  EXPECT_EQ(schema.ListAt({"spec", "ports"})->merge_key, "port");
  EXPECT_EQ(schema.ListAt({"spec", "ingress", "ports"}), nullptr);
}

TEST(PodMergeSchema, UnionsRetainKeys) {
  const MergeSchema& schema = PodMergeSchema();
  EXPECT_TRUE(schema.RetainKeysAt({"spec", "strategy"}));
  EXPECT_TRUE(schema.RetainKeysAt({"spec", "volumes"}));
  EXPECT_FALSE(schema.RetainKeysAt({"spec", "containers"}));
  EXPECT_FALSE(schema.RetainKeysAt({"strategy"}));
}

}  // namespace
}  // namespace hearth::json

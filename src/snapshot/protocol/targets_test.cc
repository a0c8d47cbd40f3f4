#include "snapshot/protocol/targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/yaml.h"
#include "snapshot/protocol/names.h"

namespace hearth::snapshot {
namespace {

using json::Value;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Value Annotated(std::string_view text) {
  Value object = Value::Object();
  object.MakePath("metadata.annotations").Set(kTargetsAnnotation, text);
  return object;
}

TEST(Targets, AreNamesBetweenCommas) {
  // A3
  EXPECT_THAT(*ParseTargets(""), IsEmpty());
  EXPECT_THAT(*ParseTargets("   "), IsEmpty());
  EXPECT_THAT(*ParseTargets("main"), ElementsAre("main"));
  EXPECT_THAT(*ParseTargets("engine-0,engine-1"), ElementsAre("engine-0", "engine-1"));
  EXPECT_THAT(*ParseTargets(" engine-0 , engine-1 "), ElementsAre("engine-0", "engine-1"));
}

TEST(Targets, EmptyAndRepeatedNamesAreRefused) {
  // A4
  for (const char* const text : {"a,a", "a,,b", "a,", ",", "a, a"}) {
    EXPECT_EQ(ParseTargets(text).status().code(), Code::kInvalid) << text;
  }
}

TEST(Targets, AreWrittenAsTheyAreRead) {
  // A5
  EXPECT_EQ(FormatTargets({"a", " b ", "", "c"}), "a,b,c");
  EXPECT_EQ(FormatTargets({}), "");
}

TEST(Targets, AnAnnotationThatIsNeededIsNamed) {
  // A6
  for (const Value& object : {Value::Object(), Annotated(""), Annotated("  ")}) {
    const auto names = TargetsOf(object, 1, 1);
    ASSERT_FALSE(names.ok());
    EXPECT_THAT(names.status().ToString(), HasSubstr(std::string(kTargetsAnnotation)));
  }
  EXPECT_THAT(*TargetsOf(Value::Object(), 0, 0), IsEmpty());
}

TEST(Targets, MoreOrFewerThanAskedForAreRefused) {
  // A7
  EXPECT_THAT(TargetsOf(Annotated("a,b"), 1, 1).status().ToString(),
              HasSubstr("must list at most 1"));
  EXPECT_THAT(TargetsOf(Annotated("a"), 2, 0).status().ToString(),
              HasSubstr("must list at least 2"));
  EXPECT_THAT(*TargetsOf(Annotated("a,b"), 1, 0), ElementsAre("a", "b"));
  EXPECT_FALSE(TargetsOf(Annotated("a,a"), 1, 0).ok());
}

TEST(Targets, HaveTwoKeysOfTheirOwn) {
  // A8
  const auto keys = KeysOfTarget("engine-1");
  ASSERT_OK(keys.status());
  EXPECT_EQ(keys->status, "nvidia.com/snapshot-restore-status.engine-1");
  EXPECT_EQ(keys->container_id, "nvidia.com/snapshot-restore-container-id.engine-1");
}

TEST(Targets, NamesThatMakeKeysTooLongAreRefused) {
  // A9
  EXPECT_THAT(KeysOfTarget(std::string(200, 'x')).status().ToString(),
              HasSubstr("restore status annotation key"));
  EXPECT_OK(KeysOfTarget(std::string(33, 'x')).status());
  EXPECT_THAT(KeysOfTarget(std::string(34, 'x')).status().ToString(), HasSubstr("33 characters"));
}

TEST(Targets, ContainersAreFoundByNameOnly) {
  auto spec = json::ParseYamlDocument(
      "initContainers: [{name: setup}]\n"
      "containers: [{name: sidecar}, {name: main, image: i}, {image: nameless}]\n");
  ASSERT_OK(spec.status());
  ASSERT_NE(FindContainer(*spec, "main"), nullptr);
  EXPECT_EQ(FindContainer(*spec, "main")->Find("image")->string(), "i");
  EXPECT_EQ(FindContainer(*spec, "setup"), nullptr);
  EXPECT_EQ(FindContainer(*spec, ""), nullptr);
}

}  // namespace
}  // namespace hearth::snapshot

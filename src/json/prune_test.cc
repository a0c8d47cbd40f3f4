#include "json/prune.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>

#include "json/testing/sample_pod.h"

namespace hearth::json {
namespace {

using ::testing::HasSubstr;
using Mark = FieldSet::Mark;

struct Rule {
  std::string_view path;
  Mark mark = Mark::kKept;
};

FieldSet With(FieldSet fields, std::initializer_list<Rule> rules) {
  for (const Rule& rule : rules) {
    const Status added = fields.Add(rule.path, rule.mark);
    EXPECT_TRUE(added.ok()) << added.ToString();
  }
  return fields;
}

FieldSet Only(std::initializer_list<Rule> rules) { return With(FieldSet(), rules); }
FieldSet AllBut(std::initializer_list<Rule> rules) { return With(FieldSet::Everything(), rules); }

std::string Pruned(const FieldSet& fields, std::string_view text, const ParseLimits& limits = {}) {
  Pruner pruner(fields, limits);
  const auto output = pruner.Prune(text);
  return output.ok() ? std::string(output->json) : output.status().ToString();
}

TEST(Pruner, KeepsWhatIsNamedWithEverythingBelow) {
  EXPECT_EQ(Pruned(Only({{"spec.a"}, {"status"}}),
                   R"({"kind":"X","spec":{"a":{"deep":[1,{"x":2}]},"b":2},"status":{"s":true}})"),
            R"({"spec":{"a":{"deep":[1,{"x":2}]}},"status":{"s":true}})");
}

TEST(Pruner, DropsWhatIsNamedFromEverything) {
  EXPECT_EQ(
      Pruned(
          AllBut({{"metadata.managedFields", Mark::kDropped}}),
          R"({"kind":"X","metadata":{"name":"n","managedFields":[{"f":{}}],"uid":"u"},"spec":1})"),
      R"({"kind":"X","metadata":{"name":"n","uid":"u"},"spec":1})");
}

TEST(Pruner, TheDeeperPathWinsInEitherDirection) {
  const std::string_view text = R"({"a":{"b":{"c":1,"d":2},"e":3},"f":4})";
  EXPECT_EQ(Pruned(AllBut({{"a", Mark::kDropped}, {"a.b.c"}}), text),
            R"({"a":{"b":{"c":1}},"f":4})");
  EXPECT_EQ(Pruned(Only({{"a.b.c", Mark::kDropped}, {"a"}}), text), R"({"a":{"b":{"d":2},"e":3}})");
}

TEST(Pruner, PrunesEveryElementOfAnArray) {
  EXPECT_EQ(Pruned(Only({{"c[].image"}, {"c[].ports[].name"}}),
                   R"({"c":[{"image":"a","x":1},{"ports":[{"name":"p","n":1},{"n":2}]}]})"),
            R"({"c":[{"image":"a"},{"ports":[{"name":"p"},{}]}]})");
}

TEST(Pruner, ElementsThatKeepNothingHoldTheirPlace) {
  EXPECT_EQ(Pruned(Only({{"c[].image"}}), R"({"c":[{"x":1},{"image":"a"},5,"s",null,[1]]})"),
            R"({"c":[{},{"image":"a"},null,null,null,[]]})");
}

TEST(Pruner, AnArrayWithoutElementPathIsKeptWhole) {
  EXPECT_EQ(Pruned(Only({{"c"}}), R"({"c":[{"x":[1,2]},3]})"), R"({"c":[{"x":[1,2]},3]})");
}

TEST(Pruner, AFieldMayBeDroppedFromEveryElement) {
  EXPECT_EQ(Pruned(AllBut({{"c[].env", Mark::kDropped}}), R"({"c":[{"env":[1],"n":1},7,{"n":2}]})"),
            R"({"c":[{"n":1},7,{"n":2}]})");
  EXPECT_EQ(Pruned(AllBut({{"c[]", Mark::kDropped}}), R"({"c":[1,{"a":2}],"d":3})"),
            R"({"c":[],"d":3})");
}

TEST(Pruner, ObjectsOnTheWayKeepTheirBracesAndScalarsThereAreLeftOut) {
  const FieldSet fields = Only({{"status.phase"}});
  EXPECT_EQ(Pruned(fields, R"({"status":{"x":1}})"), R"({"status":{}})");
  EXPECT_EQ(Pruned(fields, R"({"status":[1,{"phase":2}]})"), R"({"status":[]})");
  EXPECT_EQ(Pruned(fields, R"({"status":null})"), "{}");
  EXPECT_EQ(Pruned(fields, R"({"status":"text","z":1})"), "{}");
  EXPECT_EQ(Pruned(fields, R"({"spec":1})"), "{}");
}

TEST(Pruner, AnythingMayStandAtTheTop) {
  EXPECT_EQ(Pruned(FieldSet::Everything(), " [1, 2] "), "[1,2]");
  EXPECT_EQ(Pruned(FieldSet::Everything(), "7"), "7");
  EXPECT_EQ(Pruned(Only({{"a"}}), "7"), "null");
  EXPECT_EQ(Pruned(Only({{"a"}}), "[1,2]"), "[]");
  EXPECT_EQ(Pruned(FieldSet(), R"({"a":1})"), "{}");
}

TEST(Pruner, NamesMayHaveDotsAndEscapes) {
  const FieldSet fields = Only({{"annotations['a.b/c']"}});
  EXPECT_EQ(Pruned(fields, R"({"annotations":{"a.b/c":"1","a":"2"}})"),
            R"({"annotations":{"a.b/c":"1"}})");
  EXPECT_EQ(Pruned(fields, R"({"annotations":{"a.b\/c":"1"}})"),
            R"({"annotations":{"a.b\/c":"1"}})");
}

TEST(Pruner, WhiteSpaceIsTakenOutAndTokensStay) {
  EXPECT_EQ(Pruned(Only({{"spec"}, {"items[].n"}}),
                   "\n{ \"spec\" :\t{ \"a\" : [ 1.0 , 9007199254740993 ] } , \"x\" : [ { } ] ,\n"
                   " \"items\" : [ { \"n\" : \"a  b\\u00e9\" } , { } ] }\n"),
            R"({"spec":{"a":[1.0,9007199254740993]},"items":[{"n":"a  b\u00e9"},{}]})");
}

TEST(Pruner, TellsTheIdentityWhateverIsKept) {
  const FieldSet nothing;
  Pruner pruner(nothing);
  const auto output = pruner.Prune(
      R"({"metadata":{"name":"web\u002d1","namespace":"prod","managedFields":[{"name":"no"}],"uid":"u-1",)"
      R"("resourceVersion":"42","generation":7,"deletionTimestamp":"2026-01-01T00:00:00Z"},)"
      R"("spec":{"metadata":{"name":"other"}}})");
  ASSERT_TRUE(output.ok()) << output.status().ToString();
  EXPECT_EQ(output->json, "{}");
  EXPECT_EQ(output->name, "web-1");
  EXPECT_EQ(output->name_space, "prod");
  EXPECT_EQ(output->uid, "u-1");
  EXPECT_EQ(output->resource_version, "42");
  EXPECT_EQ(output->generation, 7);
  EXPECT_TRUE(output->deleting);
}

TEST(Pruner, TheIdentityOfOneObjectIsNotLeftForTheNext) {
  const FieldSet everything = FieldSet::Everything();
  Pruner pruner(everything);
  ASSERT_TRUE(
      pruner.Prune(R"({"metadata":{"name":"a","uid":"u","generation":1,"deletionTimestamp":"t"}})")
          .ok());
  const auto output = pruner.Prune(R"({"metadata":{"name":5,"deletionTimestamp":null}})");
  ASSERT_TRUE(output.ok());
  EXPECT_EQ(output->name, "");
  EXPECT_EQ(output->uid, "");
  EXPECT_EQ(output->generation, 0);
  EXPECT_FALSE(output->deleting);
}

TEST(Pruner, GoesOnAfterAFailure) {
  const FieldSet everything = FieldSet::Everything();
  Pruner pruner(everything);
  EXPECT_FALSE(pruner.Prune(R"({"a":[1,{"b":)").ok());
  const auto output = pruner.Prune(R"({"b":1})");
  ASSERT_TRUE(output.ok());
  EXPECT_EQ(output->json, R"({"b":1})");
}

TEST(Pruner, WhatIsKeptIsCheckedAsParseDoes) {
  const FieldSet fields = Only({{"keep"}});
  EXPECT_THAT(Pruned(fields, R"({"keep":{"a":01}})"), HasSubstr("at byte 14"));
  EXPECT_THAT(Pruned(fields, R"({"keep":"\ud800"})"), HasSubstr("expected a valid escape"));
  EXPECT_THAT(Pruned(fields, R"({"keep":{"a":1,"a":2}})"), HasSubstr("duplicate member \"a\""));
  EXPECT_THAT(Pruned(fields, R"({"keep":[1,]})"), HasSubstr("expected a value"));
  EXPECT_THAT(Pruned(fields, "{\"keep\":\"\xFF\"}"), HasSubstr("invalid UTF-8"));
}

TEST(Pruner, AKeptMemberThatStandsTwiceIsRefused) {
  EXPECT_THAT(Pruned(Only({{"a"}}), R"({"a":1,"b":2,"b":2,"a":3})"),
              HasSubstr("duplicate member \"a\""));
  EXPECT_THAT(Pruned(Only({{"s.x"}}), R"({"s":{"x":1},"s":{}})"),
              HasSubstr("duplicate member \"s\""));
  EXPECT_EQ(Pruned(Only({{"a"}}), R"({"a":1,"b":2,"b":2})"), R"({"a":1})");
  EXPECT_EQ(Pruned(Only({{"a"}}), R"({"a":1,"a":2})", {.allow_duplicate_keys = true}),
            R"({"a":1,"a":2})");
}

TEST(Pruner, SkippedPartsAreCheckedForUtf8AndBalance) {
  const FieldSet fields = Only({{"keep"}});
  EXPECT_THAT(Pruned(fields, "{\"x\":[\"\xFF\"],\"keep\":1}"),
              HasSubstr("at byte 7: invalid UTF-8"));
  EXPECT_THAT(Pruned(fields, R"({"x":[[1],"keep":1})"), HasSubstr("closing bracket"));
  EXPECT_THAT(Pruned(fields, R"({"x":{"a":[1]],"keep":1})"), HasSubstr("other closing bracket"));
  EXPECT_THAT(Pruned(fields, R"({"x":"abc)"), HasSubstr("expected a closing quote"));
  EXPECT_THAT(Pruned(fields, R"({"x":[1],"keep":1} x)"), HasSubstr("nothing more after the value"));
  EXPECT_EQ(Pruned(fields, R"({"x":["]}\"",{"y":"{"}],"keep":1})"), R"({"keep":1})");
}

TEST(Pruner, TheDepthOfWhatIsKeptIsLimited) {
  const std::string deep = std::string(600, '[') + std::string(600, ']');
  EXPECT_THAT(Pruned(Only({{"a"}}), "{\"a\":" + deep + "}"),
              HasSubstr("nested deeper than allowed"));
  EXPECT_EQ(Pruned(Only({{"a"}}), "{\"b\":" + deep + ",\"a\":1}"), R"({"a":1})");
  EXPECT_EQ(Pruned(Only({{"a"}}),
                   "{\"b\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}"),
            "{}");
}

TEST(Pruner, EverythingIsWhatParseGives) {
  const std::string pod = SamplePod::Text();
  EXPECT_EQ(Pruned(FieldSet::Everything(), pod), pod);
  EXPECT_EQ(Pruned(FieldSet::Everything(), Value(View::Trusted(pod)).WritePretty()), pod);
}

TEST(Pruner, APodKeepsTheSameFieldsHoweverItIsWritten) {
  const FieldSet fields = Only({{"metadata.labels"}, {"spec.containers[].name"}, {"status.phase"}});
  const std::string pod = SamplePod::Text();
  const std::string expected =
      R"({"metadata":{"labels":{"app":"web","pod-template-hash":"7d4b9c6f5"}},)"
      R"("spec":{"containers":[{"name":"web"},{"name":"proxy"}]},"status":{"phase":"Running"}})";
  EXPECT_EQ(Pruned(fields, pod), expected);
  EXPECT_EQ(Pruned(fields, Value(View::Trusted(pod)).WritePretty()), expected);
}

TEST(Pruner, TheTextMayEndWithItsMemory) {
  // Exactly as many bytes as the value has, so that a sanitizer sees a step too far.
  const std::string pod = SamplePod::Text();
  for (const size_t cut : {size_t{0}, size_t{1}, size_t{17}, size_t{64}}) {
    const std::string text = "[" + std::string(cut, ' ') + "{}]";
    const std::vector<char> exact(text.begin(), text.end());
    EXPECT_EQ(Pruned(FieldSet::Everything(), {exact.data(), exact.size()}), "[{}]");
    EXPECT_EQ(Pruned(FieldSet(), {exact.data(), exact.size()}), "[]");
  }
  const std::vector<char> exact(pod.begin(), pod.end());
  EXPECT_EQ(Pruned(FieldSet(), {exact.data(), exact.size()}), "{}");
}

}  // namespace
}  // namespace hearth::json

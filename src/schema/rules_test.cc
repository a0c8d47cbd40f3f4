#include "schema/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/yaml.h"
#include "schema/validate.h"

namespace hearth::schema {
namespace {

using json::Value;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kSchema = R"(
type: object
x-kubernetes-validations: [{rule: r}]
properties:
  must: {type: string}
  list:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [k]
    items:
      type: object
      required: [k]
      properties: {k: {type: string}, v: {type: string, x-kubernetes-validations: [{rule: r}]}}
  atomic: {type: array, items: {type: string, x-kubernetes-validations: [{rule: r}]}}
  map: {type: object, additionalProperties: {type: integer, nullable: true, x-kubernetes-validations: [{rule: r}]}}
  plain: {type: object, properties: {a: {type: string}}}
)";

// Writes down where it was called.
class Recorder : public RuleChecker {
 public:
  bool Check(const RuleSite& site, ErrorList& errors) override {
    const std::string old = site.old_self() == nullptr ? "-" : site.old_self()->Write();
    if (!site.path().IsRoot()) {
      calls.push_back(site.path().ToString() + " " + site.self().Write() + " " + old +
                      (site.Unchanged() ? " same" : ""));
    } else {
      EXPECT_TRUE(site.is_resource());
      calls.emplace_back("root");
    }
    if (fail) {
      errors.Add(Invalid(site.path(), site.self(), "rule"));
    }
    return calls.size() < stop_after;
  }
  std::vector<std::string> calls;
  bool fail = false;
  size_t stop_after = 1000;
};

Value Yaml(const std::string& text) { return json::ParseYamlDocument(text).value(); }

Validator Make() { return Validator::Make(FromJson(Yaml(kSchema)).value()).value(); }

TEST(Rules, EveryValueWithRulesIsVisitedParentsFirst) {
  Recorder recorder;
  Make().Validate(Yaml("{list: [{k: a, v: b}], map: {x/y: 1, z: null}, plain: {a: b}}"), &recorder);
  EXPECT_THAT(recorder.calls, ElementsAre("root", "list[0].v \"b\" -", "map[x/y] 1 -"));
}

TEST(Rules, OldValuesAreFoundByNameAndByKey) {
  Recorder recorder;
  Make().ValidateUpdate(Yaml("{list: [{k: b, v: new}, {k: c, v: d}], atomic: [x], map: {a: 1}}"),
                        Yaml("{list: [{k: a, v: b}, {k: b, v: old}], atomic: [x], map: {a: 1}}"),
                        &recorder);
  EXPECT_THAT(recorder.calls, ElementsAre("root", "list[0].v \"new\" \"old\"", "list[1].v \"d\" -",
                                          "atomic[0] \"x\" - same", "map[a] 1 1 same"));
}

TEST(Rules, AnObjectOfTheWrongShapeIsNotShownToThem) {
  Recorder recorder;
  const auto errors = Make().Validate(Yaml("{must: 5}"), &recorder);
  EXPECT_THAT(recorder.calls, IsEmpty());
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[1].path, "<nil>");
}

TEST(Rules, WhatFailsIsTold) {
  Recorder recorder;
  recorder.fail = true;
  EXPECT_EQ(Make().Validate(Yaml("{atomic: [x]}"), &recorder).size(), 2u);
}

TEST(Rules, AUsedUpBudgetEndsTheWalk) {
  Recorder recorder;
  recorder.stop_after = 2;
  Make().Validate(Yaml("{atomic: [x, q, z]}"), &recorder);
  EXPECT_EQ(recorder.calls.size(), 2u);
}

TEST(Rules, WithoutACheckerTheyAreNotAsked) {
  EXPECT_THAT(Make().Validate(Yaml("{atomic: [x]}")), IsEmpty());
  EXPECT_TRUE(Make().has_rules());
}

}  // namespace
}  // namespace hearth::schema

#include "schema/cel/rule_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/parse.h"
#include "json/yaml.h"
#include "schema/validate.h"

namespace hearth::schema {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

json::Value Yaml(const std::string& text) { return *json::ParseYamlDocument(text); }

// A schema and its rules, asked as an API server would.
class Rules {
 public:
  explicit Rules(const std::string& schema_yaml) : schema_(*FromJson(Yaml(schema_yaml))) {}

  std::vector<std::string> Create(const std::string& object) { return Ask(Yaml(object), nullptr); }
  // Numbers as they are written.
  std::vector<std::string> CreateJson(const std::string& object) {
    return Ask(*json::ParseValue(object), nullptr);
  }
  std::vector<std::string> Update(const std::string& object, const std::string& old) {
    const json::Value before = Yaml(old);
    return Ask(Yaml(object), &before);
  }

 private:
  std::vector<std::string> Ask(const json::Value& object, const json::Value* old) {
    const auto validator = Validator::Make(schema_);
    const auto rules = RuleSet::Compile(schema_);
    EXPECT_OK(validator);
    EXPECT_OK(rules);
    const auto checker = rules->NewChecker();
    const auto errors = old == nullptr ? validator->Validate(object, checker.get())
                                       : validator->ValidateUpdate(object, *old, checker.get());
    std::vector<std::string> texts;
    for (const FieldError& error : errors) {
      texts.push_back(error.ToString());
    }
    return texts;
  }

  SchemaPtr schema_;
};

constexpr const char* kScaled = R"yaml(
type: object
properties:
  spec:
    type: object
    properties:
      replicas: {type: integer}
      least: {type: integer}
      share: {type: number}
      mode: {type: string}
      names:
        type: array
        x-kubernetes-list-type: set
        items: {type: string}
      parts:
        type: array
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [name]
        items:
          type: object
          required: [name]
          properties: {name: {type: string}, size: {type: integer}}
          x-kubernetes-validations:
          - {rule: "self.size >= oldSelf.size", message: must not shrink}
    x-kubernetes-validations:
    - {rule: "!has(self.least) || self.least <= self.replicas", message: least is too much, fieldPath: .least}
    - {rule: "!has(self.share) || self.share < 1.5", messageExpression: "'share is ' + string(self.share)"}
    - {rule: "!has(self.mode) || self.mode == oldSelf.mode", message: field is immutable, reason: FieldValueForbidden}
    - {rule: "oldSelf.hasValue() || !has(self.names)", optionalOldSelf: true, message: names must be unset on create}
)yaml";

TEST(RuleSet, FailingRuleIsToldWithItsMessageAtItsPath) {
  Rules rules(kScaled);
  EXPECT_THAT(rules.Create("spec: {replicas: 2, least: 2}"), IsEmpty());
  EXPECT_THAT(rules.Create("spec: {replicas: 2, least: 3}"),
              ElementsAre(R"(spec.least: Invalid value: "object": least is too much)"));
}

TEST(RuleSet, NumbersAreTypedByTheSchemaAndMessagesMayBeExpressions) {
  Rules rules(kScaled);
  EXPECT_THAT(rules.Create("spec: {share: 1}"), IsEmpty());
  EXPECT_THAT(rules.Create("spec: {share: 2}"),
              ElementsAre(R"(spec: Invalid value: "object": share is 2)"));
}

TEST(RuleSet, TransitionRulesAreAskedOnlyOfUpdates) {
  Rules rules(kScaled);
  EXPECT_THAT(rules.Create("spec: {mode: a}"), IsEmpty());
  EXPECT_THAT(rules.Update("spec: {mode: b}", "spec: {mode: a}"),
              ElementsAre("spec: Forbidden: field is immutable"));
}

TEST(RuleSet, OldSelfMayBeOptional) {
  Rules rules(kScaled);
  EXPECT_THAT(rules.Create("spec: {names: [a]}"),
              ElementsAre(R"(spec: Invalid value: "object": names must be unset on create)"));
  EXPECT_THAT(rules.Update("spec: {names: [a]}", "spec: {}"), IsEmpty());
}

TEST(RuleSet, ItemsOfMapListsMeetTheirOldSelvesByKey) {
  Rules rules(kScaled);
  const char* old = "spec: {parts: [{name: a, size: 2}, {name: b, size: 5}]}";
  EXPECT_THAT(rules.Update("spec: {parts: [{name: b, size: 5}, {name: a, size: 3}]}", old),
              IsEmpty());
  EXPECT_THAT(rules.Update("spec: {parts: [{name: c, size: 0}, {name: b, size: 1}]}", old),
              ElementsAre(R"(spec.parts[1]: Invalid value: "object": must not shrink)"));
}

TEST(RuleSet, FaultThatWasThereBeforeDoesNotStopAnUpdate) {
  Rules rules(kScaled);
  EXPECT_THAT(rules.Update("spec: {replicas: 1, least: 2}", "spec: {replicas: 1, least: 2}"),
              IsEmpty());
}

TEST(RuleSet, SetsAreEqualInAnyOrder) {
  Rules rules(R"yaml(
type: object
properties:
  names: {type: array, x-kubernetes-list-type: set, items: {type: string}}
x-kubernetes-validations: [{rule: "self.names == oldSelf.names", message: changed}]
)yaml");
  EXPECT_THAT(rules.Update("names: [a, b]", "names: [b, a]"), IsEmpty());
  EXPECT_THAT(rules.Update("names: [a, c]", "names: [b, a]"),
              ElementsAre(R"(<nil>: Invalid value: "object": changed)"));
}

TEST(RuleSet, EscapedNamesTimesAndMetadataAreKnown) {
  Rules rules(R"yaml(
type: object
properties:
  metadata: {type: object}
  spec:
    type: object
    properties:
      my-name: {type: string}
      until: {type: string, format: date-time}
      "namespace": {type: string}
x-kubernetes-validations:
- {rule: "self.metadata.name.startsWith('a')", message: name}
- {rule: "self.spec.my__dash__name == 'x'", message: dash}
- {rule: "self.spec.until > timestamp('2026-01-01T00:00:00Z')", message: past}
- {rule: "self.spec.__namespace__ != ''", message: empty}
)yaml");
  EXPECT_THAT(rules.Create(R"({metadata: {name: ab}, spec: {my-name: x, namespace: ns,
                               until: "2026-02-01T00:00:00Z"}})"),
              IsEmpty());
  EXPECT_THAT(rules
                  .Create(R"({metadata: {name: b}, spec: {my-name: z, namespace: "",
                               until: "2025-02-01T00:00:00Z"}})")
                  .size(),
              4U);
}

TEST(RuleSet, FailureToEvaluateIsAFault) {
  Rules rules(R"yaml(
type: object
properties: {a: {type: integer}, b: {type: integer}}
x-kubernetes-validations: [{rule: "self.a / self.b > 0", message: ratio}]
)yaml");
  const auto errors = rules.Create("{a: 1, b: 0}");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_THAT(errors[0], HasSubstr("evaluating rule: ratio"));
}

// Nobody knows what it would say, so that nothing excuses it; and it is told of the value itself.
TEST(RuleSet, FailureToEvaluateStopsAnUpdateThatChangesNothing) {
  Rules rules(R"yaml(
type: object
properties: {a: {type: integer}, b: {type: integer}}
x-kubernetes-validations: [{rule: "self.a / self.b > 0", message: ratio, fieldPath: .a}]
)yaml");
  EXPECT_THAT(rules.Update("{a: 1, b: 0}", "{a: 1, b: 0}"),
              ElementsAre(HasSubstr("<nil>: Invalid value: \"object\": division by zero")));
}

TEST(RuleSet, ArgumentsThatDoNotFitAreSaidToBe) {
  Rules rules(R"yaml(
type: object
properties: {a: {x-kubernetes-int-or-string: true}}
x-kubernetes-validations: [{rule: " self.a + 1 > 0 "}]
)yaml");
  EXPECT_THAT(rules.Create("{a: x}"),
              ElementsAre(HasSubstr("'no such overload': call arguments did not match a supported "
                                    "operator, function or macro signature for rule: self.a + 1 > "
                                    "0")));
  EXPECT_THAT(rules.CreateJson(R"({"a":1.0})"),
              ElementsAre(HasSubstr("expected XIntOrString value to be either a string or integer "
                                    "evaluating rule: self.a + 1 > 0")));
}

// As the API server, which reads it as a number with a fraction.
TEST(RuleSet, WholeNumbersWithAFractionAreNoIntegersForRules) {
  Rules rules(R"yaml(
type: object
properties: {a: {type: integer}}
x-kubernetes-validations: [{rule: "self.a > 0", message: positive}]
)yaml");
  EXPECT_THAT(rules.CreateJson(R"({"a":1.0})"),
              ElementsAre(HasSubstr("expected int, got float64 evaluating rule: positive")));
  EXPECT_THAT(rules.Create("{a: 1}"), IsEmpty());
}

TEST(RuleSet, MessagesStandWithoutTheSpaceAroundThem) {
  Rules rules(R"yaml(
type: object
properties: {a: {type: string}}
x-kubernetes-validations:
- {rule: "false ", message: " plain\t"}
- {rule: " 1 > 2 "}
- {rule: "2 > 3", messageExpression: "' ' + self.a + '\\n'", message: "unused"}
- {rule: "3 > 4", messageExpression: "'\\t\\n '", message: " used "}
- {rule: "4 > 5", messageExpression: "'one\\ntwo'", message: "one line"}
)yaml");
  EXPECT_THAT(rules.Create("{a: told}"),
              ElementsAre(R"(<nil>: Invalid value: "object": plain)",
                          R"(<nil>: Invalid value: "object": failed rule: 1 > 2)",
                          R"(<nil>: Invalid value: "object": told)",
                          R"(<nil>: Invalid value: "object": used)",
                          R"(<nil>: Invalid value: "object": one line)"));
}

TEST(RuleSet, DuplicatesAreToldWithoutTheMessage) {
  Rules rules(R"yaml(
type: object
properties: {a: {type: string}}
x-kubernetes-validations: [{rule: "false", message: twice, reason: FieldValueDuplicate}]
)yaml");
  EXPECT_THAT(rules.Create("{a: x}"), ElementsAre(R"(<nil>: Duplicate value: "object")"));
}

TEST(RuleSet, RuleThatDoesNotCompileIsNamedWithItsPlace) {
  const auto schema = FromJson(Yaml(R"yaml(
type: object
properties:
  spec: {type: object, x-kubernetes-validations: [{rule: "self.a ==", message: m}]}
)yaml"));
  ASSERT_OK(schema);
  const auto rules = RuleSet::Compile(*schema);
  ASSERT_FALSE(rules.ok());
  EXPECT_EQ(rules.status().causes()[0].field, "spec");
}

constexpr const char* kCostly = "self.names.all(a, self.names.all(b, a + b != 'x'))";

std::string ManyNames() {
  std::string names = "{names: [";
  for (int i = 0; i < 3000; ++i) {
    names += "name-" + std::to_string(i) + ", ";
  }
  return names + "]}";
}

Rules NamesWith(const std::string& rules) {
  return Rules(R"yaml(
type: object
properties:
  names:
    type: array
    items: {type: string}
    x-kubernetes-validations: [{rule: "false", message: below}]
x-kubernetes-validations:
)yaml" + rules);
}

TEST(RuleSet, WhatCostsTooMuchEndsAllRules) {
  Rules rules =
      NamesWith(std::string("- {rule: \"") + kCostly + "\", message: m}\n- {rule: \"false\"}\n");
  const std::string text =
      R"(<nil>: Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no )"
      "further validation rules will be run due to call cost exceeds limit for rule: m";
  EXPECT_THAT(rules.Create(ManyNames()), ElementsAre(text));
  EXPECT_THAT(rules.Update(ManyNames(), ManyNames()), ElementsAre(text));
}

TEST(RuleSet, MessageThatCostsTooMuchEndsAllRules) {
  Rules rules = NamesWith(std::string("- {rule: \"false\", messageExpression: \"") + kCostly +
                          " ? 'a' : 'b'\"}\n- {rule: \"1 > 2\"}\n");
  EXPECT_THAT(rules.Create(ManyNames()),
              ElementsAre(HasSubstr("call cost exceeds limit for messageExpression: \"self.")));
}

TEST(RuleSet, UsedUpBudgetEndsAllRules) {
  const auto schema = *FromJson(Yaml(R"yaml(
type: object
properties: {a: {type: string}}
x-kubernetes-validations: [{rule: "self.a == 'x'"}, {rule: "self.a == 'y'"}]
)yaml"));
  const auto rules = RuleSet::Compile(schema);
  ASSERT_OK(rules);
  const auto checker = rules->NewChecker(1);
  const json::Value object = Yaml("{a: z}");
  const auto errors = Validator::Make(schema)->ValidateUpdate(object, object, checker.get());
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].detail,
            "validation failed due to running out of cost budget, no further validation rules will "
            "be run");
}

}  // namespace
}  // namespace hearth::schema

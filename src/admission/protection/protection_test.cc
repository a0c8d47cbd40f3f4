#include "admission/protection/protection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/yaml.h"

namespace hearth::admission::protection {
namespace {

using json::Value;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kOperator = "system:serviceaccount:hearth-system:hearth-operator";
constexpr const char* kManaged =
    "{metadata: {labels: {app.kubernetes.io/managed-by: grove-operator, "
    "app.kubernetes.io/part-of: llm}}}";

Value Yaml(const char* text) { return json::ParseYamlDocument(text).value(); }

// What is asked for, and what is there. Null: nothing.
struct Question {
  std::string operation = "UPDATE";
  std::string kind = "PodClique";
  std::string user = "jane";
  const char* object = kManaged;
  const char* old_object = kManaged;
  Result<Value> set = Value::Object();
};

class Protection : public ::testing::Test {
 protected:
  Result<Decision> Ask(const Question& question) {
    const Value object = question.object == nullptr ? Value() : Yaml(question.object);
    const Value old_object = question.old_object == nullptr ? Value() : Yaml(question.old_object);
    const Guard guard{.accounts = {kOperator, "exempt"},
                      .read_set = [&](const kube::ObjectKey& key) {
                        read_.push_back(key.ToString());
                        return question.set;
                      }};
    return Decide({question.operation, question.kind, "llm-0-work", "models", question.user, object,
                   old_object},
                  guard);
  }

  void ExpectAllowed(const Question& question) {
    const auto decision = Ask(question);
    ASSERT_OK(decision);
    EXPECT_TRUE(decision->allowed) << decision->text;
    EXPECT_THAT(decision->text, IsEmpty());
  }

  void ExpectWarned(const Question& question, const std::string& text) {
    const auto decision = Ask(question);
    ASSERT_OK(decision);
    EXPECT_TRUE(decision->allowed);
    EXPECT_THAT(decision->text, HasSubstr(text));
  }

  void ExpectDenied(const Question& question, const std::string& verb) {
    const auto decision = Ask(question);
    ASSERT_OK(decision);
    EXPECT_FALSE(decision->allowed);
    EXPECT_THAT(decision->text,
                AllOf(HasSubstr("\"llm-0-work\" belongs to PodCliqueSet \"llm\""),
                      HasSubstr("\"" + question.user + "\" may not " + verb + " it"),
                      HasSubstr("grove.io/disable-managed-resource-protection to \"true\"")));
  }

  std::vector<std::string> read_;
};

TEST_F(Protection, OthersMayNotTouchWhatWasMade) {
  ExpectDenied({.operation = "CREATE", .old_object = nullptr}, "make");
  ExpectDenied({.operation = "UPDATE"}, "change");
  ExpectDenied({.operation = "DELETE", .object = nullptr}, "delete");
  ExpectDenied({.operation = "UPDATE", .kind = "Pod"}, "change");
  ExpectDenied({.operation = "DELETE", .kind = "ResourceClaim", .object = nullptr}, "delete");
  EXPECT_THAT(read_,
              ElementsAre("models/llm", "models/llm", "models/llm", "models/llm", "models/llm"));
}

TEST_F(Protection, TheOperatorAndTheExemptMayWithoutFurtherQuestions) {
  ExpectAllowed({.user = kOperator});
  ExpectAllowed({.operation = "CREATE", .user = "exempt", .old_object = nullptr});
  ExpectDenied({.user = "system:serviceaccount:hearth-system:hearth-operator2"}, "change");
  ExpectDenied({.user = ""}, "change");
  EXPECT_EQ(read_.size(), 2U);
}

TEST_F(Protection, EverybodyMayDeletePodsAndConnect) {
  ExpectAllowed({.operation = "DELETE", .kind = "Pod", .object = nullptr});
  ExpectAllowed({.operation = "CONNECT", .kind = "Pod"});
  EXPECT_THAT(read_, IsEmpty());
}

TEST_F(Protection, TheSetMaySwitchItOff) {
  const auto set = [](const char* value) {
    return Value::Object(
        {{"metadata",
          Value::Object({{"annotations", Value::Object({{kDisabledAnnotation.data(), value}})}})}});
  };
  ExpectAllowed({.set = set("true")});
  ExpectDenied({.set = set("false")}, "change");
  ExpectDenied({.set = set("True")}, "change");
}

TEST_F(Protection, WhatBelongsToNoSetIsNotProtectedAndTheUserIsTold) {
  const char* const kNoSet = "{metadata: {labels: {app.kubernetes.io/managed-by: grove-operator}}}";
  ExpectWarned({.old_object = kNoSet}, "has no label app.kubernetes.io/part-of");
  ExpectWarned({.set = NotFoundError("no such set")}, "PodCliqueSet \"llm\", which is not there");
}

TEST_F(Protection, WhatExistsIsJudgedByWhatItIs) {
  ExpectDenied({.object = "{metadata: {}}"}, "change");
  ExpectAllowed({.old_object = "{metadata: {labels: {app.kubernetes.io/part-of: llm}}}"});
}

TEST_F(Protection, ASetThatCannotBeReadIsAnError) {
  const auto decision = Ask({.set = UnavailableError("no server")});
  EXPECT_CODE(Code::kUnavailable, decision);
  EXPECT_THAT(std::string(decision.status().message()), HasSubstr("reading PodCliqueSet llm"));
}

TEST_F(Protection, AnyObjectIsJudged) {
  for (const char* const object : {"{}", "[]", "7", "{metadata: 7}", "{metadata: {labels: [a]}}",
                                   "{metadata: {labels: {app.kubernetes.io/managed-by: 7}}}"}) {
    SCOPED_TRACE(object);
    EXPECT_OK(Ask({.old_object = object}));
  }
}

}  // namespace
}  // namespace hearth::admission::protection

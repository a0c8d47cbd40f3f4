#include "kube/model/selector.h"

#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/parse.h"

namespace hearth::kube {
namespace {

bool Matches(std::string_view selector, std::string_view labels) {
  auto parsed = LabelSelector::Parse(selector);
  auto blob = json::Parse(labels);
  EXPECT_OK(parsed);
  EXPECT_OK(blob);
  return parsed.ok() && blob.ok() && parsed->Matches(blob->view());
}

TEST(LabelSelector, MatchesAsTheServerDoes) {
  struct Case {
    const char* selector;
    const char* labels;
    bool matches;
  };
  const Case cases[] = {
      {"", R"({})", true},
      {"", R"({"a":"b"})", true},
      {"a=b", R"({"a":"b"})", true},
      {"a==b", R"({"a":"b"})", true},
      {"a=b", R"({"a":"c"})", false},
      {"a=b", R"({})", false},
      {"a=", R"({"a":""})", true},
      {"a=", R"({})", false},
      {"a!=b", R"({"a":"c"})", true},
      {"a!=b", R"({})", true},
      {"a!=b", R"({"a":"b"})", false},
      {"a in (b,c)", R"({"a":"c"})", true},
      {"a in (b,c)", R"({"a":"d"})", false},
      {"a in (b,)", R"({"a":""})", true},
      {"a notin (b,c)", R"({"a":"d"})", true},
      {"a notin (b,c)", R"({})", true},
      {"a notin (b,c)", R"({"a":"b"})", false},
      {"a", R"({"a":""})", true},
      {"a", R"({"b":""})", false},
      {"!a", R"({"b":""})", true},
      {"!a", R"({"a":""})", false},
      {"a=b,c,!d", R"({"a":"b","c":"x"})", true},
      {"a=b,c,!d", R"({"a":"b","c":"x","d":"y"})", false},
      {"in in (in,notin)", R"({"in":"notin"})", true},
      {" a \t= b\n, c ", R"({"a":"b","c":""})", true},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Matches(c.selector, c.labels), c.matches) << c.selector << " on " << c.labels;
  }
}

TEST(LabelSelector, AbsentLabelsAreNoLabels) {
  ASSERT_OK_AND_ASSIGN(const LabelSelector selector, LabelSelector::Parse("!a"));
  EXPECT_TRUE(selector.Matches(json::View()));
}

TEST(LabelSelector, RefusesWhatTheServerRefuses) {
  const std::string long_name(64, 'a');
  for (const std::string& text : {std::string(","),         std::string("a,"),
                                  std::string(",a"),        std::string("a,,b"),
                                  std::string("=b"),        std::string("a=b=c"),
                                  std::string("a b"),       std::string("a in"),
                                  std::string("a in b"),    std::string("a in ()"),
                                  std::string("a in (b"),   std::string("a in (b c)"),
                                  std::string("a in (b))"), std::string("a notin ()"),
                                  std::string("!a=b"),      std::string("!a in (b)"),
                                  std::string("!"),         std::string("!!a"),
                                  std::string("a===b"),     std::string("a=!b"),
                                  std::string("a=-b"),      std::string("-a=b"),
                                  std::string("A.B/c=d"),   std::string("/a=b"),
                                  std::string("x/y/z=b"),   long_name,
                                  "a=" + long_name,         std::string("()"),
                                  std::string("a(b)"),      std::string("a=(b)")}) {
    SCOPED_TRACE(text);
    EXPECT_CODE(Code::kInvalid, LabelSelector::Parse(text));
  }
}

TEST(LabelSelector, OrderIsNotSupported) {
  EXPECT_CODE(Code::kUnsupported, LabelSelector::Parse("a>1"));
  EXPECT_CODE(Code::kUnsupported, LabelSelector::Parse("a<1"));
}

TEST(LabelSelector, ErrorSaysWhere) {
  const auto failed = LabelSelector::Parse("a=b, c ? d");
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(failed.status().message().find("found ? at byte 7"), std::string::npos)
      << failed.status();
}

TEST(LabelSelector, WritesOneSpellingSortedByKey) {
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},
      {"b==x,a", "a,b=x"},
      {"a in (x)", "a=x"},
      {"a notin (x)", "a!=x"},
      {"a in (y,x,y)", "a in (x,y)"},
      {"a in (,x)", "a in (,x)"},
      {"!a,a!=b", "!a,a!=b"},
      {"a=", "a="},
  };
  for (const auto& [text, canonical] : cases) {
    ASSERT_OK_AND_ASSIGN(const LabelSelector selector, LabelSelector::Parse(text));
    EXPECT_EQ(selector.ToString(), canonical);
    ASSERT_OK_AND_ASSIGN(const LabelSelector again, LabelSelector::Parse(selector.ToString()));
    EXPECT_EQ(again.requirements(), selector.requirements()) << text;
  }
}

TEST(LabelSelector, BuiltByHand) {
  const LabelSelector selector =
      LabelSelector::Equals("app", "web").And({"a", LabelSelector::Operator::kNotIn, {"z", "y"}});
  EXPECT_EQ(selector.ToString(), "a notin (y,z),app=web");
  EXPECT_FALSE(selector.empty());
  EXPECT_TRUE(LabelSelector().empty());
}

Result<LabelSelector> FromText(std::string_view text) {
  ASSIGN_OR_RETURN(const json::Blob blob, json::Parse(text));
  return LabelSelector::From(blob.view());
}

TEST(LabelSelector, FromObject) {
  ASSERT_OK_AND_ASSIGN(const LabelSelector selector, FromText(R"({"matchLabels":{"b":"x"},
      "matchExpressions":[{"key":"a","operator":"In","values":["2","1"]},
                          {"key":"c","operator":"NotIn","values":["3"]},
                          {"key":"d","operator":"Exists"},
                          {"key":"e","operator":"DoesNotExist","values":[]}]})"));
  EXPECT_EQ(selector.ToString(), "a in (1,2),b=x,c!=3,d,!e");
  ASSERT_OK_AND_ASSIGN(const LabelSelector all, FromText("{}"));
  EXPECT_TRUE(all.empty());
}

TEST(LabelSelector, FromObjectRefusesWhatTheServerRefuses) {
  for (const char* text :
       {"null", "[]", R"({"matchLabels":{"a":1}})", R"({"matchLabels":{"a b":"c"}})",
        R"({"matchExpressions":[{"key":"a","operator":"Is"}]})",
        R"({"matchExpressions":[{"key":"a","operator":"In"}]})",
        R"({"matchExpressions":[{"key":"a","operator":"Exists","values":["b"]}]})",
        R"({"matchExpressions":[{"operator":"Exists"}]})",
        R"({"matchExpressions":[{"key":"a","operator":"In","values":[1]}]})"}) {
    SCOPED_TRACE(text);
    EXPECT_CODE(Code::kInvalid, FromText(text));
  }
  EXPECT_CODE(Code::kInvalid, LabelSelector::From(json::View()));
}

}  // namespace
}  // namespace hearth::kube

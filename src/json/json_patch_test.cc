#include <gtest/gtest.h>

#include <string>

#include "base/testing/status_matchers.h"
#include "json/parse.h"
#include "json/patch.h"

namespace hearth::json {
namespace {

Value Json(std::string_view text) {
  Result<Value> value = ParseValue(text);
  EXPECT_TRUE(value.ok()) << text << ": " << value.status().ToString();
  return value.ok() ? *std::move(value) : Value();
}

Result<std::string> Apply(std::string_view document, std::string_view patch) {
  Value value = Json(document);
  const std::string before = value.Write();
  const Status status = ApplyJsonPatch(value, Json(patch));
  if (!status.ok()) {
    EXPECT_EQ(value.Write(), before) << "a refused patch must change nothing";
    return status;
  }
  return value.Write();
}

struct Row {
  const char* name;
  const char* document;
  const char* patch;
  const char* result;
};

// The first block is RFC 6902, appendix A.
const Row kRows[] = {
    {"AddsMember", R"({"foo":"bar"})", R"([{"op":"add","path":"/baz","value":"qux"}])",
     R"({"foo":"bar","baz":"qux"})"},
    {"AddsElement", R"({"foo":["bar","baz"]})", R"([{"op":"add","path":"/foo/1","value":"qux"}])",
     R"({"foo":["bar","qux","baz"]})"},
    {"RemovesMember", R"({"baz":"qux","foo":"bar"})", R"([{"op":"remove","path":"/baz"}])",
     R"({"foo":"bar"})"},
    {"RemovesElement", R"({"foo":["bar","qux","baz"]})", R"([{"op":"remove","path":"/foo/1"}])",
     R"({"foo":["bar","baz"]})"},
    {"Replaces", R"({"baz":"qux","foo":"bar"})",
     R"([{"op":"replace","path":"/baz","value":"boo"}])", R"({"baz":"boo","foo":"bar"})"},
    {"MovesMember", R"({"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}})",
     R"([{"op":"move","from":"/foo/waldo","path":"/qux/thud"}])",
     R"({"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}})"},
    {"MovesElement", R"({"foo":["all","grass","cows","eat"]})",
     R"([{"op":"move","from":"/foo/1","path":"/foo/3"}])",
     R"({"foo":["all","cows","eat","grass"]})"},
    {"TestsBoth", R"({"baz":"qux","foo":["a",2,"c"]})",
     R"([{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}])",
     R"({"baz":"qux","foo":["a",2,"c"]})"},
    {"AddsNested", R"({"foo":"bar"})",
     R"([{"op":"add","path":"/child","value":{"grandchild":{}}}])",
     R"({"foo":"bar","child":{"grandchild":{}}})"},
    {"IgnoresUnknownMembers", R"({"foo":"bar"})",
     R"([{"op":"add","path":"/baz","value":"qux","xyz":123}])", R"({"foo":"bar","baz":"qux"})"},
    {"EscapedTilde", R"({"/":9,"~1":10})", R"([{"op":"test","path":"/~01","value":10}])",
     R"({"/":9,"~1":10})"},
    {"AppendsArrayAsOne", R"({"foo":["bar"]})",
     R"([{"op":"add","path":"/foo/-","value":["abc","def"]}])", R"({"foo":["bar",["abc","def"]]})"},

    {"AddOverwritesMember", R"({"a":1})", R"([{"op":"add","path":"/a","value":2}])", R"({"a":2})"},
    {"AddAtLengthAppends", "[1]", R"([{"op":"add","path":"/1","value":2}])", "[1,2]"},
    {"AddNull", R"({})", R"([{"op":"add","path":"/a","value":null}])", R"({"a":null})"},
    {"AddReplacesRoot", R"({"a":1})", R"([{"op":"add","path":"","value":[1]}])", "[1]"},
    {"ReplacesRoot", R"({"a":1})", R"([{"op":"replace","path":"","value":2}])", "2"},
    {"CopyIsDeep", R"({"a":{"x":1}})",
     R"([{"op":"copy","from":"/a","path":"/b"},{"op":"replace","path":"/a/x","value":2}])",
     R"({"a":{"x":2},"b":{"x":1}})"},
    {"CopyIntoItself", R"({"a":{}})", R"([{"op":"copy","from":"","path":"/a/b"}])",
     R"({"a":{"b":{"a":{}}}})"},
    {"MoveToItself", R"({"a":1})", R"([{"op":"move","from":"/a","path":"/a"}])", R"({"a":1})"},
    {"MoveUp", R"({"a":{"b":1}})", R"([{"op":"move","from":"/a/b","path":"/a"}])", R"({"a":1})"},
    {"MoveToSiblingWithLikeName", R"({"a":1})", R"([{"op":"move","from":"/a","path":"/ab"}])",
     R"({"ab":1})"},
    {"MoveToRoot", R"({"a":{"b":1}})", R"([{"op":"move","from":"/a","path":""}])", R"({"b":1})"},
    {"TestNumbersByValue", R"({"a":1.0,"b":[{"c":100}]})",
     R"([{"op":"test","path":"","value":{"b":[{"c":1e2}],"a":1}}])",
     R"({"a":1.0,"b":[{"c":100}]})"},
    {"TestNull", R"({"a":null})", R"([{"op":"test","path":"/a","value":null}])", R"({"a":null})"},
    {"EmptyName", R"({"":1})", R"([{"op":"replace","path":"/","value":2}])", R"({"":2})"},
    {"NoOperations", R"({"a":1})", "[]", R"({"a":1})"},
};

class JsonPatch : public testing::TestWithParam<Row> {};

TEST_P(JsonPatch, GivesTheResult) {
  ASSERT_OK_AND_ASSIGN(const std::string result, Apply(GetParam().document, GetParam().patch));
  EXPECT_EQ(result, GetParam().result);
}

INSTANTIATE_TEST_SUITE_P(Table, JsonPatch, testing::ValuesIn(kRows),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(JsonPatchRefuses, WhatIsWrong) {
  const std::string_view document = R"({"a":{"b":[1,2]},"s":"x"})";
  for (const char* operation : {
           R"({"op":"add","path":"/x/y","value":1})",
           R"({"op":"add","path":"/s/y","value":1})",
           R"({"op":"add","path":"/a/b/3","value":1})",
           R"({"op":"add","path":"/a/b/01","value":1})",
           R"({"op":"add","path":"/a/b/x","value":1})",
           R"({"op":"add","path":"/n"})",
           R"({"op":"add","path":"n","value":1})",
           R"({"op":"add","path":7,"value":1})",
           R"({"op":"add","value":1})",
           R"({"path":"/a"})",
           R"({"op":"frob","path":"/a"})",
           R"({"op":"remove","path":"/x"})",
           R"({"op":"remove","path":"/a/b/2"})",
           R"({"op":"remove","path":"/a/b/-"})",
           R"({"op":"remove","path":""})",
           R"({"op":"replace","path":"/x","value":1})",
           R"({"op":"replace","path":"/a/b/-","value":1})",
           R"({"op":"move","from":"/x","path":"/y"})",
           R"({"op":"move","path":"/y"})",
           R"({"op":"move","from":"/a","path":"/a/b/0"})",
           R"({"op":"move","from":"","path":"/a"})",
           R"({"op":"copy","from":"/x","path":"/y"})",
           R"(["add"])",
           R"(null)",
       }) {
    const auto result = Apply(document, "[" + std::string(operation) + "]");
    EXPECT_EQ(result.status().code(), Code::kInvalid) << operation;
  }
  EXPECT_CODE(Code::kInvalid, Apply(document, R"({"op":"remove","path":"/a"})"));
}

TEST(JsonPatchRefuses, FailedTestIsConflict) {
  EXPECT_CODE(Code::kConflict, Apply(R"({"a":1})", R"([{"op":"test","path":"/a","value":"1"}])"));
  EXPECT_CODE(Code::kConflict, Apply(R"({"a":1})", R"([{"op":"test","path":"/b","value":null}])"));
  EXPECT_CODE(Code::kConflict,
              Apply(R"({"/":9,"~1":10})", R"([{"op":"test","path":"/~01","value":"10"}])"));
}

TEST(JsonPatchRefuses, AllOrNothing) {
  EXPECT_CODE(Code::kConflict,
              Apply(R"({"a":[1,{"b":2}]})", R"([{"op":"add","path":"/a/0","value":0},)"
                                            R"({"op":"remove","path":"/a/2/b"},)"
                                            R"({"op":"move","from":"/a","path":"/c"},)"
                                            R"({"op":"test","path":"/c","value":7}])"));
}

TEST(JsonPatchRefuses, ErrorNamesOperationAndPath) {
  const auto result =
      Apply("{}", R"([{"op":"add","path":"/a","value":1},{"op":"remove","path":"/spec/x"}])");
  const std::string message(result.status().message());
  EXPECT_NE(message.find("operation 1"), std::string::npos) << message;
  EXPECT_NE(message.find("remove \"/spec/x\""), std::string::npos) << message;
}

TEST(JsonPatchLimits, CopyingTheWholeIntoItselfEnds) {
  std::string patch = "[";
  for (int i = 0; i < 60; ++i) {
    patch += (i == 0 ? "" : ",") + std::string(R"({"op":"copy","from":"","path":"/k)") +
             std::to_string(i) + R"("})";
  }
  EXPECT_CODE(Code::kInvalid, Apply(R"({"a":"0123456789"})", patch + "]"));
}

TEST(JsonPatchLimits, DepthDoesNotGrowWithoutEnd) {
  std::string patch = "[";
  std::string path;
  for (int i = 0; i < 12; ++i) {  // each copies the whole to its deepest place
    for (int j = (i == 0 ? 0 : 1 << (i - 1)); j < 1 << i; ++j) {
      path += "/a";
    }
    patch +=
        (i == 0 ? "" : ",") + std::string(R"({"op":"copy","from":"","path":")") + path + R"("})";
  }
  EXPECT_CODE(Code::kInvalid, Apply(R"({})", patch + "]"));
}

TEST(JsonPatchLimits, NumberOfOperations) {
  Value patch = Value::Array();
  for (int i = 0; i < 10'001; ++i) {
    patch.Append(Value::Object({{"op", "test"}, {"path", ""}, {"value", 1}}));
  }
  Value document(1);
  EXPECT_CODE(Code::kInvalid, ApplyJsonPatch(document, patch));
  patch.items().pop_back();
  EXPECT_OK(ApplyJsonPatch(document, patch));
}

}  // namespace
}  // namespace hearth::json

#include <gtest/gtest.h>

#include <string>

#include "cel/program.h"
#include "cel/testing/cases.h"

namespace hearth::cel {
namespace {

TEST(Syntax, OperatorsBindAsTheySay) {
  ExpectAll({
      {"1 + 2 * 3", "7"},
      {"(1 + 2) * 3", "9"},
      {"10 - 3 - 2", "5"},
      {"20 / 2 / 5", "2"},
      {"2 * 7 % 4", "2"},
      {"1 + 1 == 2 && 3 > 2", "true"},
      {"true || false && false", "true"},
      {"!true || true", "true"},
      {"!(true || true)", "false"},
      {"!!true", "true"},
      {"!!!true", "false"},
      {"-(1 + 2)", "-3"},
      {"1 < 2 == true", "true"},
      {"true ? 1 : 2", "1"},
      {"false ? 1 : true ? 2 : 3", "2"},
      {"true || false ? 1 : 2", "1"},
      {"1 in [1] && 2 in [2]", "true"},
      {"[1, 2][1] + 1", "3"},
      {"{'a': {'b': 5}}.a.b", "5"},
      {"[[1, 2], [3]][0][1]", "2"},
      {"'abc'.size() - 1", "2"},
      {"a.b", "1", R"({"a":{"b":1}})"},
      {".a.b", "1", R"({"a":{"b":1}})"},
      {"a.namespace", "1", R"({"a":{"namespace":1}})"},
      {"a.for + a.while", "3", R"({"a":{"for":1,"while":2}})"},
      {"a['in']", "1", R"({"a":{"in":1}})"},
      {"_a1", "1", R"({"_a1":1})"},
      {"__dot__", "1", R"({"__dot__":1})"},
  });
}

TEST(Syntax, MistakesAreToldWithTheirPlace) {
  ExpectAll({
      {"", "!1:1: syntax error: the expression ends too early"},
      {"1 +", "!1:4: syntax error: the expression ends too early"},
      {"1 1", "!1:3: syntax error: unexpected '1'"},
      {"(1", "!ends too early"},
      {"1)", "!1:2: syntax error: unexpected ')'"},
      {"[1", "!ends too early"},
      {"[1 2]", "!unexpected '2'"},
      {"{'a'}", "!unexpected '}'"},
      {"{'a': }", "!unexpected '}'"},
      {"f(1,)", "!unexpected ')'"},
      {"a.", "!ends too early", R"({"a":1})"},
      {"a.1", "!1:2: syntax error", R"({"a":1})"},
      {"a.'b'", "!syntax error", R"({"a":1})"},
      {"a..b", "!syntax error", R"({"a":1})"},
      {"a[]", "!unexpected ']'", R"({"a":1})"},
      {"1 = 1", "!token recognition error"},
      {"1 & 1", "!token recognition error"},
      {"a # b", "!1:3: syntax error: token recognition error", R"({"a":1})"},
      {"$", "!token recognition error"},
      {"true ? 1", "!ends too early"},
      {"true : 1", "!unexpected ':'"},
      {"*1", "!unexpected '*'"},
      {"1 ++ 1", "!unexpected '+'"},
      {"!", "!ends too early"},
      {"\n  1 +\n   ]", "!3:4: syntax error: unexpected ']'"},
      {"'ä' ]", "!1:5:"},
      {"for", "!1:1: reserved identifier: for"},
      {"namespace", "!reserved identifier: namespace"},
      {"[1].all(as, true)", "!reserved identifier: as"},
      {"in", "!unexpected 'in'"},
      {"a{b: 1}", "!struct literals are not supported", R"({"a":1})"},
      {"\xff", "!not UTF-8"},
  });
}

TEST(Syntax, UnknownNamesAndFunctionsAreRefused) {
  ExpectAll({
      {"x", "!1:1: undeclared reference to 'x'"},
      {"1 + y", "!1:5: undeclared reference to 'y'"},
      {"x.y.z", "!undeclared reference to 'x'"},
      {"f()", "!undeclared reference to 'f'"},
      {"a.f()", "!1:2: undeclared reference to 'f'", R"({"a":1})"},
      {"strings.nothing('a')", "!undeclared reference to 'nothing'"},
      {"[1].map(x, y)", "!undeclared reference to 'y'"},
      {"[1].map(x, x)[0] + x", "!1:20: undeclared reference to 'x'"},
      {"size()", "!found no matching overload for 'size' applied to '()'"},
      {"size('a', 'b')", "!found no matching overload for 'size' applied to '(string, string)'"},
      {"size(a, b)", "!applied to '(dyn, dyn)'", R"({"a":1,"b":2})"},
      {"'a'.size(1)", "!found no matching overload"},
      {"size(1)", "!found no matching overload for 'size' applied to '(int)'"},
      {"1.size()", "!found no matching overload for 'size' applied to '(int)'"},
      {"true.size()", "!found no matching overload"},
      {"'a'.contains(1)", "!applied to '(string, int)'"},
      {"'a' + 1", "!1:5: found no matching overload for '_+_' applied to '(string, int)'"},
      {"1 + 1u", "!found no matching overload for '_+_' applied to '(int, uint)'"},
      {"1 < 'a'", "!found no matching overload for '_<_'"},
      {"!1", "!found no matching overload for '!_' applied to '(int)'"},
      {"-'a'", "!found no matching overload for '-_' applied to '(string)'"},
      {"-1u", "!found no matching overload for '-_' applied to '(uint)'"},
      {"1 && true", "!found no matching overload for '_&&_'"},
      {"1 ? 2 : 3", "!found no matching overload for '_?_:_'"},
      {"1 in 2", "!found no matching overload for '_in_'"},
      {"'a'.b", "!type 'string' does not support field selection"},
      {"1.all(x, true)", "!cannot be range of a comprehension"},
      {"'abc'.all(x, true)", "!cannot be range of a comprehension"},
      {"optional.of(1, 2)", "!found no matching overload"},
  });
}

TEST(Syntax, KnownKindsOfVariablesAreChecked) {
  const Environment environment{.variables = {{"s", Kind::kString}, {"n", Kind::kInt}}};
  EXPECT_FALSE(Compile("s + n", environment).ok());
  EXPECT_FALSE(Compile("n.size()", environment).ok());
  EXPECT_FALSE(Compile("s && true", environment).ok());
  EXPECT_TRUE(Compile("s.size() + n > 1", environment).ok());
}

TEST(Syntax, WhatAnExpressionGivesIsKnownWhereItCanBe) {
  const Environment environment{.variables = {{"a", std::nullopt}}};
  EXPECT_EQ(Compile("a > 1", environment).value()->kind(), Kind::kBool);
  EXPECT_EQ(Compile("a.all(x, x)", environment).value()->kind(), Kind::kBool);
  EXPECT_EQ(Compile("'a' + 'b'", environment).value()->kind(), Kind::kString);
  EXPECT_EQ(Compile("a", environment).value()->kind(), std::nullopt);
}

TEST(Syntax, DepthHasALimitWhateverMakesIt) {
  const int many = 4000;
  std::string brackets = std::string(many, '[') + std::string(many, ']');
  std::string sum = "1";
  std::string select = "a";
  std::string ternary;
  for (int i = 0; i < many; ++i) {
    sum += "+1";
    select += ".b";
    ternary += "a?1:";
  }
  for (const std::string& text :
       {brackets, sum, select, ternary + "1", std::string(many, '(') + "1"}) {
    const auto program = Compile(text, {.variables = {{"a", std::nullopt}}});
    EXPECT_EQ(program.status().code(), Code::kExhausted) << text.substr(0, 20);
  }
}

TEST(Syntax, LongChainsThatNeedNoDepthAreFine) {
  std::string all = "true";
  for (int i = 0; i < 1000; ++i) {
    all += " && true";
  }
  EXPECT_EQ(Outcome({all, "true"}), "true");
  EXPECT_EQ(Outcome({std::string(1000, '!') + "true", ""}), "true");
  EXPECT_EQ(Outcome({std::string(1001, '-') + "1", ""}), "-1");
}

TEST(Syntax, SizeHasALimit) {
  const std::string text = "'" + std::string(20'000, 'a') + "'";
  EXPECT_EQ(Compile(text, {}).status().code(), Code::kExhausted);
  EXPECT_TRUE(Compile(text, {.max_expression_bytes = 30'000}).ok());
}

}  // namespace
}  // namespace hearth::cel

#include "cel/cost.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cel/json_value.h"
#include "cel/program.h"
#include "json/parse.h"

namespace hearth::cel {
namespace {

struct CostCase {
  std::string_view expression;
  uint64_t cost;
  std::string variables = "{}";
};

uint64_t CostOf(const CostCase& row, bool fold_constants) {
  const json::Value variables = json::ParseValue(row.variables).value();
  Environment environment{.fold_constants = fold_constants};
  Activation activation;
  for (const auto& [name, value] : variables.members()) {
    environment.variables.push_back({name, std::nullopt});
    activation.push_back(FromJson(value));
  }
  CostBudget budget;
  const auto value = Compile(row.expression, environment).value()->Evaluate(activation, budget);
  EXPECT_TRUE(value.ok()) << row.expression << ": " << value.status().message();
  return budget.last_cost();
}

void ExpectCosts(const std::vector<CostCase>& rows, bool fold_constants) {
  for (const CostCase& row : rows) {
    EXPECT_EQ(CostOf(row, fold_constants), row.cost) << row.expression;
  }
}

std::string Text(size_t size) { return R"({"a":")" + std::string(size, 'x') + R"("})"; }

std::string Texts(size_t a, size_t b) {
  return R"({"a":")" + std::string(a, 'x') + R"(","b":")" + std::string(b, 'y') + R"("})";
}

// The figures are those of cel-go's own tests, where constants are not folded.
TEST(Cost, IsWhatCelGoCounts) {
  ExpectCosts(
      {
          {"'Hello World!'", 0},
          {"a", 1, R"({"a":[1,2]})"},
          {"a['key']", 2, R"({"a":{"key":"v"}})"},
          {"a[0]", 2, R"({"a":["v"]})"},
          {"a.b", 2, R"({"a":{"b":1}})"},
          {"a['ke' + 'y']", 3, R"({"a":{"key":"v"}})"},
          {"a[3-3]", 3, R"({"a":["v"]})"},
          {"has(a.b)", 1, R"({"a":{"b":1}})"},
          {"has(a.b.c)", 2, R"({"a":{"b":{"c":1}}})"},
          {"[1, 2, 3]", 10},
          {"{'a': 1, 'b': 2, 'c': 3}", 30},
          {"a.all(x, true)", 2, R"({"a":[]})"},
          {"[1, 2, 3].all(x, true)", 20},
          {"a.matches('[0-9]')", 103, Text(500)},
          {"'123'.matches('[0-9]')", 2},
          {"false || false", 0},
          {"a || b || c || d", 4, R"({"a":false,"b":false,"c":false,"d":false})"},
          {"a && b", 1, R"({"a":false,"b":true})"},
          {"1 < 2", 1},
          {"1 == 2", 1},
          {"2 in [1, 2, 3]", 13},
          {"1 + 1", 1},
          {"true ? 1 : 2", 0},
          {"size('123')", 1},
          {"'12345678901234567890' == '123456789012345678901234567890'", 2},
          {"bytes(a)", 51, Text(500)},
          {"string(1)", 1},
          {"a.contains(b)", 2502, Texts(500, 500)},
          {"a.startsWith(b)", 3, Texts(3, 500)},
          {"a.endsWith(b)", 3, Texts(3, 500)},
          {"a.size()", 2, Text(3)},
          {"(a > 2 ? b : c).all(y, true)", 6, R"({"a":1,"b":[1],"c":[1]})"},
          {"true ? false : 1 > 3", 0},
          {"false ? false : 1 > 3", 1},
          {"a.all(k, a[k].n > 3)", 9, R"({"a":{"val":{"n":1}}})"},
          {"(a + b).all(x, true)", 4, R"({"a":[],"b":[]})"},
          {"'abcdefg'.contains(a + b)", 6, R"({"a":"val1","b":"val2222222"})"},
          {"(1 > 2 ? 5 : 3) > 1", 2},
          {"(1 > 2 || 2 > 1) == true", 3},
          {"[{'k1': 1}, {'k2': 2}].all(x, true)", 77},
          {"[1,2,3,4,5].filter(x, x % 2 == 0)", 62},
          {"[1,2,3,4,5].map(x, x)", 86},
      },
      false);
}

// The figures are those of the API server's own tests, again without folding.
TEST(Cost, OfKubernetesFunctionsIsTheApiServers) {
  ExpectCosts(
      {
          {"[1, 2, 3, 4, 5].sum()", 15},
          {"[1, 2, 3, 4, 5].max()", 15},
          {"['aaaaaaaaaa', 'bbbbbbbbbb', 'cccccccccc', 'dddddddddd', 'eeeeeeeeee'].isSorted()", 15},
          {"url('https:://kubernetes.io/').getScheme()", 4},
          {"ip('192.168.0.1')", 2},
          {"ip('192.168.0.1').family()", 3},
          {"ip('192.168.0.1') == ip('192.168.0.1')", 5},
          {"cidr('192.168.0.0/16')", 2},
          {"cidr('192.168.0.0/16').containsIP(ip('192.168.0.1'))", 5},
          {"cidr('192.168.0.0/16').containsIP('192.168.0.1')", 5},
          {"'ABCDEFGHIJ abcdefghij'.lowerAscii()", 3},
          {"'ABCDEFGHIJ abcdefghij'.lowerAscii() == 'abcdefghij ABCDEFGHIJ'.lowerAscii()", 9},
          {"strings.quote('ABCDEFGHIJ abcdefghij')", 3},
          {"'abc 123 def 123'.replace('123', '456')", 3},
          {"'abc 123 def 123'.split(' ')", 3},
          {"'abc 123 def 123'.substring(5)", 2},
          {"'  abc 123 def 123  '.trim()", 2},
          {"['aa', 'bb', 'cc', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].join(' ')", 15},
          {"['aa', 'bb', 'cc', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].join()", 13},
          {"'abc 123 def 123'.find('123')", 2},
          {"'abc 123 def 123'.findAll('123')", 2},
          {"quantity('12Mi')", 1},
          {"isQuantity('20')", 1},
          {"quantity('200M') == quantity('200M')", 3},
          {"quantity('50M').isLessThan(quantity('50Mi'))", 3},
          {"quantity('200M').compareTo(quantity('0.2G')) > 0", 4},
          {"quantity('50k').add(20).sub(quantity('100k')).asInteger() > 0", 6},
          {"quantity('50.703k').asApproximateFloat() > 0.0", 3},
          {"format.named('dns1123subdomain')", 1},
          {"format.named('dns1123Subdomain').value().validate('my-name')", 17},
          {"format.named('dns1123Label').value().validate('my-name')", 10},
          {"format.named('dns1123Label').value() == format.named('dns1123Label').value()", 5},
          {"sets.contains([], [])", 21},
          {"sets.contains([1, 2, 3, 4], [2, 3])", 29},
          {"sets.contains([[1], [2, 3]], [[2, 3.0]])", 53},
          {"sets.equivalent([1, 2, 3], [3u, 2.0, 1])", 39},
          {"sets.intersects([1, 2], [2u, 2, 2.0])", 27},
      },
      false);
}

TEST(Cost, OfConstantsIsNothingOnceTheyAreFolded) {
  ExpectCosts(
      {
          {"[1, 2, 3]", 0},
          {"{'a': [1]}", 0},
          {"[a]", 11, R"({"a":1})"},
          {"a in ['x', 'y']", 1, R"({"a":"x"})"},
          {"a in []", 0, R"({"a":"x"})"},
          {"a in [[1]]", 2, R"({"a":1})"},
          {"a == duration('1s')", 2, R"({"a":1})"},
          {"int('5') + 1", 1},
          {"[1, 2].map(x, x)", 27},
          {"[1, 2].map(x, 0)", 5},
          {"self.minReplicas <= self.replicas", 5, R"({"self":{"minReplicas":1,"replicas":2}})"},
      },
      true);
}

TEST(Cost, OneCallHasALimit) {
  const auto program = Compile("a.all(x, a.all(y, a.all(z, true)))", {.variables = {{"a", {}}}});
  json::Value many = json::Value::Array();
  for (int i = 0; i < 200; ++i) {
    many.Append(i);
  }
  CostBudget budget;
  const Status status = program.value()->Evaluate({FromJson(many)}, budget).status();
  EXPECT_EQ(status.code(), Code::kExhausted);
  EXPECT_EQ(status.reason(), CostBudget::kCallExceeded);
  EXPECT_NE(status.message().find("1000000"), std::string::npos) << status.message();
  EXPECT_LT(budget.remaining(), CostBudget::kTotal - CostBudget::kPerCall + 1);
}

TEST(Cost, CallsShareTheBudget) {
  const auto program = Compile("1 + 1 == 2", {});
  CostBudget budget(5);
  EXPECT_TRUE(program.value()->Evaluate({}, budget).ok());
  EXPECT_EQ(budget.remaining(), 3U);
  EXPECT_TRUE(program.value()->Evaluate({}, budget).ok());
  const Status status = program.value()->Evaluate({}, budget).status();
  EXPECT_EQ(status.code(), Code::kExhausted);
  EXPECT_EQ(status.reason(), CostBudget::kTotalExceeded);
  EXPECT_EQ(budget.remaining(), 0U);
}

TEST(Cost, AtTheLimitIsWithinIt) {
  const auto program = Compile("1 + 1 == 2", {});
  CostBudget exact(100, 2);
  EXPECT_TRUE(program.value()->Evaluate({}, exact).ok());
  CostBudget less(100, 1);
  EXPECT_FALSE(program.value()->Evaluate({}, less).ok());
}

TEST(Cost, ErrorsAreNotAbsorbedOnceItIsExceeded) {
  const auto program = Compile("lists.range(100).all(x, x >= 0) || true", {});
  CostBudget budget(1000, 50);
  EXPECT_EQ(program.value()->Evaluate({}, budget).status().code(), Code::kExhausted);
}

TEST(Cost, WorkTheRulesDoNotPriceIsBoundedToo) {
  // Lists that share their parts, strings that grow in one call, and an enormous range.
  std::string nested = "[1]";
  for (int i = 0; i < 60; ++i) {
    nested += ".map(x, [x, x])";
  }
  std::string doubled = "[a]";
  for (int i = 0; i < 60; ++i) {
    doubled += ".map(x, x + x)";
  }
  std::string grown = "'aaaaaaaaaaaaaaaaaaaa'";
  for (int i = 0; i < 10; ++i) {
    grown = "[" + grown + "].map(x, x.replace('', x))[0]";
  }
  for (const std::string& text :
       {nested + " == " + nested, doubled + "[0].size() == 0", grown + " == ''",
        std::string("lists.range(100000000000).size() == 0"),
        "'%s'.format([" + nested + "]) == ''"}) {
    CostBudget budget;
    const auto program = Compile(text, {.variables = {{"a", {}}}});
    ASSERT_TRUE(program.ok()) << program.status().message();
    const json::Value items = json::Value::Array({1, 2, 3, 4});
    EXPECT_FALSE((*program)->Evaluate({FromJson(items)}, budget).ok()) << text.substr(0, 60);
  }
}

}  // namespace
}  // namespace hearth::cel

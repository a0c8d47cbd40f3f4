#include <gtest/gtest.h>

#include <string>

#include "base/testing/status_matchers.h"
#include "json/yaml.h"

namespace hearth::json {
namespace {

struct Row {
  const char* yaml;
  const char* json;
};

// What sigs.k8s.io/yaml makes of them.
const Row kScalars[] = {
    {"y", "true"},
    {"Y", "true"},
    {"yes", "true"},
    {"Yes", "true"},
    {"YES", "true"},
    {"on", "true"},
    {"On", "true"},
    {"ON", "true"},
    {"true", "true"},
    {"True", "true"},
    {"TRUE", "true"},
    {"n", "false"},
    {"N", "false"},
    {"no", "false"},
    {"No", "false"},
    {"NO", "false"},
    {"off", "false"},
    {"Off", "false"},
    {"OFF", "false"},
    {"false", "false"},
    {"False", "false"},
    {"FALSE", "false"},
    {"yEs", R"("yEs")"},
    {"oN", R"("oN")"},
    {"tRue", R"("tRue")"},
    {"~", "null"},
    {"null", "null"},
    {"Null", "null"},
    {"NULL", "null"},
    {"nUll", R"("nUll")"},
    {"0", "0"},
    {"-0", "0"},
    {"+1", "1"},
    {"-1", "-1"},
    {"017", "15"},
    {"-017", "-15"},
    {"0o17", "15"},
    {"-0o17", "-15"},
    {"0O17", "15"},
    {"0o8", R"("0o8")"},
    {"08", "8"},
    {"00", "0"},
    {"0x1F", "31"},
    {"0X1f", "31"},
    {"-0x1F", "-31"},
    {"+0x1F", "31"},
    {"0b101", "5"},
    {"-0b101", "-5"},
    {"0b102", R"("0b102")"},
    {"0b", R"("0b")"},
    {"0x", R"("0x")"},
    {"1_000", "1000"},
    {"1__0", "10"},
    {"1_", "1"},
    {"_1", R"("_1")"},
    {"-_1", "-1"},
    {"0x_1", "1"},
    {"0_7", "7"},
    {"9223372036854775807", "9223372036854775807"},
    {"18446744073709551615", "18446744073709551615"},
    {"-9223372036854775808", "-9223372036854775808"},
    {"0xFFFFFFFFFFFFFFFF", "18446744073709551615"},
    {"0x1FFFFFFFFFFFFFFFF", R"("0x1FFFFFFFFFFFFFFFF")"},
    {"1.0", "1"},
    {"1.", "1"},
    {".5", "0.5"},
    {"-.5", "-0.5"},
    {"+.5", "0.5"},
    {".5_0", "0.5"},
    {"1.5e3", "1500"},
    {"1e3", "1000"},
    {"1E+3", "1000"},
    {"1e-3", "0.001"},
    {"1e1_0", "10000000000"},
    {"1e20", "100000000000000000000"},
    {"1e21", "1e+21"},
    {"0.000001", "0.000001"},
    {"0.0000001", "1e-7"},
    {"1.7976931348623157e308", "1.7976931348623157e+308"},
    {"1e400", R"("1e400")"},
    {"1234e567", R"("1234e567")"},
    {"1e", R"("1e")"},
    {".e3", R"(".e3")"},
    {".", R"(".")"},
    {"+", R"("+")"},
    {"0x1p3", R"("0x1p3")"},
    {"1.2.3", R"("1.2.3")"},
    {"1,000", R"("1,000")"},
    {"inf", R"("inf")"},
    {".iNf", R"(".iNf")"},
    {"2001-12-14", R"("2001-12-14")"},
    {"2001-12-14T21:59:43.10-05:00", R"("2001-12-14T21:59:43.10-05:00")"},
    {"12:30:45", R"("12:30:45")"},
    {"1:30", R"("1:30")"},
    {"=", R"("=")"},
    {"\"0x1\"", R"("0x1")"},
    {"'1'", R"("1")"},
    {"'yes'", R"("yes")"},
    {"! 1", R"("1")"},
    {"!!str 1", R"("1")"},
    {"!!str", R"("")"},
    {"!!str yes", R"("yes")"},
    {"!<tag:yaml.org,2002:str> 1", R"("1")"},
    {"!!int \"1\"", "1"},
    {"!!int 0x10", "16"},
    {"!!float 1", "1"},
    {"!!float 1e3", "1000"},
    {"!!float \"1\"", "1"},
    {"!!bool \"yes\"", "true"},
    {"!!null ''", "null"},
    {"!!binary aGVsbG8=", R"("hello")"},
    {"!!timestamp 2001-12-14", R"("2001-12-14")"},
};

TEST(YamlScalars, AreTakenAsKubectlTakesThem) {
  for (const Row& row : kScalars) {
    const Result<Value> value = ParseYamlDocument(row.yaml);
    ASSERT_TRUE(value.ok()) << row.yaml << ": " << value.status().ToString();
    EXPECT_EQ(value->Write(), row.json) << row.yaml;
  }
}

// sigs.k8s.io/yaml rounds these to doubles.
TEST(YamlScalars, LongNumbersStayExact) {
  EXPECT_EQ(ParseYamlDocument("123456789012345678901234567890")->Write(),
            "123456789012345678901234567890");
  EXPECT_EQ(ParseYamlDocument("-9223372036854775809")->Write(), "-9223372036854775809");
  EXPECT_EQ(ParseYamlDocument("3.14159265358979323846")->Write(), "3.14159265358979323846");
  EXPECT_EQ(ParseYamlDocument("!!float 1e400")->Write(), "1e+400");
}

const Row kDocuments[] = {
    {"a: 1\nb: [x, {k: z}]\n", R"({"a":1,"b":["x",{"k":"z"}]})"},
    {"a:\n- 1\n- b: 2\n  c: 3\n-\n", R"({"a":[1,{"b":2,"c":3},null]})"},
    {"a:", R"({"a":null})"},
    {"- - x", R"([["x"]])"},
    {"{a, b: 1}", R"({"a":null,"b":1})"},
    {"[a, b: c]", R"(["a",{"b":"c"}])"},
    {"a: |\n  x\n   y\n", R"({"a":"x\n y\n"})"},
    {"a: |\n  x", R"({"a":"x\n"})"},
    {"a: >\n  x\n  y", R"({"a":"x y\n"})"},
    {"a: |-\n  x\n", R"({"a":"x"})"},
    {"a: |-\n  x", R"({"a":"x"})"},
    {"a: |+\n  x\n\n", R"({"a":"x\n\n"})"},
    {"a: >\n  x\n  y\n\n  z\n", R"({"a":"x y\nz\n"})"},
    {"a: |\n  x\n  ---\n  y\n", R"({"a":"x\n---\ny\n"})"},
    {"a: 'it''s'", R"({"a":"it's"})"},
    {"a: \"\\u00e9\\x41\\n\"", R"({"a":"éA\n"})"},
    {"a: b#c #d", R"({"a":"b#c"})"},
    {"? a\n: b", R"({"a":"b"})"},
    {"1: a", R"({"1":"a"})"},
    {"yes: a", R"({"true":"a"})"},
    {"1.5: a", R"({"1.5":"a"})"},
    {"1.0: a", R"({"1":"a"})"},
    {"0x10: a", R"({"16":"a"})"},
    {"\"\": a", R"({"":"a"})"},
    {".inf: a", R"({".inf":"a"})"},
    {"2001-12-14: a", R"({"2001-12-14":"a"})"},
    {"!!binary aGVsbG8=: x", R"({"hello":"x"})"},
    {"!!set {a, b}", R"({"a":null,"b":null})"},
    {"!!omap [a: 1]", R"([{"a":1}])"},
    {"a: &x 1\nb: *x", R"({"a":1,"b":1})"},
    {"a: &x [1, {b: 2}]\nc: *x", R"({"a":[1,{"b":2}],"c":[1,{"b":2}]})"},
    {"a: &a 1\nb: &a 2\nc: *a", R"({"a":1,"b":2,"c":2})"},
    {"&k a: 1\nb: *k", R"({"a":1,"b":"a"})"},
    {"a: &x b\n*x : c", R"({"a":"b","b":"c"})"},
    {"a: &x {k: v}\nb: {<<: *x, z: 1}", R"({"a":{"k":"v"},"b":{"z":1,"k":"v"}})"},
    {"a: &x {k: v}\nb: {<<: *x, k: 2}", R"({"a":{"k":"v"},"b":{"k":2}})"},
    {"a: &x {k: v}\nb: {k: 2, <<: *x}", R"({"a":{"k":"v"},"b":{"k":2}})"},
    {"a: &x {k: v}\nb: &y {k: w, l: m}\nc: {<<: [*x, *y]}",
     R"({"a":{"k":"v"},"b":{"k":"w","l":"m"},"c":{"k":"v","l":"m"}})"},
    {"a: {<<: {b: 1}}", R"({"a":{"b":1}})"},
    {"a: {\"<<\": {b: 1}}", R"({"a":{"<<":{"b":1}}})"},
    {"a: {!!merge <<: {b: 1}}", R"({"a":{"b":1}})"},
    {"%YAML 1.1\n---\na: 1", R"({"a":1})"},
    {"\xEF\xBB\xBF"
     "a: 1",
     R"({"a":1})"},
    {"a: \"\\U0001F600\"", "{\"a\":\"\xF0\x9F\x98\x80\"}"},
    {"{\"a\": \"\\ud83d\\ude00\"}", "{\"a\":\"\xF0\x9F\x98\x80\"}"},
    {"{\n\t\"a\":\t1.50e0}", R"({"a":1.50e0})"},
};

TEST(YamlDocuments, BecomeJson) {
  for (const Row& row : kDocuments) {
    const Result<Value> value = ParseYamlDocument(row.yaml);
    ASSERT_TRUE(value.ok()) << row.yaml << ": " << value.status().ToString();
    EXPECT_EQ(value->Write(), row.json) << row.yaml;
  }
}

struct Refused {
  const char* yaml;
  const char* where;
};

TEST(YamlErrors, TellLineAndColumn) {
  for (const Refused& row : {
           Refused{"a: b: c", "line 1, column 5"},
           {"x: 1\n\ta: b", "line 2, column 1"},
           {"a: 'x", "line 2, column 1"},
           {"a: \"\\q\"", "line 1, column 5"},
           {"x:\n  a: 1\n  a: 2", "line 3, column 3"},
           {"1: a\n\"1\": b", "line 2, column 1"},
           {"a: {<<: {b: 1}, <<: {c: 1}}", "line 1, column 17"},
           {"[a]: b", "line 1, column 1"},
           {"x: 1\n? {a: 1}\n: b", "line 2, column 3"},
           {"~: a", "line 1, column 1"},
           {"a: .inf", "line 1, column 4"},
           {"a: -.INF", "line 1, column 4"},
           {"a: .nan", "line 1, column 4"},
           {"a: !!float .inf", "line 1, column 4"},
           {"a: !foo bar", "line 1, column 4"},
           {"a: !foo {b: c}", "line 1, column 4"},
           {"%TAG !e! tag:example.com,2000:\n---\n- !e!x 1", "line 3, column 3"},
           {"!!int x", "line 1, column 1"},
           {"!!int 1.0", "line 1, column 1"},
           {"!!int \"\"", "line 1, column 1"},
           {"!!bool 1", "line 1, column 1"},
           {"!!null x", "line 1, column 1"},
           {"!!float x", "line 1, column 1"},
           {"!!seq {a: 1}", "line 1, column 1"},
           {"!!str [1]", "line 1, column 1"},
           {"!!frob x", "line 1, column 1"},
           {"!!binary /w==", "line 1, column 1"},
           {"!!binary '*'", "line 1, column 1"},
           {"a: *nope", "line 1, column 4"},
           {"&a [*a]", "line 1, column 5"},
           {"a: &a {b: *a}", "line 1, column 11"},
           {"a: &x 1\n---\nb: *x", "line 3, column 4"},
           {"a: {<<: 1}", "line 1, column 9"},
           {"a: {<<: [1]}", "line 1, column 9"},
           {"a: 1\nb: \xff", "line 2, column 4"},
           {"a: 1\nb: \x01", "line 2, column 4"},
           {"a: [1, 2", "line"},
           {"a: -", "line 1"},
       }) {
    const auto documents = ParseYaml(row.yaml);
    ASSERT_EQ(documents.status().code(), Code::kInvalid) << row.yaml;
    EXPECT_NE(documents.status().message().find(row.where), std::string::npos)
        << row.yaml << ": " << documents.status().ToString();
  }
}

std::string Documents(std::string_view yaml) {
  const Result<std::vector<Value>> documents = ParseYaml(yaml);
  if (!documents.ok()) {
    return documents.status().ToString();
  }
  std::string text;
  for (const Value& document : *documents) {
    text += document.Write() + ";";
  }
  return text;
}

TEST(YamlStream, HasManyDocuments) {
  EXPECT_EQ(Documents("a: 1\n---\nb: 2\n"), R"({"a":1};{"b":2};)");
  EXPECT_EQ(Documents("--- 1\n--- 2\n"), "1;2;");
  EXPECT_EQ(Documents("a: 1\n...\n---\nb: 2"), R"({"a":1};{"b":2};)");
  EXPECT_EQ(Documents("---\na: 1\n---\n"), R"({"a":1};)");
}

TEST(YamlStream, LeavesOutEmptyDocuments) {
  EXPECT_EQ(Documents(""), "");
  EXPECT_EQ(Documents("\n\n"), "");
  EXPECT_EQ(Documents("# only a comment\n"), "");
  EXPECT_EQ(Documents("---\n# c\n---\n---\na: 1\n---\n# d\n...\n"), R"({"a":1};)");
  EXPECT_EQ(Documents("--- null\n--- ''\n"), R"(null;"";)");
}

TEST(YamlStream, OneDocumentMeansOne) {
  EXPECT_CODE(Code::kInvalid, ParseYamlDocument(""));
  EXPECT_CODE(Code::kInvalid, ParseYamlDocument("a: 1\n---\nb: 2"));
  EXPECT_OK(ParseYamlDocument("---\na: 1\n---\n# nothing\n"));
}

TEST(YamlLimits, BytesAndDocuments) {
  EXPECT_CODE(Code::kExhausted, ParseYaml("a: 12345", {.max_bytes = 4}));
  EXPECT_CODE(Code::kExhausted, ParseYaml("--- 1\n--- 2\n--- 3\n", {.max_documents = 2}));
  EXPECT_OK(ParseYaml("--- 1\n--- 2\n", {.max_documents = 2}));
}

TEST(YamlLimits, Depth) {
  const YamlLimits limits{.max_depth = 3};
  EXPECT_OK(ParseYaml("a: [[1]]", limits));
  EXPECT_CODE(Code::kExhausted, ParseYaml("a: [[[1]]]", limits));
  EXPECT_CODE(Code::kExhausted, ParseYaml("[[[[1]]]]", limits));  // JSON, too
  EXPECT_CODE(Code::kExhausted, ParseYaml("a: &x [[1]]\nb: [*x]", limits));
  EXPECT_CODE(Code::kExhausted, ParseYaml(std::string(100'000, '[')));
  EXPECT_CODE(Code::kExhausted, ParseYaml("a:\n  - " + std::string(2000, '[')));
}

TEST(YamlLimits, Nodes) {
  EXPECT_CODE(Code::kExhausted, ParseYaml("[1, 2, 3, 4]", {.max_nodes = 4}));
  const std::string twice = "{a: &x [1, 2], b: *x, c: *x}";
  EXPECT_OK(ParseYaml(twice, {.max_alias_nodes = 6}));
  EXPECT_CODE(Code::kExhausted, ParseYaml(twice, {.max_alias_nodes = 5}));
  // Anchors are a document's own, and so is what they stand for.
  EXPECT_OK(ParseYaml(twice + "\n---\n" + twice, {.max_alias_nodes = 6}));
  EXPECT_OK(ParseYaml("[1, 2, 3]", {.max_nodes = 4}));
  EXPECT_OK(ParseYaml("[a, b, c]", {.max_nodes = 4}));
}

TEST(YamlLimits, AliasesThatMultiplyEnd) {
  std::string yaml = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = std::to_string(i - 1);
    yaml += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) {
      yaml += "*a" + before + ", ";
    }
    yaml += "]\n";
  }
  EXPECT_CODE(Code::kExhausted, ParseYaml(yaml));
}

TEST(YamlLimits, AliasesOfLongTextEnd) {
  std::string yaml = "a: &a " + std::string(1 << 20, 'x') + "\nb: [";
  for (int i = 0; i < 10'000; ++i) {
    yaml += "*a, ";
  }
  EXPECT_CODE(Code::kExhausted, ParseYaml(yaml + "]\n"));
}

}  // namespace
}  // namespace hearth::json

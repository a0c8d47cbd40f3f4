#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/random.h"
#include "base/testing/status_matchers.h"
#include "json/internal/same_value.h"
#include "json/parse.h"
#include "json/yaml.h"

namespace hearth::json {
namespace {

void ExpectReadsBack(const Value& value) {
  const std::string yaml = WriteYaml(value);
  const Result<Value> again = ParseYamlDocument(yaml);
  ASSERT_TRUE(again.ok()) << value.Write() << "\n" << yaml << again.status().ToString();
  ASSERT_TRUE(internal::SameValue(*again, value)) << value.Write() << "\n"
                                                  << yaml << again->Write();
}

TEST(WriteYaml, LooksAsKubectlWritesIt) {
  ASSERT_OK_AND_ASSIGN(
      const Value value,
      ParseValue(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{},)"
                 R"("annotations":{"n":"1","y":"yes"}},)"
                 R"("spec":{"containers":[{"name":"c","image":"repo/i:v1",)"
                 R"("args":["--port=80","-v","- x"],)"
                 R"("command":["sh","-c","a\nb\n"],"tty":true,"x":null}],)"
                 R"("lists":[[1,2],[],[{"a":[3.5]}]],"e":[]}})"));
  EXPECT_EQ(WriteYaml(value), R"(apiVersion: v1
kind: Pod
metadata:
  name: a
  labels: {}
  annotations:
    "n": "1"
    "y": "yes"
spec:
  containers:
  - name: c
    image: repo/i:v1
    args:
    - --port=80
    - -v
    - "- x"
    command:
    - sh
    - -c
    - |
      a
      b
    tty: true
    x: null
  lists:
  - - 1
    - 2
  - []
  - - a:
      - 3.5
  e: []
)");
  ExpectReadsBack(value);
}

TEST(WriteYaml, ScalarsAtTheRoot) {
  EXPECT_EQ(WriteYaml(Value()), "null\n");
  EXPECT_EQ(WriteYaml(Value(true)), "true\n");
  EXPECT_EQ(WriteYaml(Value("a b")), "a b\n");
  EXPECT_EQ(WriteYaml(Value("")), "\"\"\n");
  EXPECT_EQ(WriteYaml(Value::Object()), "{}\n");
  EXPECT_EQ(WriteYaml(Value::Array()), "[]\n");
  EXPECT_EQ(WriteYaml(Value("a\nb")), "|-\n  a\n  b\n");
}

TEST(WriteYaml, QuotesWhatWouldReadAsSomethingElse) {
  for (const char* text : {"yes",
                           "No",
                           "on",
                           "OFF",
                           "y",
                           "N",
                           "true",
                           "null",
                           "~",
                           "",
                           "1",
                           "1e3",
                           "0x1",
                           "0o7",
                           "017",
                           "1_000",
                           ".5",
                           "-.5",
                           "1.",
                           ".inf",
                           ".NaN",
                           "1:30",
                           "1e400",
                           "<<",
                           "=",
                           "-",
                           "?",
                           ":",
                           "---",
                           "--- a",
                           "...",
                           "- a",
                           "? a",
                           ": a",
                           " a",
                           "a ",
                           "a: b",
                           "a:",
                           "#x",
                           "a #x",
                           "&a",
                           "*a",
                           "!a",
                           "|",
                           ">",
                           "'a",
                           "\"a",
                           "%a",
                           "@a",
                           "`a",
                           ",a",
                           "[a",
                           "]a",
                           "{a",
                           "}a",
                           "\ta",
                           "a\tb",
                           "2001-12-14",
                           "+1",
                           "0b1",
                           "0xFFFFFFFFFFFFFFFFFF",
                           "0x_",
                           "\x7f",
                           "\x01",
                           "\xC2\x85",
                           "\xE2\x80\xA8",
                           "\xEF\xBB\xBF"
                           "a",
                           "a\r"}) {
    EXPECT_EQ(WriteYaml(Value(text)).front(), '"') << text;
    ExpectReadsBack(Value(text));
    ExpectReadsBack(Value::Object({{text, text}}));
    ExpectReadsBack(Value::Array({Value(text), Value::Object({{"k", text}})}));
  }
}

TEST(WriteYaml, LeavesPlainWhatReadsAsAString) {
  for (const char* text : {"a",
                           "a b",
                           "-a",
                           "--a",
                           "?a",
                           ":a",
                           "a:b",
                           "a#b",
                           "a-b",
                           "1.2.3",
                           "v1",
                           "1Gi",
                           "100m",
                           "a,b",
                           "a[b]",
                           "a{b}",
                           "a'b",
                           "a\"b",
                           "a\\b",
                           "a=b",
                           "yess",
                           "nulls",
                           "_1",
                           "---a",
                           "....",
                           "1e",
                           "0xg",
                           "x:80",
                           "http://a/b?c=d#e",
                           "\xC3\xA9",
                           "\xF0\x9F\x98\x80",
                           "a%b",
                           "a@b",
                           "a*b",
                           "a&b",
                           "a!b",
                           "a|b",
                           "a>b",
                           "<",
                           "<<a",
                           "192.168.0.1",
                           "10.0.0.0/8",
                           "2001-12-14x",
                           "inf",
                           "nan",
                           "$(X)"}) {
    EXPECT_EQ(WriteYaml(Value(text)), std::string(text) + "\n");
    ExpectReadsBack(Value(text));
    ExpectReadsBack(Value::Object({{text, text}}));
  }
}

TEST(WriteYaml, ManyLinesStandUnderABar) {
  const struct {
    const char* text;
    const char* header;
  } rows[] = {
      {"a\nb", "|-"},     {"a\nb\n", "|"},   {"a\nb\n\n", "|+"},   {"a\n\n\nb\n", "|"},
      {" a\nb", "|2-"},   {"\na", "|2-"},    {"\n\na\n\n", "|2+"}, {"a\n b\n  c\n", "|"},
      {"a\n\tb\n", "|"},  {"\ta\n", "|2"},   {"a \nb  \n", "|"},   {"a\n  ", "|-"},
      {" \n", "|2"},      {"  \n \n", "|2"}, {"---\na\n", "|"},    {"# x\ny: z\n", "|"},
      {"a\n\n  \n", "|"}, {"\n \na", "|2-"},
  };
  for (const auto& row : rows) {
    const std::string yaml = WriteYaml(Value(row.text));
    EXPECT_EQ(yaml.substr(0, yaml.find('\n')), row.header) << row.text;
    ExpectReadsBack(Value(row.text));
    ExpectReadsBack(Value::Object({{"k", row.text}, {"l", row.text}}));
    ExpectReadsBack(Value::Object({{"k", Value::Object({{"m", row.text}, {"n", 1}})}}));
    ExpectReadsBack(Value::Object({{"k", Value::Array({Value(row.text), Value(row.text)})}}));
    ExpectReadsBack(Value::Array({Value::Array({Value(row.text), Value(1)}), Value(row.text)}));
  }
}

TEST(WriteYaml, QuotesLinesThatABarCannotShow) {
  for (const char* text :
       {"\n", "\n\n", "a\r\nb", "a\n\x01", "a\n\xE2\x80\xA8", "a\n\xEF\xBF\xBE"}) {
    EXPECT_EQ(WriteYaml(Value(text)).front(), '"') << text;
    ExpectReadsBack(Value(text));
  }
}

TEST(WriteYaml, ZeroByteAndBytesThatAreNoText) {
  ExpectReadsBack(Value(std::string("a\0b", 3)));
  EXPECT_EQ(WriteYaml(Value("a\xff"
                            "b")),
            "\"a\xEF\xBF\xBD"
            "b\"\n");
}

TEST(WriteYaml, KeysOfAnyLength) {
  for (const size_t length : {999, 1000, 1001, 1024, 1025, 5000}) {
    const std::string key(length, 'k');
    ExpectReadsBack(
        Value::Object({{key, 1}, {"b", Value::Object({{key + "\n", Value::Array({1, 2})}})}}));
    ExpectReadsBack(
        Value::Array({Value::Object({{key, Value::Object({{"x", "a\nb"}})}, {"z", 2}})}));
  }
}

TEST(WriteYaml, NumbersKeepTheirValue) {
  for (const char* token :
       {"0", "-0", "1", "-1", "1.0", "1.50", "1e3", "1E+3", "1e-3", "1e400", "-1e999", "1e-400",
        "123456789012345678901234567890", "0.1234567890123456789012345", "1e21"}) {
    ExpectReadsBack(Value(Value::Number{token}));
  }
}

TEST(WriteYaml, DocumentsReadBack) {
  const std::vector<Value> documents = {Value::Object({{"a", 1}}), Value("x\n\n"), Value(),
                                        Value::Array(), Value("---")};
  const std::string yaml = WriteYaml(documents);
  ASSERT_OK_AND_ASSIGN(const std::vector<Value> again, ParseYaml(yaml));
  EXPECT_EQ(again, documents) << yaml;
  EXPECT_EQ(WriteYaml(std::vector<Value>()), "");
}

// Random trees over an alphabet of troublemakers.
class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  Value Next(int depth) {
    switch (random_.Below(depth > 0 ? 8 : 5)) {
      case 0:
        return Value();
      case 1:
        return Value(random_.Below(2) == 0);
      case 2:
        return Value(static_cast<int64_t>(random_.Next()));
      case 3:
      case 4:
        return Value(Text());
      case 5: {
        Value array = Value::Array();
        for (uint64_t i = random_.Below(4); i > 0; --i) {
          array.Append(Next(depth - 1));
        }
        return array;
      }
      default: {
        Value object = Value::Object();
        for (uint64_t i = random_.Below(4); i > 0; --i) {
          object.Set(Text(), Next(depth - 1));
        }
        return object;
      }
    }
  }

 private:
  std::string Text() {
    static const std::vector<std::string> kPieces = {" ",
                                                     "\n",
                                                     "\t",
                                                     "\r",
                                                     "a",
                                                     "b",
                                                     "0",
                                                     "1",
                                                     "-",
                                                     "?",
                                                     ":",
                                                     "#",
                                                     ",",
                                                     "[",
                                                     "]",
                                                     "{",
                                                     "}",
                                                     "&",
                                                     "*",
                                                     "!",
                                                     "|",
                                                     ">",
                                                     "'",
                                                     "\"",
                                                     "%",
                                                     "@",
                                                     "`",
                                                     ".",
                                                     "_",
                                                     "~",
                                                     "=",
                                                     "<",
                                                     "\\",
                                                     "yes",
                                                     "e3",
                                                     "0x",
                                                     "---",
                                                     "...",
                                                     "null",
                                                     "\xC3\xA9",
                                                     "\xC2\x85",
                                                     "\xC2\xA0",
                                                     "\xE2\x80\xA8",
                                                     "\xEF\xBB\xBF",
                                                     "\xF0\x9F\x98\x80",
                                                     std::string(1, '\0'),
                                                     "\x7f",
                                                     "\x1b"};
    std::string text;
    for (uint64_t i = random_.Below(6); i > 0; --i) {
      text += kPieces[random_.Below(kPieces.size())];
    }
    return text;
  }

  Random random_;
};

TEST(WriteYaml, AnythingReadsBack) {
  Generator generator(3);
  for (int i = 0; i < 20'000; ++i) {
    const Value value = generator.Next(4);
    ExpectReadsBack(value);
    if (HasFatalFailure()) {
      return;
    }
  }
}

}  // namespace
}  // namespace hearth::json

#include "json/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace hearth::json {
namespace {

using ::testing::HasSubstr;

std::string Compact(std::string_view text) {
  const auto blob = Parse(text);
  return blob.ok() ? std::string(blob->text()) : blob.status().ToString();
}

std::string ErrorOf(std::string_view text, const ParseLimits& limits = {}) {
  const auto blob = Parse(text, limits);
  return blob.ok() ? "accepted" : blob.status().ToString();
}

std::string Nested(int levels) { return std::string(levels, '[') + std::string(levels, ']'); }

TEST(Parse, TakesWhiteSpaceOutAndLeavesTheRest) {
  EXPECT_EQ(Compact(" \t\r\n{ \"a b\" : [ 1 , \"x  y\" , { } ] ,\n \"c\":null } \n"),
            R"({"a b":[1,"x  y",{}],"c":null})");
  EXPECT_EQ(Compact("[]"), "[]");
  EXPECT_EQ(Compact(" 1 "), "1");
  EXPECT_EQ(Compact("\"s\"\n"), "\"s\"");
}

TEST(Parse, NumbersStayAsTheyWereSent) {
  const std::string numbers =
      "[0,-0,1,1.0,1.50,1e5,1E+5,1e-5,-1.5E3,9007199254740993,9223372036854775807,1e999,"
      "123456789012345678901234567890]";
  EXPECT_EQ(Compact(numbers), numbers);
}

TEST(Parse, EscapesStayAsTheyWereSent) {
  const std::string text = R"({"\u0061":"\u00e9\ud83d\ude00\/\"\\\b\f\n\r\t\u0000","b":"é😀"})";
  EXPECT_EQ(Compact(text), text);
}

TEST(Parse, UnknownMembersArePreserved) {
  const auto blob = Parse(R"({"kind":"X","never-heard-of":{"deep":[1,2]}})");
  ASSERT_TRUE(blob.ok());
  EXPECT_EQ((*blob)["never-heard-of"]["deep"].at(1).Int(), 2);
}

TEST(Parse, NothingButAValueIsRefused) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("at byte 0: expected a value, found the end of the text"));
  EXPECT_THAT(ErrorOf(" \n\t"), HasSubstr("at byte 3: expected a value"));
  EXPECT_THAT(ErrorOf("\xEF\xBB\xBF{}"), HasSubstr("at byte 0: a byte order mark"));
  EXPECT_THAT(ErrorOf("// c\n1"), HasSubstr("expected a value, found '/'"));
}

TEST(Parse, BytesAfterTheValueAreRefused) {
  EXPECT_THAT(ErrorOf("{} {}"), HasSubstr("at byte 3: expected nothing more"));
  EXPECT_THAT(ErrorOf("1 x"), HasSubstr("at byte 2"));
  EXPECT_THAT(ErrorOf("{}]"), HasSubstr("at byte 2"));
  EXPECT_THAT(ErrorOf(std::string_view("1\0", 2)), HasSubstr("at byte 1"));
  EXPECT_THAT(ErrorOf("\"a\"\"b\""), HasSubstr("at byte 3"));
}

TEST(Parse, WordsThatAreNoValuesAreRefused) {
  for (const char* text : {"NaN", "Infinity", "-Infinity", "nul", "nulll", "True", "tru", "truex",
                           "undefined", "'a'", "-", "+1"}) {
    EXPECT_THAT(ErrorOf(text), HasSubstr("Invalid")) << text;
  }
}

TEST(Parse, MalformedNumbersAreRefused) {
  for (const char* text : {"01", "-01", "00", "1.", ".5", "1.e5", "1e", "1e+", "1.5.", "0x10",
                           "1_000", "--1", "1e5.5", "- 1", "1 2"}) {
    EXPECT_THAT(ErrorOf(text), HasSubstr("Invalid")) << text;
    EXPECT_THAT(ErrorOf("[" + std::string(text) + "]"), HasSubstr("Invalid")) << text;
  }
}

TEST(Parse, BrokenStructureIsRefusedWhereItBreaks) {
  EXPECT_THAT(ErrorOf("["), HasSubstr("at byte 1: expected a value, found the end"));
  EXPECT_THAT(ErrorOf("[1"), HasSubstr("at byte 2: expected ',' or ']', found the end"));
  EXPECT_THAT(ErrorOf("[1,]"), HasSubstr("at byte 3: expected a value, found ']'"));
  EXPECT_THAT(ErrorOf("[,1]"), HasSubstr("at byte 1"));
  EXPECT_THAT(ErrorOf("[1 2]"), HasSubstr("at byte 3: expected ',' or ']', found '2'"));
  EXPECT_THAT(ErrorOf("[1}"), HasSubstr("at byte 2"));
  EXPECT_THAT(ErrorOf("{"), HasSubstr("expected a member name"));
  EXPECT_THAT(ErrorOf("{\"a\"}"),
              HasSubstr("at byte 4: expected ':' after a member name, found '}'"));
  EXPECT_THAT(ErrorOf("{\"a\":}"), HasSubstr("at byte 5: expected a value"));
  EXPECT_THAT(ErrorOf("{\"a\":1,}"), HasSubstr("at byte 7: expected a member name, found '}'"));
  EXPECT_THAT(ErrorOf("{a:1}"), HasSubstr("at byte 1: expected a member name, found 'a'"));
  EXPECT_THAT(ErrorOf("{1:1}"), HasSubstr("expected a member name"));
  EXPECT_THAT(ErrorOf("{\"a\":1 \"b\":2}"), HasSubstr("at byte 7: expected ',' or '}'"));
  EXPECT_THAT(ErrorOf("{\"a\":1]"), HasSubstr("at byte 6"));
  EXPECT_THAT(ErrorOf("\f1"), HasSubstr("byte 0x0c"));
}

TEST(Parse, BrokenStringsAreRefused) {
  EXPECT_THAT(ErrorOf("\"abc"), HasSubstr("at byte 4: expected a closing quote"));
  EXPECT_THAT(ErrorOf("\"abc\\"), HasSubstr("at byte 4: expected a valid escape"));
  EXPECT_THAT(ErrorOf("\"abc\\\""), HasSubstr("expected a closing quote"));
  EXPECT_THAT(ErrorOf("\"a\nb\""), HasSubstr("at byte 2: expected no bare control character"));
  EXPECT_THAT(ErrorOf(std::string_view("\"\0\"", 3)), HasSubstr("byte 0x00"));
  EXPECT_THAT(ErrorOf("\"a\tb\\n\""), HasSubstr("control character"));
  EXPECT_THAT(ErrorOf("\"\\n\tb\""), HasSubstr("control character"));
  EXPECT_THAT(ErrorOf(R"("\x41")"), HasSubstr("at byte 1: expected a valid escape"));
  EXPECT_THAT(ErrorOf(R"("\u12g4")"), HasSubstr("expected a valid escape"));
  EXPECT_THAT(ErrorOf(R"("\u12")"), HasSubstr("expected a valid escape"));
}

TEST(Parse, HalfASurrogatePairIsRefused) {
  for (const char* text : {R"("\ud83d")", R"("\ude00")", R"("\ud83dx")", R"("\ud83d\n")",
                           R"("\ud83d\ud83d")", R"("\ude00\ud83d")", R"("\ud83d\u0041")"}) {
    EXPECT_THAT(ErrorOf(text), HasSubstr("at byte 1: expected a valid escape")) << text;
  }
}

TEST(Parse, InvalidUtf8IsRefusedWhereItStands) {
  EXPECT_THAT(ErrorOf("\"ab\xFF\""), HasSubstr("at byte 3: invalid UTF-8, found byte 0xff"));
  EXPECT_THAT(ErrorOf("\"\xC0\xAF\""), HasSubstr("at byte 1: invalid UTF-8"));
  EXPECT_THAT(ErrorOf("\"\xED\xA0\x80\""), HasSubstr("invalid UTF-8"));
  EXPECT_THAT(ErrorOf("\"\xF4\x90\x80\x80\""), HasSubstr("invalid UTF-8"));
  EXPECT_THAT(ErrorOf("\"\xE2\x82"), HasSubstr("invalid UTF-8"));
  EXPECT_THAT(ErrorOf("{\"\x80\":1}"), HasSubstr("at byte 2: invalid UTF-8"));
}

TEST(Parse, ADuplicateMemberIsRefusedByName) {
  EXPECT_THAT(ErrorOf(R"({"a":1,"b":2,"a":3})"), HasSubstr("at byte 14: duplicate member \"a\""));
  EXPECT_THAT(ErrorOf(R"([{"x":{"n":1,"n":1}}])"), HasSubstr("duplicate member \"n\""));
  EXPECT_THAT(ErrorOf(R"({"":1,"":2})"), HasSubstr("duplicate member \"\""));
  EXPECT_EQ(Compact(R"({"a":{"a":{"a":1}},"b":{"a":1}})"), R"({"a":{"a":{"a":1}},"b":{"a":1}})");
}

TEST(Parse, ADuplicateIsFoundBehindEscapes) {
  EXPECT_THAT(ErrorOf(R"({"a":1,"\u0061":2})"), HasSubstr("duplicate member \"a\""));
  EXPECT_THAT(ErrorOf(R"({"a\/b":1,"a/b":2})"), HasSubstr("duplicate member \"a/b\""));
  EXPECT_THAT(ErrorOf(R"({"\u0061":1,"\u0061":2})"), HasSubstr("duplicate member \"a\""));
  EXPECT_EQ(Compact(R"({"\\n":1,"\n":2})"), R"({"\\n":1,"\n":2})");
}

TEST(Parse, ADuplicateIsFoundAmongManyMembers) {
  std::string text = "{";
  for (int i = 0; i < 5000; ++i) {
    text += "\"member-" + std::to_string(i) + "\":0,";
  }
  EXPECT_TRUE(Parse(text + "\"last\":0}").ok());
  EXPECT_THAT(ErrorOf(text + "\"member-17\":0}"), HasSubstr("duplicate member \"member-17\""));
}

TEST(Parse, DuplicatesMayBeAllowedAndThenAllStay) {
  const std::string text = R"({"a":1,"a":2})";
  const auto blob = Parse(text, {.allow_duplicate_keys = true});
  ASSERT_TRUE(blob.ok());
  EXPECT_EQ(blob->text(), text);
  EXPECT_EQ((*blob)["a"].Int(), 2);
}

TEST(Parse, TheDepthIsLimited) {
  EXPECT_TRUE(Parse(Nested(10), {.max_depth = 10}).ok());
  const auto deep = Parse(Nested(11), {.max_depth = 10});
  ASSERT_FALSE(deep.ok());
  EXPECT_EQ(deep.status().code(), Code::kExhausted);
  EXPECT_THAT(deep.status().ToString(), HasSubstr("at byte 10: nested deeper than allowed"));
}

TEST(Parse, AHugeDepthIsAnErrorAndNoCrashWhateverTheLimit) {
  EXPECT_EQ(Parse(std::string(1'000'000, '[')).status().code(), Code::kExhausted);
  EXPECT_EQ(Parse(std::string(1'000'000, '['), {.max_depth = 1 << 30}).status().code(),
            Code::kExhausted);
}

TEST(Parse, TheSizeIsLimited) {
  EXPECT_TRUE(Parse("[1,2]", {.max_bytes = 5}).ok());
  EXPECT_EQ(Parse("[1,2]", {.max_bytes = 4}).status().code(), Code::kExhausted);
}

TEST(Parse, EveryCutOfAGoodTextIsRefused) {
  const std::string text = R"({"a":[1.5e3,"b\u00e9\ud83d\ude00",true,null,{"c":{}}],"d":false})";
  for (size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(Parse(text.substr(0, length)).ok()) << length;
  }
  EXPECT_TRUE(Parse(text).ok());
}

TEST(ParseValue, GivesATree) {
  const auto value = ParseValue(" { \"a\" : [ 1, \"x\\n\" ] } ");
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(value->Write(), R"({"a":[1,"x\n"]})");
  EXPECT_EQ(value->Find("a")->items()[1].string(), "x\n");
  EXPECT_FALSE(ParseValue("{").ok());
}

}  // namespace
}  // namespace hearth::json

#include "json/view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace hearth::json {
namespace {

using ::testing::ElementsAre;

View Of(std::string_view text) { return View::Trusted(text); }

TEST(View, KnowsItsKindFromTheFirstByte) {
  EXPECT_EQ(View().kind(), Kind::kAbsent);
  EXPECT_EQ(Of("null").kind(), Kind::kNull);
  EXPECT_EQ(Of("true").kind(), Kind::kBool);
  EXPECT_EQ(Of("false").kind(), Kind::kBool);
  EXPECT_EQ(Of("-1").kind(), Kind::kNumber);
  EXPECT_EQ(Of("\"\"").kind(), Kind::kString);
  EXPECT_EQ(Of("[]").kind(), Kind::kArray);
  EXPECT_EQ(Of("{}").kind(), Kind::kObject);
}

TEST(View, EveryKindHasAName) {
  EXPECT_EQ(KindName(View().kind()), "absent");
  EXPECT_EQ(KindName(Of("null").kind()), "null");
  EXPECT_EQ(KindName(Of("true").kind()), "boolean");
  EXPECT_EQ(KindName(Of("0").kind()), "number");
  EXPECT_EQ(KindName(Of("\"\"").kind()), "string");
  EXPECT_EQ(KindName(Of("[]").kind()), "array");
  EXPECT_EQ(KindName(Of("{}").kind()), "object");
}

TEST(View, ReadsMembersAtAnyDepth) {
  const View view = Of(R"({"a":{"b":[1,{"c":"deep"}]},"d":2})");
  EXPECT_EQ(view["a"]["b"].at(1)["c"].String(), "deep");
  EXPECT_EQ(view["d"].Int(), 2);
}

TEST(View, AskingWhatIsNotThereGivesAbsentAllTheWay) {
  const View view = Of(R"({"a":1,"s":"text"})");
  EXPECT_FALSE(view["x"].exists());
  EXPECT_FALSE(view["x"]["y"].at(3)["z"].exists());
  EXPECT_FALSE(view["a"]["b"].exists());
  EXPECT_FALSE(view["s"].at(0).exists());
  EXPECT_EQ(view["x"].Int(), std::nullopt);
  EXPECT_EQ(view["x"].StringOr("other"), "other");
  EXPECT_EQ(view["a"].size(), 0U);
}

TEST(View, BracketsAndQuotesInStringsDoNotMisleadIt) {
  const View view = Of(R"({"a":"}]{[\"","b":["\\","\\\"]"],"c":"\\","d":7})");
  EXPECT_EQ(view["a"].String(), "}]{[\"");
  EXPECT_EQ(view["b"].at(0).String(), "\\");
  EXPECT_EQ(view["b"].at(1).String(), "\\\"]");
  EXPECT_EQ(view["c"].String(), "\\");
  EXPECT_EQ(view["d"].Int(), 7);
}

TEST(View, TheLastOfTwoMembersWithOneNameCounts) {
  EXPECT_EQ(Of(R"({"a":1,"b":2,"a":3})")["a"].Int(), 3);
}

TEST(View, ANameIsComparedUnescaped) {
  const View view = Of(R"({"\u0061":1,"a\/b":2,"x\\n":3,"":4})");
  EXPECT_EQ(view["a"].Int(), 1);
  EXPECT_EQ(view["a/b"].Int(), 2);
  EXPECT_EQ(view["x\\n"].Int(), 3);
  EXPECT_FALSE(view["x\n"].exists());
  EXPECT_EQ(view[""].Int(), 4);
}

TEST(View, ANameThatIsOnlyABeginningDoesNotMatch) {
  const View view = Of(R"({"name":1,"namespace":2})");
  EXPECT_EQ(view["name"].Int(), 1);
  EXPECT_EQ(view["namespace"].Int(), 2);
  EXPECT_FALSE(view["nam"].exists());
  EXPECT_FALSE(view["names"].exists());
}

TEST(View, IntegersAreExactAndOnlyIntegers) {
  EXPECT_EQ(Of("9007199254740993").Int(), 9007199254740993);
  EXPECT_EQ(Of("9223372036854775807").Int(), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(Of("-9223372036854775808").Int(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(Of("-0").Int(), 0);
  EXPECT_EQ(Of("9223372036854775808").Int(), std::nullopt);
  EXPECT_EQ(Of("1.0").Int(), std::nullopt);
  EXPECT_EQ(Of("1e3").Int(), std::nullopt);
  EXPECT_EQ(Of("\"1\"").Int(), std::nullopt);
}

TEST(View, DoublesReadWhateverFits) {
  EXPECT_EQ(Of("1.5e3").Double(), 1500.0);
  EXPECT_EQ(Of("3").Double(), 3.0);
  EXPECT_EQ(Of("1e999").Double(), std::nullopt);
  EXPECT_EQ(Of("true").Double(), std::nullopt);
}

TEST(View, StringsAreUnescaped) {
  EXPECT_EQ(Of(R"("a\"\\\/\b\f\n\r\tz")").String(), "a\"\\/\b\f\n\r\tz");
  EXPECT_EQ(Of(R"("\u0041\u00e9\u20ac\ud83d\ude00")").String(), "A\u00e9\u20ac\U0001F600");
  EXPECT_EQ(Of(R"("a\u0000b")").String(), std::string("a\0b", 3));
}

TEST(View, APlainStringIsBorrowedAndAnEscapedOneIsNot) {
  const std::string_view text = R"(["plain","esc\n"])";
  const View view = Of(text);
  ASSERT_TRUE(view.at(0).PlainString().has_value());
  EXPECT_EQ(view.at(0).PlainString()->data(), text.data() + 2);
  EXPECT_EQ(*view.at(0).PlainString(), "plain");
  EXPECT_EQ(view.at(1).PlainString(), std::nullopt);
}

TEST(View, EqualsComparesWhatTheStringStandsFor) {
  EXPECT_TRUE(Of(R"("abc")").Equals("abc"));
  EXPECT_FALSE(Of(R"("abc")").Equals("ab"));
  EXPECT_FALSE(Of(R"("abc")").Equals("abcd"));
  EXPECT_TRUE(Of(R"("a\u0062c")").Equals("abc"));
  EXPECT_TRUE(Of(R"("\ud83d\ude00!")").Equals("\U0001F600!"));
  EXPECT_FALSE(Of(R"("a\nb")").Equals("a\\nb"));
  EXPECT_TRUE(Of(R"("")").Equals(""));
  EXPECT_FALSE(Of("1").Equals("1"));
}

TEST(View, WalksMembersInTheirOrder) {
  std::vector<std::string> seen;
  for (const auto& member : Of(R"({"b":1,"a":{"x":[]},"\u0063":"s"})").members()) {
    seen.push_back(member.Name() + "=" + std::string(member.value.raw()));
  }
  EXPECT_THAT(seen, ElementsAre("b=1", R"(a={"x":[]})", R"(c="s")"));
}

TEST(View, AMemberKnowsItsUnescapedName) {
  const View view = Of(R"({"\u0063d":1})");
  const Member member = *view.members().begin();
  EXPECT_EQ(member.raw_name, R"(\u0063d)");
  EXPECT_TRUE(member.Is("cd"));
  EXPECT_FALSE(member.Is("c"));
}

TEST(View, WalksItems) {
  std::vector<std::string_view> seen;
  for (const View item : Of(R"([1,"two",[3],{"four":4},null])").items()) {
    seen.push_back(item.raw());
  }
  EXPECT_THAT(seen, ElementsAre("1", "\"two\"", "[3]", R"({"four":4})", "null"));
}

TEST(View, NothingToWalkInEmptyOnesAndOtherKinds) {
  for (const char* text : {"{}", "[]", "1", "\"s\"", "null"}) {
    EXPECT_TRUE(Of(text).members().begin() == std::default_sentinel) << text;
    EXPECT_TRUE(Of(text).items().begin() == std::default_sentinel) << text;
    EXPECT_EQ(Of(text).size(), 0U) << text;
  }
  EXPECT_TRUE(View().members().begin() == std::default_sentinel);
  EXPECT_TRUE(View().items().begin() == std::default_sentinel);
}

TEST(View, CountsMembersAndItems) {
  EXPECT_EQ(Of(R"({"a":{"x":1},"b":[1,2]})").size(), 2U);
  EXPECT_EQ(Of(R"([[1,2],"a,b",{}])").size(), 3U);
}

// Values of every length around the block size end up whole, whatever lies around them.
TEST(View, FindsTheEndOfContainersOfEverySize) {
  for (size_t length = 0; length < 200; ++length) {
    const std::string big = "{\"k\":[\"" + std::string(length, 'x') + "\\\\\",{}]}";
    const std::string text = "{\"a\":" + big + ",\"b\":" + big + "}";
    const View view = Of(text);
    EXPECT_EQ(view["a"].raw(), big);
    EXPECT_EQ(view["b"].raw(), big);
    EXPECT_EQ(view.size(), 2U);
  }
}

}  // namespace
}  // namespace hearth::json

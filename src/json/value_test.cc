#include "json/value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace hearth::json {
namespace {

Value Of(std::string_view trusted) { return Value(View::Trusted(trusted)); }

TEST(Value, ReadsAndWritesTheSameText) {
  for (const char* text :
       {"null", "true", "false", "0", "-1.50e+3", "\"\"", R"("a\"b\\c\n")", "[]", "{}",
        R"({"b":[1,{"x":null}],"a":"\u0001","b2":[[],{}]})", "9007199254740993"}) {
    EXPECT_EQ(Of(text).Write(), text);
  }
}

TEST(Value, AnAbsentViewIsNull) { EXPECT_TRUE(Value(View()).IsNull()); }

TEST(Value, NumbersKeepTheirText) {
  const Value value = Of("[1,1.0,1e0,12345678901234567890123]");
  EXPECT_EQ(value.items()[1].number(), "1.0");
  EXPECT_EQ(value.Write(), "[1,1.0,1e0,12345678901234567890123]");
  EXPECT_EQ(value.items()[0].Int(), 1);
  EXPECT_EQ(value.items()[1].Int(), std::nullopt);
  EXPECT_EQ(value.items()[3].Int(), std::nullopt);
}

TEST(Value, IntegersAreExactToTheirLimits) {
  EXPECT_EQ(Value(std::numeric_limits<int64_t>::min()).Write(), "-9223372036854775808");
  EXPECT_EQ(Value(std::numeric_limits<uint64_t>::max()).Write(), "18446744073709551615");
  EXPECT_EQ(Value(int64_t{9007199254740993}).Int(), 9007199254740993);
}

TEST(Value, DoublesAreShortestAndReadBackTheSame) {
  EXPECT_EQ(Value(0.1).Write(), "0.1");
  EXPECT_EQ(Value(1.0).Write(), "1");
  EXPECT_EQ(Value(-0.0).Write(), "-0");
  for (const double number : {1e300, 1.0 / 3, 5e-324, 123456789.125, 1e22}) {
    const std::string text = Value(number).Write();
    EXPECT_EQ(View::Trusted(text).Double(), number) << text;
  }
}

TEST(Value, DoublesThatAreNoNumbersAreNull) {
  EXPECT_TRUE(Value(std::numeric_limits<double>::infinity()).IsNull());
  EXPECT_TRUE(Value(std::nan("")).IsNull());
}

TEST(Value, MembersKeepTheirOrder) {
  Value value;
  value.Set("z", 1);
  value.Set("a", 2);
  value["m"]["x"] = 3;
  value.Set("z", 4);
  EXPECT_EQ(value.Write(), R"({"z":4,"a":2,"m":{"x":3}})");
}

TEST(Value, CanonicalTextIsSortedByNameBytes) {
  EXPECT_EQ(Of(R"({"b":{"d":1,"c":2},"B":3,"a":[{"y":1,"x":2}]})").WriteCanonical(),
            R"({"B":3,"a":[{"x":2,"y":1}],"b":{"c":2,"d":1}})");
}

TEST(Value, PrettyTextIsIndented) {
  EXPECT_EQ(Of(R"({"a":[1,{"b":{}}],"c":[]})").WritePretty(), R"({
  "a": [
    1,
    {
      "b": {}
    }
  ],
  "c": []
}
)");
}

TEST(Value, FindsAndErasesMembers) {
  Value value = Of(R"({"a":{"b":{"c":1}},"d":null})");
  ASSERT_NE(value.FindPath("a.b.c"), nullptr);
  EXPECT_EQ(value.FindPath("a.b.c")->Int(), 1);
  EXPECT_EQ(value.FindPath("a.x.c"), nullptr);
  EXPECT_EQ(value.FindPath("d.x"), nullptr);
  EXPECT_NE(value.Find("d"), nullptr);
  EXPECT_TRUE(value.Erase("a"));
  EXPECT_FALSE(value.Erase("a"));
  EXPECT_FALSE(Value(1).Erase("a"));
  EXPECT_EQ(Value(1).Find("a"), nullptr);
  EXPECT_EQ(value.Write(), R"({"d":null})");
}

TEST(Value, MakesThePathThatIsMissing) {
  Value value;
  value.MakePath("spec.template.metadata") = "here";
  EXPECT_EQ(value.Write(), R"({"spec":{"template":{"metadata":"here"}}})");
  EXPECT_EQ(&value.MakePath("spec.template"), value.FindPath("spec.template"));
}

TEST(Value, ANullBecomesAnArrayWhenAppendedTo) {
  Value value;
  value.Append(1);
  value.Append("two");
  EXPECT_EQ(value.Write(), R"([1,"two"])");
}

TEST(Value, EqualWhateverTheOrderOfMembers) {
  EXPECT_EQ(Of(R"({"a":1,"b":[{"x":1,"y":2}]})"), Of(R"({"b":[{"y":2,"x":1}],"a":1})"));
  EXPECT_FALSE(Of(R"({"a":1})") == Of(R"({"a":1,"b":2})"));
  EXPECT_FALSE(Of(R"({"a":1,"b":2})") == Of(R"({"b":1,"a":2})"));
  EXPECT_FALSE(Of("[1,2]") == Of("[2,1]"));
}

TEST(Value, ComparingDeepTreesLooksAtEachValueOnce) {
  const auto nested = [](int innermost) {
    Value value = innermost;
    for (int i = 0; i < 200; ++i) {
      value = Value::Object({{"a", std::move(value)}});
    }
    return value;
  };
  // With two looks a level this would not end.
  EXPECT_FALSE(nested(1) == nested(2));
  EXPECT_TRUE(nested(1) == nested(1));
}

TEST(Value, NumbersAreEqualByTheirText) {
  EXPECT_EQ(Of("1"), Of("1"));
  EXPECT_FALSE(Of("1") == Of("1.0"));
  EXPECT_FALSE(Of("1") == Of("\"1\""));
  EXPECT_FALSE(Of("0") == Of("false"));
}

TEST(Value, InvalidUtf8IsReplacedWhenWritten) {
  EXPECT_EQ(Value("a\xFFz").Write(), "\"a\uFFFDz\"");
}

TEST(Value, BuildsFromLiterals) {
  const Value value = Value::Object({{"name", "web"},
                                     {"replicas", 3},
                                     {"ready", true},
                                     {"ratio", 0.5},
                                     {"none", nullptr},
                                     {"list", Value::Array({1, "two", Value::Object()})}});
  EXPECT_EQ(
      value.Write(),
      R"({"name":"web","replicas":3,"ready":true,"ratio":0.5,"none":null,"list":[1,"two",{}]})");
  const Blob blob = value.ToBlob();
  EXPECT_EQ(blob["replicas"].Int(), 3);
}

TEST(Value, ADocumentOfManyLevelsIsReadInOnePass) {
  constexpr int kLevels = 2000;
  const std::string text =
      std::string(kLevels, '[') + std::string(100'000, '1') + std::string(kLevels, ']');
  EXPECT_EQ(Of(text).Write(), text);
}

TEST(ValueDeathTest, AskingForAnotherKindStopsTheProgram) {
  EXPECT_DEATH(Value(1).string(), "a string is needed, this is number");
  EXPECT_DEATH(Value("a").members(), "an object is needed, this is string");
  EXPECT_DEATH(Value("a").items(), "an array is needed");
  EXPECT_DEATH(Value("a").Append(1), "an array is needed");
  EXPECT_DEATH(Value("a")["b"], "an object is needed");
}

}  // namespace
}  // namespace hearth::json

#include "json/builder.h"

#include <gtest/gtest.h>

#include <limits>

namespace hearth::json {
namespace {

TEST(Builder, PutsTheCommas) {
  Builder builder;
  builder.BeginObject()
      .Key("spec")
      .BeginObject()
      .Key("replicas")
      .Int(3)
      .Key("on")
      .Bool(true)
      .EndObject()
      .Key("list")
      .BeginArray()
      .Int(1)
      .BeginArray()
      .EndArray()
      .Null()
      .BeginObject()
      .EndObject()
      .EndArray()
      .EndObject();
  EXPECT_EQ(builder.text(), R"({"spec":{"replicas":3,"on":true},"list":[1,[],null,{}]})");
}

TEST(Builder, WritesNumbers) {
  Builder builder;
  builder.BeginArray()
      .Int(std::numeric_limits<int64_t>::min())
      .Uint(std::numeric_limits<uint64_t>::max())
      .Double(0.1)
      .Double(1e21)
      .Double(std::numeric_limits<double>::quiet_NaN())
      .EndArray();
  EXPECT_EQ(builder.Take(), "[-9223372036854775808,18446744073709551615,0.1,1e+21,null]");
}

TEST(Builder, EscapesStringsAndNames) {
  Builder builder;
  builder.BeginObject().Key("a\"b").String("\\\b\f\n\r\t\x01\x1f/\x7f\u00e9").EndObject();
  EXPECT_EQ(builder.text(), "{\"a\\\"b\":\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f/\x7f\u00e9\"}");
}

TEST(Builder, EveryByteThatIsNoUtf8BecomesOneReplacement) {
  Builder builder;
  builder.String("a\xC3\xA9\xC3(\xED\xA0\x80\"");
  EXPECT_EQ(builder.text(), "\"a\u00e9\uFFFD(\uFFFD\uFFFD\uFFFD\\\"\"");
}

TEST(Builder, CopiesRawValues) {
  Builder builder;
  builder.BeginArray().Raw(View::Trusted(R"({"a":1})")).Raw(View()).EndArray();
  EXPECT_EQ(builder.text(), R"([{"a":1},null])");
  EXPECT_EQ(builder.ToBlob().empty(), false);
}

TEST(Builder, TakenItBeginsAnew) {
  Builder builder;
  builder.Int(1);
  EXPECT_EQ(builder.Take(), "1");
  builder.Bool(false);
  EXPECT_EQ(builder.Take(), "false");
}

TEST(BuilderDeathTest, CallsThatMakeNoJsonStopTheProgram) {
  EXPECT_DEATH(Builder().BeginObject().Int(1), "a value without its key");
  EXPECT_DEATH(Builder().BeginArray().Key("a"), "no place for a key");
  EXPECT_DEATH(Builder().BeginObject().Key("a").Key("b"), "no place for a key");
  EXPECT_DEATH(Builder().BeginObject().Key("a").EndObject(), "no object to end");
  EXPECT_DEATH(Builder().BeginArray().EndObject(), "no object to end");
  EXPECT_DEATH(Builder().BeginObject().EndArray(), "no array to end");
  EXPECT_DEATH(Builder().Int(1).Int(2), "a second value");
  EXPECT_DEATH(Builder().BeginArray().Take(), "not complete");
  EXPECT_DEATH((void)Builder().ToBlob(), "not complete");
}

}  // namespace
}  // namespace hearth::json

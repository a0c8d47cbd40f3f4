#include <gtest/gtest.h>

#include <string>

#include "base/random.h"
#include "base/testing/status_matchers.h"
#include "json/internal/same_value.h"
#include "json/parse.h"
#include "json/patch.h"

namespace hearth::json {
namespace {

Value Json(std::string_view text) {
  Result<Value> value = ParseValue(text);
  EXPECT_TRUE(value.ok()) << text << ": " << value.status().ToString();
  return value.ok() ? *std::move(value) : Value();
}

std::string Merged(std::string_view document, std::string_view patch) {
  Value value = Json(document);
  ApplyMergePatch(value, Json(patch));
  return value.Write();
}

TEST(MergePatch, GivesWhatRfc7386Gives) {
  const struct {
    const char* document;
    const char* patch;
    const char* result;
  } rows[] = {
      {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
      {R"({"a":"b"})", R"({"a":null})", R"({})"},
      {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
      {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
      {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
      {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
      {R"(["a","b"])", R"(["c","d"])", R"(["c","d"])"},
      {R"({"a":"b"})", R"(["c"])", R"(["c"])"},
      {R"({"a":"foo"})", R"(null)", R"(null)"},
      {R"({"a":"foo"})", R"("bar")", R"("bar")"},
      {R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
      {R"([1,2])", R"({"a":"b","c":null})", R"({"a":"b"})"},
      {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
      // Ours: nulls in arrays stay, order of members stays.
      {R"({"a":1})", R"({"a":[null,{"b":null}]})", R"({"a":[null,{"b":null}]})"},
      {R"({"a":1,"b":2,"c":3})", R"({"b":null,"a":4})", R"({"a":4,"c":3})"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(Merged(row.document, row.patch), row.result) << row.document << " " << row.patch;
  }
}

TEST(DiffMergePatch, IsTheSmallest) {
  const struct {
    const char* from;
    const char* to;
    const char* patch;
  } rows[] = {
      {R"({"a":1,"b":{"c":2}})", R"({"b":{"c":2},"a":1})", R"({})"},
      {R"({"a":1})", R"({"a":1.0})", R"({})"},
      {R"({"a":1})", R"({"a":2})", R"({"a":2})"},
      {R"({"a":1,"b":2})", R"({"b":2})", R"({"a":null})"},
      {R"({"a":{"b":1,"c":2}})", R"({"a":{"b":1,"c":3}})", R"({"a":{"c":3}})"},
      {R"({"a":{"b":1}})", R"({"a":{}})", R"({"a":{"b":null}})"},
      {R"({})", R"({"a":{}})", R"({"a":{}})"},
      {R"({"a":[1,2]})", R"({"a":[1]})", R"({"a":[1]})"},
      {R"({"a":[1]})", R"({"a":{"b":1}})", R"({"a":{"b":1}})"},
      {R"({"a":null})", R"({})", R"({"a":null})"},
      {R"({"a":null,"b":1})", R"({"a":null,"b":2})", R"({"b":2})"},
      {R"({"a":1})", R"({"a":[null]})", R"({"a":[null]})"},
      {R"([1])", R"({"a":1})", R"({"a":1})"},
      {R"({"a":1})", R"([1])", R"([1])"},
      {R"(1)", R"(1)", R"(1)"},
  };
  for (const auto& row : rows) {
    const Result<Value> patch = DiffMergePatch(Json(row.from), Json(row.to));
    ASSERT_TRUE(patch.ok()) << row.from << " " << row.to << patch.status().ToString();
    EXPECT_EQ(patch->Write(), row.patch) << row.from << " " << row.to;
  }
}

TEST(DiffMergePatch, CannotSetNull) {
  EXPECT_CODE(Code::kUnsupported, DiffMergePatch(Json(R"({"a":1})"), Json(R"({"a":null})")));
  EXPECT_CODE(Code::kUnsupported, DiffMergePatch(Json(R"({})"), Json(R"({"a":{"b":null}})")));
  EXPECT_CODE(Code::kUnsupported, DiffMergePatch(Json("1"), Json(R"({"a":null})")));
  const auto nested =
      DiffMergePatch(Json(R"({"a":{"b":{"c":1}}})"), Json(R"({"a":{"b":{"c":null}}})"));
  EXPECT_NE(nested.status().message().find("c is set to null"), std::string::npos)
      << nested.status().ToString();
}

// A small random tree without null members.
Value Generate(Random& random, int depth) {
  switch (random.Below(depth > 0 ? 6 : 4)) {
    case 0:
      return Value(static_cast<int64_t>(random.Below(3)));
    case 1:
      return Value(random.Below(2) == 0);
    case 2:
      return Value(std::string(1, static_cast<char>('a' + random.Below(3))));
    case 3:
      return Value::Array({Value(static_cast<int64_t>(random.Below(2)))});
    default: {
      Value object = Value::Object();
      for (uint64_t i = random.Below(4); i > 0; --i) {
        object.Set(std::string(1, static_cast<char>('p' + random.Below(5))),
                   Generate(random, depth - 1));
      }
      return object;
    }
  }
}

TEST(DiffMergePatch, AppliedGivesTheOther) {
  Random random(42);
  for (int i = 0; i < 3000; ++i) {
    const Value from = Generate(random, 4);
    const Value to = Generate(random, 4);
    ASSERT_OK_AND_ASSIGN(const Value patch, DiffMergePatch(from, to));
    Value result = from;
    ApplyMergePatch(result, patch);
    ASSERT_TRUE(internal::SameValue(result, to)) << from.Write() << " + " << patch.Write() << " = "
                                                 << result.Write() << ", not " << to.Write();
  }
}

}  // namespace
}  // namespace hearth::json

#include "cel/json_value.h"

#include <gtest/gtest.h>

#include <string>

#include "cel/collections.h"
#include "cel/testing/cases.h"
#include "json/parse.h"

namespace hearth::cel {
namespace {

TEST(JsonValue, NumbersAreIntsWhereTheyCanBe) {
  const json::Value json =
      json::ParseValue("[1,-9223372036854775808,9223372036854775808,1.0,1e2,1e999,-1e999,1e-999]")
          .value();
  EXPECT_EQ(Show(FromJson(json)),
            "[1,-9223372036854775808,9.223372036854776e+18,1.0,100.0,+Inf,-Inf,0.0]");
}

TEST(JsonValue, EverythingReadsAsItStands) {
  const json::Value json = json::ParseValue(R"({"b":[null,true,"x"],"a":{}})").value();
  EXPECT_EQ(Show(FromJson(json)), R"({"b":[null,true,"x"],"a":{}})");
}

TEST(JsonValue, ValuesAreWritten) {
  const Value value =
      MakeList({Value::Uint(1), Value::Double(1.5), Value::Bytes("hi"), Value::None(),
                Value::Optional(Value::Bool(true)), Value::Duration(std::chrono::seconds(90)),
                MakeMap({{Value::Int(1), Value::Null()}})});
  EXPECT_EQ(ToJson(value).value().Write(), R"([1,1.5,"aGk=",null,true,"90s",{"1":null}])");
}

TEST(JsonValue, WhatHasNoFormIsRefused) {
  EXPECT_EQ(ToJson(Value::Error("x")).status().code(), Code::kUnsupported);
  Value deep = MakeList({});
  for (int i = 0; i < 1000; ++i) {
    deep = MakeList({deep});
  }
  EXPECT_EQ(ToJson(deep).status().code(), Code::kExhausted);
}

}  // namespace
}  // namespace hearth::cel

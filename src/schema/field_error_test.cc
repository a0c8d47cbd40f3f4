#include "schema/field_error.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace hearth::schema {
namespace {

using json::Value;

Value Json(std::string_view text) { return json::ParseValue(text).value(); }

TEST(FieldError, IsWordedAsApimachineryDoes) {
  const FieldPath path = FieldPath::Base("spec.x");
  EXPECT_EQ(Invalid(path, -1, "must not be").ToString(), "spec.x: Invalid value: -1: must not be");
  EXPECT_EQ(Invalid(path, "a\"b", "").ToString(), "spec.x: Invalid value: \"a\\\"b\"");
  EXPECT_EQ(Required(path).ToString(), "spec.x: Required value");
  EXPECT_EQ(Forbidden(path, "no").ToString(), "spec.x: Forbidden: no");
  EXPECT_EQ(NotFound(path, "a").ToString(), "spec.x: Not found: \"a\"");
  EXPECT_EQ(NotFound(path, "a").ToCause().reason, "FieldValueNotFound");
  EXPECT_EQ(TooLong(path, 1).ToString(), "spec.x: Too long: may not be more than 1 byte");
  EXPECT_EQ(Duplicate(path, Json(R"({"b":1,"a":"<"})")).ToString(),
            "spec.x: Duplicate value: {\"a\":\"\\u003c\",\"b\":1}");
}

TEST(FieldError, ACauseHasReasonFieldAndText) {
  const Cause cause = Invalid(FieldPath::Base("spec.x"), 5, "no").ToCause();
  EXPECT_EQ(cause.reason, "FieldValueInvalid");
  EXPECT_EQ(cause.field, "spec.x");
  EXPECT_EQ(cause.message, "Invalid value: 5: no");
}

TEST(FieldError, NumbersAreWrittenAsGoDoes) {
  EXPECT_EQ(ValueText(Json("1.0")), "1");
  EXPECT_EQ(ValueText(Json("1.5")), "1.5");
  EXPECT_EQ(ValueText(Json("1234567.5")), "1.2345675e+06");
  EXPECT_EQ(ValueText(Json("9223372036854775808")), "9.223372036854776e+18");
  EXPECT_EQ(ValueText(Json("1234567")), "1234567");
  EXPECT_EQ(ValueText(Json("[1234567.0]")), "[1234567]");
}

TEST(FieldError, StringsAreQuotedAsGoDoes) {
  EXPECT_EQ(QuotedText("a\tb\x01\u00e4\u200b\\"), "\"a\\tb\\x01\u00e4\\u200b\\\\\"");
}

TEST(FieldError, LongValuesAreCut) {
  EXPECT_LT(QuotedText(std::string(1 << 20, 'x')).size(), 5000u);
}

TEST(FieldError, ManyMakeOneStatusWithCauses) {
  const FieldPath path = FieldPath::Base("spec.x");
  const Status status = ToStatus({Required(path), Invalid(path, 1, "no")}, "Foo \"a\"");
  EXPECT_EQ(status.message(),
            "Foo \"a\" is invalid: [spec.x: Required value, spec.x: Invalid value: 1: no]");
  EXPECT_EQ(status.causes().size(), 2u);
  EXPECT_TRUE(ToStatus({}, "Foo").ok());
}

TEST(ErrorList, PastTheLimitTheyAreOnlyCounted) {
  ErrorList errors;
  for (size_t i = 0; i < 3 * ErrorList::kLimit; ++i) {
    errors.Add(Required(FieldPath::Base(std::to_string(i))));
  }
  EXPECT_EQ(errors.errors().size(), ErrorList::kLimit);
}

TEST(ErrorList, WhatIsForgottenIsAsIfItHadNotBeen) {
  ErrorList errors;
  errors.Add(Required(FieldPath::Base("a")));
  const auto mark = errors.mark();
  EXPECT_FALSE(errors.Since(mark));
  for (size_t i = 0; i < 2 * ErrorList::kLimit; ++i) {
    errors.Add(Required(FieldPath::Base("b")));
  }
  EXPECT_TRUE(errors.Since(mark));
  errors.Forget(mark);
  EXPECT_EQ(errors.Take().size(), 1u);
  EXPECT_TRUE(errors.empty());
}

TEST(ErrorList, EachIsTakenOnce) {
  ErrorList errors;
  errors.Add(Required(FieldPath::Base("a")));
  errors.Add(Required(FieldPath::Base("a")));
  EXPECT_EQ(errors.Take().size(), 1u);
}

}  // namespace
}  // namespace hearth::schema

#include "field_text.h"

#include <gtest/gtest.h>

#include "api/table/node.h"

namespace hearth::generate {
namespace {

using api::ListOf;
using api::MapOf;
using api::Node;
using api::String;

TEST(FieldText, TextCannotBreakATable) {
  EXPECT_EQ(Escaped("a|b\nc <d> *e* `f`"), "a\\|b c &lt;d> \\*e\\* \\`f\\`");
  EXPECT_EQ(Code("a|b"), "`a\\|b`");
  EXPECT_EQ(Code("a`b"), "`` a`b ``");
}

TEST(FieldText, TypesAreNamedFromTheOutsideIn) {
  const std::string link = "[object](#x)";
  const auto type = [&](const Node& node) { return TypeText(node.schema(), link); };
  EXPECT_EQ(type(String()), "string");
  EXPECT_EQ(type(api::Integer32()), "integer");
  EXPECT_EQ(type(api::Number()), "number");
  EXPECT_EQ(type(api::Boolean()), "boolean");
  EXPECT_EQ(type(api::Quantity()), "quantity");
  EXPECT_EQ(type(api::FreeForm()), "any object");
  EXPECT_EQ(type(ListOf(String())), "list of string");
  EXPECT_EQ(type(MapOf(ListOf(String()))), "map of string to list of string");
  EXPECT_EQ(type(ListOf(Node(schema::Schema{.type = schema::Type::kObject}))), "list of " + link);
}

TEST(FieldText, TypesOfKubernetesAreNamedAndNotUnfolded) {
  const Node list = ListOf(api::Kube("core.v1.EnvVar"));
  EXPECT_EQ(TypeText(list.schema(), "object"), "list of `core.v1.EnvVar`");
}

TEST(FieldText, ConstraintsAreToldInWords) {
  const auto told = [](const Node& node) { return ConstraintText(node.schema()); };
  EXPECT_EQ(told(String()), "");
  EXPECT_EQ(told(String().Enum({"a", "b"})), "`a`, `b`");
  EXPECT_EQ(told(api::Integer32().Min(1).Max(9)), "at least 1, at most 9");
  EXPECT_EQ(told(api::Integer32()), "");
  EXPECT_EQ(told(String().MinLength(1).MaxLength(63)), "1 to 63 characters");
  EXPECT_EQ(told(String().Pattern("^a|b$")), "`^a\\|b$`");
  EXPECT_EQ(told(ListOf(String()).MaxItems(25).MapBy({"name"})),
            "at most 25 items; keyed by `name`");
  EXPECT_EQ(told(ListOf(String().MinLength(1)).Set()), "no item twice; each not empty");
  EXPECT_EQ(told(api::Timestamp()), "format date-time");
  EXPECT_EQ(told(api::Quantity()), "");
}

TEST(FieldText, ExclusiveLimitsAreNotOfTheRange) {
  EXPECT_EQ(ConstraintText({.type = schema::Type::kNumber,
                            .minimum = json::Value(0),
                            .maximum = json::Value(1),
                            .exclusive_minimum = true,
                            .exclusive_maximum = true}),
            "more than 0, less than 1");
}

}  // namespace
}  // namespace hearth::generate

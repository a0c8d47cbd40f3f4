#include "api/table/struct_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/parse.h"

namespace hearth::api {
namespace {

enum class Colour { kRed, kGreen };
constexpr std::pair<const char*, Colour> kColours[] = {{"Red", Colour::kRed},
                                                       {"Green", Colour::kGreen}};
constexpr const auto& EnumNames(Colour) { return kColours; }

struct Part {
  std::string name;
  int32_t count = 0;
  static const StructTable& Fields() {
    static const StructTable table("A part.",
                                   {Field("name", &Part::name, "Its name.").Required(),
                                    Field("count", &Part::count, "How many.").Min(0).Default(1)});
    return table;
  }
};

struct Whole {
  std::optional<bool> fast;
  Colour colour = Colour::kRed;
  std::vector<Part> parts;
  std::map<std::string, std::string> labels;
  json::Value rest;
  int64_t large = 0;
  static const StructTable& Fields() {
    static const StructTable table(
        "A whole.",
        {Field("fast", &Whole::fast, "Whether."), Field("colour", &Whole::colour, "Which."),
         Field("parts", &Whole::parts, "Of what.").With([](Node& node) { node.MapBy({"name"}); }),
         Field("labels", &Whole::labels, "Marks."), Field("rest", &Whole::rest, "Anything."),
         Field("large", &Whole::large, "A number."),
         Field("only", String(), "Described, not read.")},
        {{.rule = "self.large >= 0", .message = "must not be negative"}});
    return table;
  }
};

Result<Whole> Read(const std::string& text) {
  const auto blob = json::Parse(text);
  return DecodeAs<Whole>(blob->view());
}

TEST(StructTable, ReadsEveryKindOfFieldAndWritesItBack) {
  const std::string text =
      R"({"fast":false,"colour":"Green","parts":[{"name":"a","count":2},{"name":"b"}],)"
      R"("labels":{"x":"y"},"rest":{"any":[1,2.50]},"large":9007199254740993})";
  const auto whole = Read(text);
  ASSERT_OK(whole);
  EXPECT_EQ(whole->fast, false);
  EXPECT_EQ(whole->colour, Colour::kGreen);
  ASSERT_EQ(whole->parts.size(), 2U);
  EXPECT_EQ(whole->parts[0].count, 2);
  EXPECT_EQ(whole->large, 9007199254740993);
  EXPECT_EQ(Encoded(*whole).Write(), text);
}

TEST(StructTable, LeavesOutWhatIsEmptyButNotWhatIsRequired) {
  EXPECT_EQ(Encoded(Whole()).Write(), R"({"colour":"Red"})");
  EXPECT_EQ(Encoded(Part()).Write(), R"({"name":""})");
}

TEST(StructTable, AbsentNullAndUnknownMembersChangeNothing) {
  const auto whole = Read(R"({"fast":null,"parts":null,"colour":null,"new":{"a":1},"only":7})");
  ASSERT_OK(whole);
  EXPECT_EQ(whole->fast, std::nullopt);
  EXPECT_EQ(whole->colour, Colour::kRed);
}

TEST(StructTable, ErrorsNameTheFieldAndWhatWasExpected) {
  EXPECT_EQ(Read(R"({"parts":[{"name":"a"},{"count":"many"}]})").status().message(),
            R"(parts[1].count is "many", expected an integer from -2147483648 to 2147483647)");
  EXPECT_EQ(Read(R"({"colour":"Blue"})").status().message(),
            R"(colour is "Blue", expected one of Red, Green)");
  EXPECT_EQ(Read(R"({"labels":{"x":1}})").status().message(), "labels.x is 1, expected a string");
  EXPECT_EQ(Read(R"({"parts":{}})").status().message(), "parts is {}, expected a list");
  EXPECT_EQ(Read(R"([])").status().message(), "is [], expected an object");
  EXPECT_EQ(Read(R"({"fast":"yes"})").status().message(),
            R"(fast is "yes", expected true or false)");
}

TEST(StructTable, SchemaFollowsFromTheMembers) {
  const schema::Schema& whole = *Whole::Fields().schema();
  EXPECT_EQ(whole.type, schema::Type::kObject);
  EXPECT_EQ(whole.description, "A whole.");
  ASSERT_EQ(whole.rules.size(), 1U);
  const schema::Schema* parts = whole.Find("parts");
  ASSERT_NE(parts, nullptr);
  EXPECT_EQ(parts->list_type, schema::ListType::kMap);
  EXPECT_EQ(parts->list_map_keys, std::vector<std::string>{"name"});
  EXPECT_EQ(parts->items->required, std::vector<std::string>{"name"});
  EXPECT_EQ(parts->items->Find("count")->format, "int32");
  EXPECT_EQ(parts->items->Find("count")->default_value, json::Value(1));
  EXPECT_EQ(whole.Find("colour")->enumeration.size(), 2U);
  EXPECT_EQ(whole.Find("labels")->additional_properties->type, schema::Type::kString);
  EXPECT_TRUE(whole.Find("rest")->preserve_unknown_fields);
}

TEST(Node, KubernetesTypesAreAtHand) {
  EXPECT_NE(Kube("core.v1.PodTemplateSpec").schema().Find("spec"), nullptr);
  EXPECT_TRUE(Quantity().schema().int_or_string);
  EXPECT_EQ(DnsLabel().schema().max_length, 63);
}

}  // namespace
}  // namespace hearth::api

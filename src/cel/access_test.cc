#include <gtest/gtest.h>

#include <memory>

#include "cel/collections.h"
#include "cel/program.h"
#include "cel/testing/cases.h"

namespace hearth::cel {
namespace {

constexpr std::string_view kSelf = R"({"self":{"a":{"b":[1,2,{"c":"x"}]},"n":null,"k-8":1}})";

TEST(Access, FieldsAndElementsAreFound) {
  ExpectAll({
      {"self.a.b[2].c", R"("x")", kSelf},
      {"self['a']['b'][0]", "1", kSelf},
      {"self['k-8']", "1", kSelf},
      {"self.n", "null", kSelf},
      {"self.a.b[1u]", "2", kSelf},
      {"self.a.b[1.0]", "2", kSelf},
      {"{'a': 1}['a']", "1"},
      {"{1: 'one'}[1u]", R"("one")"},
      {"{1: 'one'}[1.0]", R"("one")"},
      {"{true: 'yes'}[true]", R"("yes")"},
      {"[1, 2, 3][2]", "3"},
      {"[[1], [2]][1][0]", "2"},
      {"{'f': [1]}.f[0]", "1"},
      {"(true ? self.a : self.n).b[0]", "1", kSelf},
  });
}

TEST(Access, WhatIsMissingIsAnError) {
  ExpectAll({
      {"self.x", "!1:5: no such key: x", kSelf},
      {"self.a.x.y", "!1:7: no such key: x", kSelf},
      {"self['x']", "!no such key: x", kSelf},
      {"self.a.b[3]", "!1:9: index out of bounds: 3", kSelf},
      {"self.a.b[-1]", "!index out of bounds: -1", kSelf},
      {"self.a.b[1.5]", "!unsupported index value 1.5 in list", kSelf},
      {"self.a.b['0']", "!unsupported index type 'string' in list", kSelf},
      {"self.a.b.c", "!no such overload", kSelf},
      {"self.n.x", "!no such overload", kSelf},
      {"self.n[0]", "!no such overload", kSelf},
      {"{1: 'one'}[2]", "!no such key: 2"},
      {"{1: 'one'}[0.0/0.0]", "!no such key: NaN"},
      {"[][0]", "!index out of bounds: 0"},
      {"'abc'[0]", "!no such overload"},
      {"self[1/0]", "!division by zero", kSelf},
      {"[1/0][0]", "!division by zero"},
      {"{'a': 1/0}.b", "!division by zero"},
  });
}

TEST(Access, HasTellsPresence) {
  ExpectAll({
      {"has(self.a)", "true", kSelf},
      {"has(self.x)", "false", kSelf},
      {"has(self.n)", "true", kSelf},
      {"has(self.a.b)", "true", kSelf},
      {"has(self.a.x)", "false", kSelf},
      {"has(self.x.y)", "!no such key: x", kSelf},
      {"has(self.x) && self.x > 1", "false", kSelf},
      {"has({'a': 1}.a)", "true"},
      {"has({'a': 1}.b)", "false"},
      {"has(self.?x.y)", "false", kSelf},
      {"has(self.?a.b)", "true", kSelf},
      {"has(self.n.x)", "!no such overload", kSelf},
      {"has(self)", "!invalid argument to has() macro", kSelf},
      {"has(self['a'])", "!invalid argument to has() macro", kSelf},
      {"has(self.a.size())", "!invalid argument to has() macro", kSelf},
  });
}

// A structure with the fields a (set), b (not set) and no others.
class Sample final : public Object {
 public:
  std::string_view type_name() const override { return "sample"; }
  Field Has(std::string_view name) const override {
    return name == "a" ? Field::kSet : name == "b" ? Field::kUnset : Field::kUndeclared;
  }
  std::optional<Value> Find(std::string_view name) const override {
    return name == "a" ? std::optional(Value::Int(1)) : std::nullopt;
  }
  size_t size() const override { return 1; }
  bool Equals(const Object&) const override { return true; }
};

std::string OnSample(std::string_view expression) {
  const auto program = Compile(expression, {.variables = {{"o", Kind::kObject}}});
  CostBudget budget;
  const auto value =
      program.value()->Evaluate({Value::OfObject(std::make_shared<Sample>())}, budget);
  return value.ok() ? Show(*value) : std::string(value.status().message());
}

TEST(Access, ObjectsHaveDeclaredFields) {
  EXPECT_EQ(OnSample("o.a"), "1");
  EXPECT_EQ(OnSample("o.b"), "1:2: no such key: b");
  EXPECT_EQ(OnSample("o.c"), "1:2: undefined field 'c'");
  EXPECT_EQ(OnSample("has(o.a) && !has(o.b)"), "true");
  EXPECT_EQ(OnSample("has(o.c)"), "1:1: undefined field 'c'");
  EXPECT_EQ(OnSample("o.?b.orValue(7)"), "7");
  EXPECT_EQ(OnSample("o == o"), "true");
  EXPECT_EQ(OnSample("dyn(o) == 1"), "false");
  EXPECT_EQ(OnSample("'a' in dyn(o)"), "1:5: no such overload: @in(string, sample)");
}

// A list that is a set: order does not matter and + adds what is new.
class SetList final : public List {
 public:
  explicit SetList(std::vector<Value> items) : items_(std::move(items)) {}
  size_t size() const override { return items_.size(); }
  Value at(size_t index) const override { return items_[index]; }
  bool Equals(const List& other) const override {
    for (size_t i = 0; i < other.size(); ++i) {
      if (!Holds(other.at(i))) {
        return false;
      }
    }
    return size() == other.size();
  }
  Value Concat(const Value&, const Value& other) const override {
    std::vector<Value> all = items_;
    for (size_t i = 0; i < other.list().size(); ++i) {
      if (!Holds(other.list().at(i))) {
        all.push_back(other.list().at(i));
      }
    }
    return Value::OfList(std::make_shared<SetList>(std::move(all)));
  }

 private:
  bool Holds(const Value& value) const {
    for (const Value& item : items_) {
      if (Equal(item, value)) {
        return true;
      }
    }
    return false;
  }
  std::vector<Value> items_;
};

TEST(Access, AdaptersDecideWhatEqualsAndHowListsJoin) {
  const Environment environment{.variables = {{"s", std::nullopt}}};
  const Activation variables = {
      Value::OfList(std::make_shared<SetList>(std::vector{Value::Int(1), Value::Int(2)}))};
  CostBudget budget;
  for (const char* text : {"s == [2, 1]", "s + [2, 3] == [3, 2, 1]", "size(s + s) == 2",
                           "[s] == [[2, 1]]", "{'a': s} == {'a': [2, 1]}"}) {
    const auto value = Compile(text, environment).value()->Evaluate(variables, budget);
    EXPECT_TRUE(value.ok() && value->IsTrue()) << text;
  }
}

TEST(Access, FailuresTellPlaceAndBareMessageApart) {
  const auto program = Compile("1 +\n  {'a': 1}.b", {});
  CostBudget budget;
  const Status status = program.value()->Evaluate({}, budget).status();
  EXPECT_EQ(status.code(), Code::kInvalid);
  EXPECT_EQ(status.message(), "2:11: no such key: b");
  ASSERT_EQ(status.causes().size(), 1U);
  EXPECT_EQ(status.causes()[0].field, "2:11");
  EXPECT_EQ(status.causes()[0].message, "no such key: b");
}

}  // namespace
}  // namespace hearth::cel

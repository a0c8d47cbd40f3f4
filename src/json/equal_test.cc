#include "json/equal.h"

#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <utility>

#include "base/random.h"
#include "json/value.h"

namespace hearth::json {
namespace {

View V(std::string_view text) { return View::Trusted(text); }
const Sameness& Kube() { return Sameness::Kubernetes(); }

void ExpectEqual(std::string_view a, std::string_view b, const Sameness& sameness = {}) {
  EXPECT_TRUE(Equal(V(a), V(b), sameness)) << a << " " << b;
  EXPECT_TRUE(Equal(V(b), V(a), sameness)) << b << " " << a;
  EXPECT_EQ(Hash(V(a), sameness), Hash(V(b), sameness)) << a << " " << b;
}

void ExpectDifferent(std::string_view a, std::string_view b, const Sameness& sameness = {}) {
  EXPECT_FALSE(Equal(V(a), V(b), sameness)) << a << " " << b;
  EXPECT_FALSE(Equal(V(b), V(a), sameness)) << b << " " << a;
  EXPECT_NE(Hash(V(a), sameness), Hash(V(b), sameness)) << a << " " << b;
}

TEST(Equal, NumbersByValue) {
  ExpectEqual("1", "1.0");
  ExpectEqual("1", "1e0");
  ExpectEqual("100", "1E2");
  ExpectEqual("0", "-0");
  ExpectEqual("0.1", "0.10");
  ExpectDifferent("9007199254740992", "9007199254740993");
  ExpectDifferent("1", "2");
  ExpectDifferent("1", "-1");
  ExpectDifferent("1", R"("1")");
}

TEST(Equal, StringsByCharacters) {
  ExpectEqual(R"("A")", R"("\u0041")");
  ExpectEqual(R"("\/\n")", R"("/\u000a")");
  ExpectDifferent(R"("a")", R"("A")");
  ExpectDifferent(R"("")", "null");
}

TEST(Equal, MembersInAnyOrder) {
  ExpectEqual(R"({"a":1,"b":{"c":2,"d":[3]}})", R"({"b":{"d":[3],"c":2},"a":1})");
  ExpectEqual(R"({"\u0061":1})", R"({"a":1})");
  ExpectEqual(R"({"a":1,"a":2})", R"({"a":2})");
  ExpectDifferent(R"({"a":1})", R"({"a":1,"b":2})");
  ExpectDifferent(R"({"a":"b"})", R"({"b":"a"})");
  ExpectDifferent(R"({"a":{"b":1}})", R"({"b":{"a":1}})");
}

TEST(Equal, ElementsInTheirOrder) {
  ExpectEqual("[1,2.0]", "[1.0,2]");
  ExpectDifferent("[1,2]", "[2,1]");
  ExpectDifferent("[1]", "[1,1]");
  ExpectDifferent("[[1],2]", "[1,[2]]");
}

TEST(Equal, ExactTellsEmptyThingsApart) {
  const char* texts[] = {"{}", "[]", "null", "\"\"", "0", "false", R"({"a":null})"};
  for (const char* a : texts) {
    for (const char* b : texts) {
      if (a != b) {
        ExpectDifferent(a, b);
      }
    }
    ExpectDifferent(a, "");  // absent
  }
}

TEST(KubernetesSameness, EmptyIsAbsent) {
  for (const char* empty : {"{}", "[]", "null", R"({"b":null})", R"({"b":{"c":[]}})"}) {
    ExpectEqual(R"({"x":1,"a":)" + std::string(empty) + "}", R"({"x":1})", Kube());
    ExpectEqual(empty, "", Kube());
  }
  ExpectDifferent(R"({"a":""})", "{}", Kube());
  ExpectDifferent(R"({"a":0})", "{}", Kube());
  ExpectDifferent(R"({"a":false})", "{}", Kube());
  ExpectDifferent(R"({"a":[null]})", "{}", Kube());
  ExpectDifferent(R"({"a":[{}]})", R"({"a":[]})", Kube());
  ExpectEqual(R"({"a":[{},1]})", R"({"a":[null,1]})", Kube());
}

TEST(KubernetesSameness, QuantitiesByValue) {
  ExpectEqual(R"({"limits":{"cpu":"1000m","memory":"1Gi"}})",
              R"({"limits":{"cpu":1,"memory":"1073741824"}})", Kube());
  ExpectEqual(R"({"emptyDir":{"sizeLimit":"1024Mi"}})", R"({"emptyDir":{"sizeLimit":"1Gi"}})",
              Kube());
  ExpectEqual(R"({"overhead":{"podFixed":{"cpu":"0.1"}}})",
              R"({"overhead":{"podFixed":{"cpu":"100m"}}})", Kube());
  ExpectDifferent(R"({"requests":{"cpu":"1"}})", R"({"requests":{"cpu":"2"}})", Kube());
  ExpectDifferent(R"({"requests":{"cpu":"1n"}})", R"({"requests":{"cpu":"2n"}})", Kube());
  ExpectDifferent(R"({"limits":{"cpu":"what"}})", R"({"limits":{"cpu":"1"}})", Kube());
  ExpectEqual(R"({"limits":{"cpu":"what"}})", R"({"limits":{"cpu":"wha\u0074"}})", Kube());
  // Elsewhere text is text.
  ExpectDifferent(R"({"value":"1000m"})", R"({"value":"1"})", Kube());
  ExpectDifferent(R"({"limits":"1000m"})", R"({"limits":"1"})", Kube());
}

TEST(KubernetesSameness, ListsByTheirKeys) {
  ExpectEqual(R"({"spec":{"containers":[{"name":"a","image":"x"},{"name":"b"}]}})",
              R"({"spec":{"containers":[{"name":"b"},{"image":"x","name":"a"}]}})", Kube());
  ExpectEqual(R"({"env":[{"name":"A","value":"1"},{"name":"B"}]})",
              R"({"env":[{"name":"B"},{"name":"A","value":"1"}]})", Kube());
  ExpectEqual(
      R"({"containers":[{"name":"a","ports":[{"containerPort":1},{"containerPort":2}]}]})",
      R"({"containers":[{"name":"a","ports":[{"containerPort":2.0},{"containerPort":1}]}]})",
      Kube());
  ExpectEqual(R"({"spec":{"ports":[{"port":1},{"port":2}]}})",
              R"({"spec":{"ports":[{"port":2},{"port":1}]}})", Kube());
  ExpectDifferent(R"({"env":[{"name":"A"},{"name":"B"}]})",
                  R"({"env":[{"name":"A"},{"name":"C"}]})", Kube());
  ExpectDifferent(R"({"env":[{"name":"A"},{"name":"B"}]})", R"({"env":[{"name":"A"}]})", Kube());
  // No key for these.
  ExpectDifferent(R"({"args":["a","b"]})", R"({"args":["b","a"]})", Kube());
  ExpectDifferent(R"({"tolerations":[{"key":"a"},{"key":"b"}]})",
                  R"({"tolerations":[{"key":"b"},{"key":"a"}]})", Kube());
}

TEST(KubernetesSameness, RepeatedOrMissingKeysMeanPosition) {
  ExpectDifferent(R"({"env":[{"name":"A","value":"1"},{"name":"A","value":"2"}]})",
                  R"({"env":[{"name":"A","value":"2"},{"name":"A","value":"1"}]})", Kube());
  ExpectDifferent(R"({"env":[{"name":"A"},{"value":"2"}]})",
                  R"({"env":[{"value":"2"},{"name":"A"}]})", Kube());
  ExpectEqual(R"({"env":[{"name":"A"},{"value":"2"}]})",
              R"({"env":[{"name":"A"},{"value":"2","x":{}}]})", Kube());
  ExpectDifferent(R"({"env":["A","B"]})", R"({"env":["B","A"]})", Kube());
}

TEST(Covers, MoreInActualIsFine) {
  const auto covers = [](std::string_view actual, std::string_view wanted) {
    return Covers(V(actual), V(wanted), Kube());
  };
  EXPECT_TRUE(covers(R"({"a":1,"b":2})", R"({"a":1})"));
  EXPECT_FALSE(covers(R"({"a":1})", R"({"a":1,"b":2})"));
  EXPECT_FALSE(covers(R"({"a":1})", R"({"a":2})"));
  EXPECT_TRUE(covers(R"({"a":{"b":1,"c":2}})", R"({"a":{"c":2.0}})"));
  EXPECT_TRUE(covers(R"({"a":1})", R"({"b":{},"c":[],"d":null})"));
  EXPECT_TRUE(covers(R"({"env":[{"name":"A"},{"name":"B","value":"1","x":2}]})",
                     R"({"env":[{"name":"B","value":"1"}]})"));
  EXPECT_FALSE(covers(R"({"env":[{"name":"A"}]})", R"({"env":[{"name":"B"}]})"));
  EXPECT_TRUE(covers(R"({"args":["a"],"x":[{"p":1,"q":2}]})", R"({"args":["a"],"x":[{"q":2}]})"));
  EXPECT_FALSE(covers(R"({"args":["a","b"]})", R"({"args":["a"]})"));
  EXPECT_TRUE(covers(R"({"limits":{"cpu":"1","memory":"1Gi"}})", R"({"limits":{"cpu":"1000m"}})"));
  EXPECT_FALSE(covers(R"({"a":{"b":1}})", R"({"a":"b"})"));
}

TEST(Covers, ExactWantsEmptyThingsToo) {
  EXPECT_FALSE(Covers(V(R"({"a":1})"), V(R"({"b":null})"), {}));
  EXPECT_TRUE(Covers(V(R"({"a":1,"b":null})"), V(R"({"b":null})"), {}));
  EXPECT_FALSE(Covers(V(R"({"a":[1]})"), V(R"({"a":[]})"), {}));
  EXPECT_TRUE(Covers(V(R"({"a":{"b":1}})"), V(R"({"a":{}})"), {}));
}

// Random objects with the names Kubernetes has rules for, and the same object said another way.
class Spelling {
 public:
  explicit Spelling(uint64_t seed) : random_(seed) {}

  Value Generate(int depth) {
    switch (random_.Below(depth > 0 ? 6 : 3)) {
      case 0:
        return Value(static_cast<int64_t>(random_.Below(5)));
      case 1:
        return Value(std::to_string(random_.Below(5)));
      case 2:
        return Value(random_.Below(2) == 0);
      case 3:
        return List(depth);
      default:
        return Object(depth);
    }
  }

  // The same under Sameness::Kubernetes().
  Value Respell(const Value& value) { return Respell(value, {}, false); }

 private:
  Value Object(int depth) {
    static const char* const kNames[] = {"env", "limits", "requests", "spec", "x", "y", "args"};
    Value object = Value::Object();
    for (uint64_t i = random_.Below(5); i > 0; --i) {
      object.Set(kNames[random_.Below(std::size(kNames))], Generate(depth - 1));
    }
    return object;
  }

  Value List(int depth) {
    Value list = Value::Array();
    for (uint64_t i = 0, n = random_.Below(4); i < n; ++i) {
      Value item = Object(depth - 1);
      item.Set("name", std::string(1, static_cast<char>('a' + i)));
      list.Append(std::move(item));
    }
    return list;
  }

  // Whether quantities stand at this place, and whether they stand at the members below it.
  struct Place {
    bool here = false;
    bool below = false;
  };

  Value Respell(const Value& value, Place place, bool keyed) {
    switch (value.kind()) {
      case Kind::kObject:
        return RespellObject(value, place);
      case Kind::kArray:
        return RespellArray(value, place, keyed);
      case Kind::kString:
        return place.here && std::isdigit(value.string()[0]) ? Value(value.string() + "000m")
                                                             : value;
      case Kind::kNumber:
        return Value(Value::Number{value.number() + ".0"});
      default:
        return value;
    }
  }

  Value RespellArray(const Value& value, Place place, bool keyed) {
    Value::Items items;
    for (const Value& item : value.items()) {
      items.push_back(Respell(item, place, false));
    }
    if (keyed) {
      Shuffle(items);
    }
    return Value::FromItems(std::move(items));
  }

  Value RespellObject(const Value& value, Place place) {
    Value::Members members;
    for (const auto& [name, member] : value.members()) {
      const bool resources = name == "limits" || name == "requests";
      members.emplace_back(name,
                           Respell(member, {place.below, place.below || resources}, name == "env"));
    }
    members.emplace_back("zzz", random_.Below(2) == 0 ? Value() : Value::Object());
    Shuffle(members);
    return Value::FromMembers(std::move(members));
  }

  template <typename T>
  void Shuffle(std::vector<T>& things) {
    for (size_t i = things.size(); i > 1; --i) {
      std::swap(things[i - 1], things[random_.Below(i)]);
    }
  }

  Random random_;
};

TEST(KubernetesSameness, EqualHoweverItIsSpelled) {
  Spelling spelling(7);
  for (int i = 0; i < 3000; ++i) {
    const Value value = spelling.Generate(5);
    const Value other = spelling.Respell(value);
    const std::string a = value.Write();
    const std::string b = other.Write();
    ASSERT_TRUE(Equal(V(a), V(b), Kube())) << a << "\n" << b;
    ASSERT_EQ(Hash(V(a), Kube()), Hash(V(b), Kube())) << a << "\n" << b;
    ASSERT_TRUE(Covers(V(a), V(b), Kube())) << a << "\n" << b;
  }
}

TEST(KubernetesSameness, HashesAgreeWithEqualOnUnrelatedValues) {
  Spelling spelling(11);
  std::vector<std::string> texts;
  for (int i = 0; i < 300; ++i) {
    texts.push_back(spelling.Generate(3).Write());
  }
  for (const std::string& a : texts) {
    for (const std::string& b : texts) {
      ASSERT_EQ(Equal(V(a), V(b), Kube()), Hash(V(a), Kube()) == Hash(V(b), Kube())) << a << "\n"
                                                                                     << b;
    }
  }
}

}  // namespace
}  // namespace hearth::json

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/testing/status_matchers.h"
#include "json/internal/same_value.h"
#include "json/parse.h"
#include "json/patch.h"

namespace hearth::json {
namespace {

struct Row {
  const char* name;
  const char* from;
  const char* to;
  const char* patch;
};

const Row kRows[] = {
    {"Nothing", R"({"a":[1,{"b":null}]})", R"({"a":[1.0,{"b":null}]})", "[]"},
    {"AddedMember", R"({"a":1})", R"({"a":1,"b":{"c":2}})",
     R"([{"op":"add","path":"/b","value":{"c":2}}])"},
    {"AddedBelow", R"({"a":{}})", R"({"a":{"b":1}})", R"([{"op":"add","path":"/a/b","value":1}])"},
    {"RemovedMember", R"({"a":1,"b":2})", R"({"a":1})", R"([{"op":"remove","path":"/b"}])"},
    {"ReplacedScalar", R"({"a":1})", R"({"a":"1"})",
     R"([{"op":"replace","path":"/a","value":"1"}])"},
    {"NullIsAValue", R"({"a":1})", R"({"a":null,"b":null})",
     R"([{"op":"replace","path":"/a","value":null},{"op":"add","path":"/b","value":null}])"},
    {"OtherKind", R"({"a":{}})", R"({"a":[]})", R"([{"op":"replace","path":"/a","value":[]}])"},
    {"EscapedName", R"({})", R"({"a/b~c":1})", R"([{"op":"add","path":"/a~1b~0c","value":1}])"},
    {"WholeDocument", R"([1])", R"({})", R"([{"op":"replace","path":"","value":{}}])"},
    {"ChangedElement", R"([1,{"a":1},3])", R"([1,{"a":2},3])",
     R"([{"op":"replace","path":"/1/a","value":2}])"},
    {"AppendedElements", R"([1])", R"([1,2,3])",
     R"([{"op":"add","path":"/1","value":2},{"op":"add","path":"/2","value":3}])"},
    {"InsertedElement", R"([1,3])", R"([1,2,3])", R"([{"op":"add","path":"/1","value":2}])"},
    {"RemovedElements", R"([1,2,3,4])", R"([1,4])",
     R"([{"op":"remove","path":"/2"},{"op":"remove","path":"/1"}])"},
    {"RepeatedElements", R"([1,1])", R"([1,1,1])", R"([{"op":"add","path":"/2","value":1}])"},
};

TEST(DiffJsonPatch, SaysOnlyWhatDiffers) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.name);
    ASSERT_OK_AND_ASSIGN(Value from, ParseValue(row.from));
    ASSERT_OK_AND_ASSIGN(const Value to, ParseValue(row.to));
    const Value patch = DiffJsonPatch(from, to);
    EXPECT_EQ(patch.Write(), row.patch);
    ASSERT_OK(ApplyJsonPatch(from, patch));
    EXPECT_TRUE(internal::SameValue(from, to)) << from.Write();
  }
}

// Few names and numbers, so that trees resemble each other.
Value RandomTree(Random& random, int depth) {
  const uint64_t kind = random.Below(depth > 0 ? 4 : 2);
  if (kind < 2) {
    return kind == 0 ? Value(static_cast<int64_t>(random.Below(3))) : Value();
  }
  Value tree = kind == 2 ? Value::Array() : Value::Object();
  for (uint64_t i = random.Below(4); i > 0; --i) {
    if (kind == 2) {
      tree.Append(RandomTree(random, depth - 1));
    } else {
      tree.Set(std::string(1, static_cast<char>('a' + random.Below(4))),
               RandomTree(random, depth - 1));
    }
  }
  return tree;
}

TEST(DiffJsonPatch, LeadsFromAnyTreeToAnyOther) {
  Random random(7);
  for (int round = 0; round < 3000; ++round) {
    Value from = RandomTree(random, 4);
    const Value to = RandomTree(random, 4);
    const std::string before = from.Write();
    const Value patch = DiffJsonPatch(from, to);
    ASSERT_OK(ApplyJsonPatch(from, patch));
    ASSERT_TRUE(internal::SameValue(from, to))
        << before << " " << to.Write() << " " << patch.Write();
  }
}

}  // namespace
}  // namespace hearth::json

#include <gtest/gtest.h>

#include "cel/testing/cases.h"

namespace hearth::cel {
namespace {

TEST(Macros, AllAndExistsDecideEvenBesideErrors) {
  ExpectAll({
      {"[1, 2].all(x, x > 0)", "true"},
      {"[1, 2].all(x, x > 1)", "false"},
      {"[].all(x, false)", "true"},
      {"[1, 0].all(x, 4 / x > 5)", "false"},
      {"[0, 1].all(x, 4 / x > 5)", "false"},
      {"[0, 1].all(x, 4 / x > 0)", "!division by zero"},
      {"{'a': 1}.all(k, k == 'a')", "true"},
      {"[1, 2].all(x, x)", "!no such overload"},
      {"['a', 1].all(x, x == 'b')", "false"},
      {"[1, 2].exists(x, x > 1)", "true"},
      {"[1, 2].exists(x, x > 2)", "false"},
      {"[].exists(x, true)", "false"},
      {"[0, 1].exists(x, 4 / x > 0)", "true"},
      {"[1, 0].exists(x, 4 / x > 5)", "!division by zero"},
      {"{'a': 1}.exists(k, k == 'b')", "false"},
      {"a.all(x, true)", "!no such overload", R"({"a":1})"},
      {"a.all(x, true)", "!no such overload", R"({"a":"abc"})"},
      {"a.exists(x, x.b == 2)", "true", R"({"a":[{"b":1},{"b":2}]})"},
      {"(1/0 == 1 ? [1] : [2]).all(x, true)", "!division by zero"},
  });
}

TEST(Macros, ExistsOneCounts) {
  ExpectAll({
      {"[1, 2, 3].exists_one(x, x == 2)", "true"},
      {"[1, 2, 2].exists_one(x, x == 2)", "false"},
      {"[].exists_one(x, true)", "false"},
      {"[1, 2].existsOne(x, x == 1)", "true"},
      {"{'a': 1, 'b': 2}.exists_one(k, k == 'a')", "true"},
      {"[0, 1].exists_one(x, 4 / x > 0)", "!division by zero"},
      {"[1, 0].exists_one(x, 4 / x > 0)", "!division by zero"},
      {"[1].exists_one(x, 'a')", "!no such overload"},
  });
}

TEST(Macros, MapAndFilterMakeLists) {
  ExpectAll({
      {"[1, 2].map(x, x * 2)", "[2,4]"},
      {"[].map(x, x)", "[]"},
      {"[1, 2, 3].map(x, x > 1, x * 10)", "[20,30]"},
      {"{'b': 1, 'a': 2}.map(k, k)", R"(["a","b"])"},
      {"[1, 2].map(x, [x, [x]])", "[[1,[1]],[2,[2]]]"},
      {"[1, 0].map(x, 1 / x)", "!division by zero"},
      {"[1].map(x, 1, x)", "!no such overload"},
      {"[1, 2, 3].filter(x, x > 1)", "[2,3]"},
      {"[].filter(x, true)", "[]"},
      {"{'a': 1, 'b': 2}.filter(k, k != 'a')", R"(["b"])"},
      {"[0, 1].filter(x, 1 / x > 0)", "!division by zero"},
      {"[1].filter(x, 'a')", "!no such overload"},
      {"[1].map(x, [2].map(y, x + y))", "[[3]]"},
      {"[1, 2].map(x, [10].map(x, x))", "[[10],[10]]"},
      {"[1].map(a, a)[0] + a", "6", R"({"a":5})"},
      {"[1].map(a, .a)", "[5]", R"({"a":5})"},
      {"a.filter(x, has(x.b)).map(x, x.b)", "[1]", R"({"a":[{"b":1},{}]})"},
  });
}

TEST(Macros, TwoVariablesSeeIndexOrKeyToo) {
  ExpectAll({
      {"[10, 11].all(i, v, v == i + 10)", "true"},
      {"[10, 10].all(i, v, v == i + 10)", "false"},
      {"{'a': 'a'}.all(k, v, k == v)", "true"},
      {"[5, 6].exists(i, v, i == 1 && v == 6)", "true"},
      {"{'a': 1}.exists(k, v, v == 2)", "false"},
      {"[5, 6].existsOne(i, v, v > 5)", "true"},
      {"{'a': 1, 'b': 1}.existsOne(k, v, v == 1)", "false"},
      {"[1, 2].transformList(i, v, i * v)", "[0,2]"},
      {"[1, 2, 3].transformList(i, v, i > 0, v)", "[2,3]"},
      {"{'a': 1, 'b': 2}.transformList(k, v, k + string(v))", R"(["a1","b2"])"},
      {"{'a': 1, 'b': 2}.transformMap(k, v, v * 2)", R"({"a":2,"b":4})"},
      {"{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v)", R"({"b":2})"},
      {"['x', 'y'].transformMap(i, v, v)", R"({0:"x",1:"y"})"},
      {"{'a': 'x'}.transformMapEntry(k, v, {v: k})", R"({"x":"a"})"},
      {"['a', 'b'].transformMapEntry(i, v, {v: i})", R"({"a":0,"b":1})"},
      {"['a', 'b'].transformMapEntry(i, v, i > 0, {v: i})", R"({"b":1})"},
      {"['a', 'a'].transformMapEntry(i, v, {v: i})", "!insert failed: key a already exists"},
      {"[1].transformMapEntry(i, v, v)", "!no such overload"},
      {"{'a': 0}.transformMap(k, v, 1 / v)", "!division by zero"},
      {"[1].all(x, x, true)", "!duplicate variable name: x"},
  });
}

TEST(Macros, ArgumentsMustBeNames) {
  ExpectAll({
      {"[1].all(1, true)", "!argument must be a simple name"},
      {"[1].map(x.y, true)", "!argument must be a simple name"},
      {"[1].filter(.x, true)", "!argument must be a simple name"},
      {"[1].all(__result__, true)", "!iteration variable overwrites accumulator variable"},
      {"[1].all(x)", "!undeclared reference to 'all'"},
      {"[1].map(x)", "!undeclared reference to 'map'"},
      {"all([1], x, true)", "!undeclared reference to 'all'"},
  });
}

TEST(Macros, OptionalsAreChained) {
  constexpr std::string_view kSelf = R"({"self":{"a":{"b":1},"l":[1]}})";
  ExpectAll({
      {"self.?a", R"(optional({"b":1}))", kSelf},
      {"self.?x", "none", kSelf},
      {"self.?a.b", "optional(1)", kSelf},
      {"self.?a.x", "none", kSelf},
      {"self.?x.y.z", "none", kSelf},
      {"self.?a.?b", "optional(1)", kSelf},
      {"self[?'a']", R"(optional({"b":1}))", kSelf},
      {"self[?'x']", "none", kSelf},
      {"self.l[?0]", "optional(1)", kSelf},
      {"self.l[?5]", "none", kSelf},
      {"self.?l[0]", "optional(1)", kSelf},
      {"self.?l[5]", "none", kSelf},
      {"self.l[?'a']", "!unsupported index type", kSelf},
      {"self.?a.b.orValue(7)", "1", kSelf},
      {"self.?x.b.orValue(7)", "7", kSelf},
      {"self.?a.hasValue()", "true", kSelf},
      {"self.?x.hasValue()", "false", kSelf},
      {"self.?a.value().b", "1", kSelf},
      {"self.?x.value()", "!optional.none() dereference", kSelf},
      {"self.?x.or(self.?a)", R"(optional({"b":1}))", kSelf},
      {"self.?a.or(1/0 == 1 ? optional.none() : optional.none())", "!division by zero", kSelf},
      {"[?self.?a, ?self.?x, 3]", R"([{"b":1},3])", kSelf},
      {"{?'p': self.?a, ?'q': self.?x, 'r': 3}", R"({"p":{"b":1},"r":3})", kSelf},
      {"[?1]", "!cannot initialize optional list element from non-optional value 1"},
      {"{?'a': 1}", "!cannot initialize optional entry 'a' from non-optional value 1"},
      {"self.?a.optMap(v, v.b + 1)", "optional(2)", kSelf},
      {"self.?x.optMap(v, v.b + 1)", "none", kSelf},
      {"self.?a.optMap(v, v.b / 0)", "!division by zero", kSelf},
      {"self.?a.optFlatMap(v, v.?b)", "optional(1)", kSelf},
      {"self.?a.optFlatMap(v, v.?x)", "none", kSelf},
      {"self.?x.optFlatMap(v, v.?b)", "none", kSelf},
      {"self.?a.optFlatMap(v, 1)", "!no such overload", kSelf},
      {"self.optMap(v, v)", "!no such overload", kSelf},
      {"optional.of(1)", "optional(1)"},
      {"optional.none()", "none"},
      {"optional.none() == optional.none()", "true"},
      {"optional.of(1) == optional.of(1.0)", "true"},
      {"optional.of(1) == optional.none()", "false"},
      {"optional.ofNonZeroValue(0)", "none"},
      {"optional.ofNonZeroValue('')", "none"},
      {"optional.ofNonZeroValue([])", "none"},
      {"optional.ofNonZeroValue({})", "none"},
      {"optional.ofNonZeroValue(null)", "none"},
      {"optional.ofNonZeroValue(false)", "none"},
      {"optional.ofNonZeroValue(0.0)", "none"},
      {"optional.ofNonZeroValue(0u)", "none"},
      {"optional.ofNonZeroValue(b'')", "none"},
      {"optional.ofNonZeroValue(duration('0s'))", "none"},
      {"optional.ofNonZeroValue(3)", "optional(3)"},
      {"optional.unwrap([optional.of(1), optional.none()])", "[1]"},
      {"[optional.of(1)].unwrapOpt()", "[1]"},
      {"[1, 2].first()", "optional(1)"},
      {"[1, 2].last()", "optional(2)"},
      {"[].first()", "none"},
      {"[].last()", "none"},
      {"type(optional.none()) == optional_type", "true"},
  });
}

}  // namespace
}  // namespace hearth::cel

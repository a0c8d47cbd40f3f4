#include <gtest/gtest.h>

#include "cel/testing/cases.h"

namespace hearth::cel {
namespace {

TEST(Operators, IntegersAreExactOrFail) {
  ExpectAll({
      {"40 + 2", "42"},
      {"1 - 3", "-2"},
      {"6 * -7", "-42"},
      {"7 / 2", "3"},
      {"-7 / 2", "-3"},
      {"7 % 4", "3"},
      {"-7 % 4", "-3"},
      {"7 % -4", "3"},
      {"9223372036854775807 + 1", "!1:21: integer overflow"},
      {"-9223372036854775808 - 1", "!integer overflow"},
      {"9223372036854775807 * 2", "!integer overflow"},
      {"-9223372036854775808 / -1", "!integer overflow"},
      {"-9223372036854775808 % -1", "!integer overflow"},
      {"-(-9223372036854775808)", "!integer overflow"},
      {"1 / 0", "!division by zero"},
      {"1 % 0", "!modulus by zero"},
      {"1u + 2u", "3u"},
      {"5u - 3u", "2u"},
      {"2u * 3u", "6u"},
      {"7u / 2u", "3u"},
      {"7u % 4u", "3u"},
      {"3u - 5u", "!unsigned integer overflow"},
      {"18446744073709551615u + 1u", "!unsigned integer overflow"},
      {"18446744073709551615u * 2u", "!unsigned integer overflow"},
      {"1u / 0u", "!division by zero"},
      {"1u % 0u", "!modulus by zero"},
  });
}

TEST(Operators, DoublesFollowIeee) {
  ExpectAll({
      {"1.5 + 2.25", "3.75"},
      {"1.0 - 2.5", "-1.5"},
      {"2.0 * 3.5", "7.0"},
      {"7.0 / 2.0", "3.5"},
      {"1.0 / 0.0", "+Inf"},
      {"-1.0 / 0.0", "-Inf"},
      {"0.0 / 0.0", "NaN"},
      {"-(1.5)", "-1.5"},
      {"1.0 % 2.0", "!found no matching overload"},
      {"a % b", "!no such overload", R"({"a":1.5,"b":2})"},
  });
}

TEST(Operators, PlusJoins) {
  ExpectAll({
      {"'a' + 'b'", R"("ab")"},
      {"'' + ''", R"("")"},
      {"b'a' + b'b'", R"(b"ab")"},
      {"[1] + [2, 3]", "[1,2,3]"},
      {"[] + []", "[]"},
      {"[1] + [] + [2]", "[1,2]"},
      {"(a + b + a)[3]", "3", R"({"a":[1,2],"b":[3,3]})"},
      {"(a + b) == [1, 2, 3, 3]", "true", R"({"a":[1,2],"b":[3,3]})"},
      {"a + b", "!no such overload: _+_(string, int)", R"({"a":"x","b":1})"},
      {"a + b", "!no such overload: _+_(int, double)", R"({"a":1,"b":1.5})"},
      {"{} + {}", "!found no matching overload"},
      {"null + null", "!found no matching overload"},
      {"true + true", "!found no matching overload"},
  });
}

TEST(Operators, EqualityCrossesNumberTypesAndNeverFails) {
  ExpectAll({
      {"1 == 1", "true"},
      {"1 == 2", "false"},
      {"1 != 2", "true"},
      {"1 == 1u", "true"},
      {"1u == 1.0", "true"},
      {"1 == 1.0", "true"},
      {"1 == 1.5", "false"},
      {"-1 == 18446744073709551615u", "false"},
      {"9223372036854775807 == 9223372036854775808.0", "false"},
      {"9007199254740993 == 9007199254740992.0", "false"},
      {"0.0 / 0.0 == 0.0 / 0.0", "false"},
      {"0.0 / 0.0 != 0.0 / 0.0", "true"},
      {"0.0 == -0.0", "true"},
      {"'a' == 'a'", "true"},
      {"'a' == b'a'", "false"},
      {"1 == '1'", "false"},
      {"null == null", "true"},
      {"null == 0", "false"},
      {"null != false", "true"},
      {"true == true", "true"},
      {"[1, 2] == [1.0, 2u]", "true"},
      {"[1, 2] == [2, 1]", "false"},
      {"[1] == [1, 1]", "false"},
      {"[[1], []] == [[1], []]", "true"},
      {"{'a': 1} == {'a': 1.0}", "true"},
      {"{'a': 1} == {'b': 1}", "false"},
      {"{'a': 1} == {'a': 1, 'b': 2}", "false"},
      {"{1: 'x'} == {1u: 'x'}", "true"},
      {"{} == []", "false"},
      {"type(1) == int", "true"},
      {"type(1) == type('a')", "false"},
      {"duration('60s') == duration('1m')", "true"},
      {"a == b", "true", R"({"a":{"x":[1,{"y":null}]},"b":{"x":[1.0,{"y":null}]}})"},
      {"1/0 == 1", "!division by zero"},
  });
}

TEST(Operators, OrderCrossesNumberTypes) {
  ExpectAll({
      {"1 < 2", "true"},
      {"2 <= 2", "true"},
      {"3 > 2", "true"},
      {"2 >= 3", "false"},
      {"1 < 1.5", "true"},
      {"1u < 2", "true"},
      {"-1 < 1u", "true"},
      {"1.5 > 1u", "true"},
      {"9223372036854775807 < 9223372036854775808.0", "true"},
      {"18446744073709551615u > 1e30", "false"},
      {"-9223372036854775808 > -1e30", "true"},
      {"9007199254740993 > 9007199254740992.0", "true"},
      {"1 < 0.0 / 0.0", "!NaN values cannot be ordered"},
      {"'a' < 'b'", "true"},
      {"'Z' < 'a'", "true"},
      {"'a' < 'ab'", "true"},
      {"'é' > 'z'", "true"},
      {"b'a' <= b'b'", "true"},
      {"false < true", "true"},
      {"duration('1s') < duration('1m')", "true"},
      {"timestamp('2020-01-01T00:00:00Z') < timestamp('2020-01-01T00:00:00.1Z')", "true"},
      {"[1] < [2]", "!found no matching overload"},
      {"null < null", "!found no matching overload"},
      {"a < b", "!no such overload", R"({"a":1,"b":"x"})"},
      {"self.minReplicas <= self.replicas", "true", R"({"self":{"minReplicas":1,"replicas":2}})"},
  });
}

TEST(Operators, LogicAbsorbsErrorsFromBothSides) {
  ExpectAll({
      {"true && true", "true"},
      {"true && false", "false"},
      {"false || true", "true"},
      {"false || false", "false"},
      {"false && 1/0 == 1", "false"},
      {"1/0 == 1 && false", "false"},
      {"true || 1/0 == 1", "true"},
      {"1/0 == 1 || true", "true"},
      {"true && 1/0 == 1", "!division by zero"},
      {"1/0 == 1 && true", "!division by zero"},
      {"false || 1/0 == 1", "!division by zero"},
      {"1/0 == 1 || 1%0 == 1", "!division by zero"},
      {"1/0 == 1 || false || true", "true"},
      {"a && false", "false", R"({"a":1})"},
      {"a || true", "true", R"({"a":"x"})"},
      {"a && true", "!no such overload", R"({"a":1})"},
      {"false || a", "!no such overload", R"({"a":null})"},
      {"!a", "!no such overload", R"({"a":1})"},
      {"-a", "!no such overload", R"({"a":"x"})"},
      {"true ? 1 : 1/0", "1"},
      {"false ? 1/0 : 2", "2"},
      {"true ? 1/0 : 2", "!division by zero"},
      {"(1/0 == 1) ? 1 : 2", "!division by zero"},
      {"a ? 1 : 2", "!no such overload", R"({"a":1})"},
      {"true ? 'a' : 1", R"("a")"},
  });
}

TEST(Operators, InLooksIntoListsAndMaps) {
  ExpectAll({
      {"1 in [1, 2]", "true"},
      {"3 in [1, 2]", "false"},
      {"1.0 in [1, 2]", "true"},
      {"1u in [2, 1]", "true"},
      {"1.5 in [1, 2]", "false"},
      {"'a' in ['a']", "true"},
      {"'a' in []", "false"},
      {"[1] in [[1]]", "true"},
      {"null in [null]", "true"},
      {"b'a' in [b'a']", "true"},
      {"'a' in {'a': 1}", "true"},
      {"'b' in {'a': 1}", "false"},
      {"1.0 in {1: 'a'}", "true"},
      {"[1] in {1: 'a'}", "false"},
      {"'a' in a", "true", R"({"a":["a","b"]})"},
      {"'a' in a", "true", R"({"a":{"a":null}})"},
      {"1 in a", "false", R"({"a":{"1":1}})"},
      {"1/0 in [1]", "!division by zero"},
      {"1 in a", "!no such overload", R"({"a":"x"})"},
  });
}

}  // namespace
}  // namespace hearth::cel

#include <gtest/gtest.h>

#include "cel/testing/cases.h"

namespace hearth::cel {
namespace {

TEST(ListFunctions, ListsAreRearranged) {
  ExpectAll({
      {"lists.range(4)", "[0,1,2,3]"},
      {"lists.range(0)", "[]"},
      {"lists.range(-3)", "[]"},
      {"[1, 2, 3, 4].slice(1, 3)", "[2,3]"},
      {"[1, 2].slice(0, 2)", "[1,2]"},
      {"[1, 2].slice(1, 1)", "[]"},
      {"[1, 2].slice(-1, 1)", "!cannot slice(-1, 1), negative indexes not supported"},
      {"[1, 2].slice(2, 1)", "!start index must be less than or equal to end index"},
      {"[1, 2].slice(0, 3)", "!cannot slice(0, 3), list is length 2"},
      {"[1, [2, 3], [], [[4]]].flatten()", "[1,2,3,[4]]"},
      {"[1, [2, [3, [4]]]].flatten(2)", "[1,2,3,[4]]"},
      {"[1, [2]].flatten(0)", "[1,[2]]"},
      {"[1].flatten(-1)", "!level must be non-negative"},
      {"[1, 2, 3].reverse()", "[3,2,1]"},
      {"[].reverse()", "[]"},
      {"[1, 2, 1.0, 'a', 'a'].distinct()", R"([1,2,"a"])"},
      {"[].distinct()", "[]"},
      {"[3, 1, 2].sort()", "[1,2,3]"},
      {"['b', 'a'].sort()", R"(["a","b"])"},
      {"[2.5, -1.0].sort()", "[-1.0,2.5]"},
      {"[true, false].sort()", "[false,true]"},
      {"[duration('1m'), duration('1s')].sort()", "[duration(1s),duration(60s)]"},
      {"[].sort()", "[]"},
      {"[1, 'a'].sort()", "!list elements must have the same type"},
      {"[[1], [2]].sort()", "!list elements must be comparable"},
      {"['ccc', 'a', 'bb'].sortBy(x, size(x))", R"(["a","bb","ccc"])"},
      {"[1, 2, 3].sortBy(x, -x)", "[3,2,1]"},
      {"[].sortBy(x, x)", "[]"},
      {"[1, 0].sortBy(x, 1 / x)", "!division by zero"},
      {"[1, 2].sortBy(x, [x])", "!list elements must be comparable"},
  });
}

TEST(KubernetesListFunctions, ListsAreSummedUp) {
  ExpectAll({
      {"[1, 2, 2].isSorted()", "true"},
      {"[2, 1].isSorted()", "false"},
      {"[].isSorted()", "true"},
      {"['a', 'b'].isSorted()", "true"},
      {"[1, 'a'].isSorted()", "!no such overload"},
      {"[1, 2, 3].sum()", "6"},
      {"[1u, 2u].sum()", "3u"},
      {"[1.5, 2.0].sum()", "3.5"},
      {"[duration('1s'), duration('1m')].sum()", "duration(61s)"},
      {"[].sum()", "0"},
      {"['a'].sum()", "!no such overload"},
      {"[1, 'a'].sum()", "!no such overload"},
      {"[9223372036854775807, 1].sum()", "!integer overflow"},
      {"[3, 1, 2].min()", "1"},
      {"[3, 1, 2].max()", "3"},
      {"['b', 'a'].min()", R"("a")"},
      {"[b'b', b'a'].max()", R"(b"b")"},
      {"[].min()", "!min called on empty list"},
      {"[].max()", "!max called on empty list"},
      {"[1, 'a'].max()", "!no such overload"},
      {"[[1]].min()", "!no such overload"},
      {"[1, 2, 2].indexOf(2)", "1"},
      {"[1, 2, 2].lastIndexOf(2)", "2"},
      {"[1].indexOf(3)", "-1"},
      {"[1].lastIndexOf(3)", "-1"},
      {"[[1], [2]].indexOf([2])", "1"},
      {"a.sum()", "6", R"({"a":[1,2,3]})"},
      {"a.indexOf('b')", "1", R"({"a":["a","b"]})"},
      {"a.indexOf('b')", "1", R"({"a":"ab"})"},
      {"a.indexOf('b')", "!no such overload: indexOf(int, string)", R"({"a":1})"},
  });
}

TEST(SetFunctions, ListsAreComparedAsSets) {
  ExpectAll({
      {"sets.contains([], [])", "true"},
      {"sets.contains([1], [])", "true"},
      {"sets.contains([], [1])", "false"},
      {"sets.contains([1, 2, 3], [3, 1])", "true"},
      {"sets.contains([1, 2u], [2.0])", "true"},
      {"sets.contains([1], [1, 2])", "false"},
      {"sets.contains([[1], [2, 3]], [[2, 3.0]])", "true"},
      {"sets.equivalent([], [])", "true"},
      {"sets.equivalent([1], [1, 1])", "true"},
      {"sets.equivalent([1, 2, 3], [3u, 2.0, 1])", "true"},
      {"sets.equivalent([1, 2], [1])", "false"},
      {"sets.intersects([1], [1, 2])", "true"},
      {"sets.intersects([1], [])", "false"},
      {"sets.intersects([1], ['1', 2])", "false"},
      {"sets.contains(1, [1])", "!found no matching overload"},
      {"sets.contains(a, [1])", "!no such overload", R"({"a":1})"},
  });
}

}  // namespace
}  // namespace hearth::cel

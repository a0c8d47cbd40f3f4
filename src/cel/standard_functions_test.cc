#include <gtest/gtest.h>

#include "cel/testing/cases.h"

namespace hearth::cel {
namespace {

TEST(StandardFunctions, SizeCountsWhatAKindConsistsOf) {
  ExpectAll({
      {"size('')", "0"},
      {"size('héllo')", "5"},
      {"'😀'.size()", "1"},
      {"size(b'é')", "2"},
      {"b'abc'.size()", "3"},
      {"size([1, 2])", "2"},
      {"[].size()", "0"},
      {"size({'a': 1})", "1"},
      {"{}.size()", "0"},
      {"size(a)", "3", R"({"a":[1,2,3]})"},
      {"a.size()", "1", R"({"a":{"x":1}})"},
      {"size(a)", "!no such overload: size(int)", R"({"a":5})"},
      {"size(a)", "!no such overload: size(null_type)", R"({"a":null})"},
  });
}

TEST(StandardFunctions, StringsAreSearched) {
  ExpectAll({
      {"'hello'.contains('ell')", "true"},
      {"'hello'.contains('')", "true"},
      {"'hello'.contains('x')", "false"},
      {"'hello'.startsWith('he')", "true"},
      {"'hello'.startsWith('lo')", "false"},
      {"'hello'.startsWith('')", "true"},
      {"'hello'.endsWith('lo')", "true"},
      {"'hello'.endsWith('he')", "false"},
      {"'hello'.matches('l+')", "true"},
      {"'hello'.matches('^l')", "false"},
      {"'hello'.matches('^h.*o$')", "true"},
      {"'hello'.matches('')", "true"},
      {"''.matches('')", "true"},
      {"matches('hello', 'ell')", "true"},
      {"'é'.matches('^.$')", "true"},
      {"'a\\nb'.matches('a.b')", "false"},
      {"'HELLO'.matches('(?i)hello')", "true"},
      {"a.matches(p)", "true", R"({"a":"x1","p":"[a-z][0-9]"})"},
      {"a.matches(p)", "!missing ]", R"({"a":"x1","p":"["})"},
      {"'a'.matches('(')", "!1:4: error parsing regexp: missing )"},
      {"'a'.matches('(?=a)')", "!error parsing regexp"},
      {"a.startsWith('x')", "!no such overload: startsWith(int, string)", R"({"a":1})"},
  });
}

TEST(StandardFunctions, TypesAreValues) {
  ExpectAll({
      {"type(1)", "type(int)"},
      {"type(1u)", "type(uint)"},
      {"type(1.0)", "type(double)"},
      {"type('')", "type(string)"},
      {"type(b'')", "type(bytes)"},
      {"type(true)", "type(bool)"},
      {"type(null)", "type(null_type)"},
      {"type([])", "type(list)"},
      {"type({})", "type(map)"},
      {"type(duration('1s'))", "type(google.protobuf.Duration)"},
      {"type(timestamp(0)) == google.protobuf.Timestamp", "true"},
      {"type(type(1))", "type(type)"},
      {"type(int) == type", "true"},
      {"int == int", "true"},
      {"type(a) == string", "true", R"({"a":"x"})"},
      {"type(url('/a'))", "type(kubernetes.URL)"},
      {"type(ip('1.2.3.4')) == net.IP", "true"},
      {"type(cidr('1.2.3.4/8')) == net.CIDR", "true"},
      {"type(quantity('1'))", "type(kubernetes.Quantity)"},
      {"type(semver('1.0.0'))", "type(kubernetes.Semver)"},
      {"dyn(1) + dyn(2)", "3"},
      {"dyn('a') + dyn(1)", "!no such overload"},
  });
}

TEST(StandardFunctions, NumbersConvert) {
  ExpectAll({
      {"int(5)", "5"},
      {"int(5u)", "5"},
      {"int(5.9)", "5"},
      {"int(-5.9)", "-5"},
      {"int('-42')", "-42"},
      {"int('+42')", "42"},
      {"int(18446744073709551615u)", "!integer overflow"},
      {"int(1e19)", "!integer overflow"},
      {"int(-1e19)", "!integer overflow"},
      {"int(0.0/0.0)", "!integer overflow"},
      {"int('1.5')", "!type conversion error from 'string' to 'int'"},
      {"int('')", "!type conversion error"},
      {"int(' 1')", "!type conversion error"},
      {"int('0x10')", "!type conversion error"},
      {"int('9223372036854775808')", "!type conversion error"},
      {"int(true)", "!found no matching overload for 'int' applied to '(bool)'"},
      {"int(timestamp('1970-01-01T00:01:00Z'))", "60"},
      {"int(duration('1us'))", "1000"},
      {"int(a)", "!no such overload", R"({"a":[]})"},
      {"uint(5)", "5u"},
      {"uint(5.9)", "5u"},
      {"uint('5')", "5u"},
      {"uint(-1)", "!unsigned integer overflow"},
      {"uint(-1.0)", "!unsigned integer overflow"},
      {"uint(1e20)", "!unsigned integer overflow"},
      {"uint('-1')", "!type conversion error from 'string' to 'uint'"},
      {"double(1)", "1.0"},
      {"double(1u)", "1.0"},
      {"double('1.5')", "1.5"},
      {"double('-1e3')", "-1000.0"},
      {"double('NaN')", "NaN"},
      {"double('Inf')", "+Inf"},
      {"double('x')", "!type conversion error from 'string' to 'double'"},
      {"double('1e999')", "!type conversion error"},
      {"double('1e-999')", "0.0"},
  });
}

TEST(StandardFunctions, TextConverts) {
  ExpectAll({
      {"string('a')", R"("a")"},
      {"string(1)", R"("1")"},
      {"string(-1)", R"("-1")"},
      {"string(1u)", R"("1")"},
      {"string(1.5)", R"("1.5")"},
      {"string(2.0)", R"("2")"},
      {"string(100000.0)", R"("100000")"},
      {"string(1000000.0)", R"("1e+06")"},
      {"string(0.0001)", R"("0.0001")"},
      {"string(0.00001)", R"("1e-05")"},
      {"string(1.0/0.0)", R"("+Inf")"},
      {"string(true)", R"("true")"},
      {"string(b'abc')", R"("abc")"},
      {R"(string(b'\xff'))", "!invalid UTF-8 in bytes, cannot convert to string"},
      {"string(duration('90m'))", R"("5400s")"},
      {"string(duration('-1500ms'))", R"("-1.5s")"},
      {"string(duration('-500ms'))", R"("-0.5s")"},
      {"string(timestamp('2020-02-03T04:05:06.7Z'))", R"("2020-02-03T04:05:06.7Z")"},
      {"string(null)", "!found no matching overload"},
      {"string([1])", "!found no matching overload"},
      {"bytes('é') == b'\\xc3\\xa9'", "true"},
      {"bytes(b'a')", R"(b"a")"},
      {"bool('true')", "true"},
      {"bool('1')", "true"},
      {"bool('t')", "true"},
      {"bool('False')", "false"},
      {"bool('F')", "false"},
      {"bool('yes')", "!type conversion error from 'string' to 'bool'"},
      {"bool('tRuE')", "!type conversion error"},
      {"bool(true)", "true"},
  });
}

TEST(StandardFunctions, TimesConvert) {
  ExpectAll({
      {"duration('1h2m3.5s')", "duration(3723.5s)"},
      {"duration('-1ms')", "duration(-0.001s)"},
      {"duration('0')", "duration(0s)"},
      {"duration(duration('1s'))", "duration(1s)"},
      {"duration('1d')", "!type conversion error from 'string' to 'google.protobuf.Duration'"},
      {"duration('')", "!type conversion error"},
      {"duration('1000000h1')", "!type conversion error"},
      {"duration('999999999h')", "!type conversion error"},
      {"timestamp('2020-01-02T03:04:05Z')", "timestamp(2020-01-02T03:04:05Z)"},
      {"timestamp('2020-01-02T03:04:05+02:30')", "timestamp(2020-01-02T00:34:05Z)"},
      {"timestamp('2020-01-02T03:04:05.123456789Z')", "timestamp(2020-01-02T03:04:05.123456789Z)"},
      {"timestamp('0001-01-01T00:00:00Z')", "timestamp(0001-01-01T00:00:00Z)"},
      {"timestamp('9999-12-31T23:59:59.999999999Z')", "timestamp(9999-12-31T23:59:59.999999999Z)"},
      {"timestamp('0000-01-01T00:00:00Z')", "!timestamp overflow"},
      {"timestamp('2020-02-30T00:00:00Z')", "!type conversion error"},
      {"timestamp('2020-01-02')", "!type conversion error"},
      {"timestamp('2020-01-02T03:04:05')", "!type conversion error"},
      {"timestamp('2020-01-02 03:04:05Z')", "!type conversion error"},
      {"timestamp('2020-01-02T24:00:00Z')", "!type conversion error"},
      {"timestamp(60)", "timestamp(1970-01-01T00:01:00Z)"},
      {"timestamp(-1)", "timestamp(1969-12-31T23:59:59Z)"},
      {"timestamp(253402300800)", "!timestamp overflow"},
      {"timestamp(a)", "!no such overload", R"({"a":1.5})"},
  });
}

TEST(StandardFunctions, TimesAreAddedAndSubtracted) {
  ExpectAll({
      {"duration('1m') + duration('1s')", "duration(61s)"},
      {"duration('1m') - duration('1s')", "duration(59s)"},
      {"timestamp(0) + duration('1m')", "timestamp(1970-01-01T00:01:00Z)"},
      {"duration('1m') + timestamp(0)", "timestamp(1970-01-01T00:01:00Z)"},
      {"timestamp(0) - duration('1ns')", "timestamp(1969-12-31T23:59:59.999999999Z)"},
      {"timestamp(100) - timestamp(40)", "duration(60s)"},
      {"timestamp('2020-01-01T00:00:00.5Z') - timestamp('2020-01-01T00:00:01Z')",
       "duration(-0.5s)"},
      {"duration('2500000h') + duration('2500000h')", "!duration overflow"},
      {"timestamp('9999-12-31T23:59:59Z') + duration('1s')", "!timestamp overflow"},
      {"timestamp('0001-01-01T00:00:00Z') - duration('1ns')", "!timestamp overflow"},
      {"timestamp('9999-12-31T00:00:00Z') - timestamp('0001-01-01T00:00:00Z')",
       "!duration overflow"},
      {"timestamp(0) + timestamp(0)", "!found no matching overload"},
      {"duration('1s') * 2", "!found no matching overload"},
  });
}

TEST(StandardFunctions, TimesAreTakenApart) {
  constexpr std::string_view kAt = R"({"t":"2009-02-13T23:31:30.456Z"})";
  ExpectAll({
      {"timestamp(t).getFullYear()", "2009", kAt},
      {"timestamp(t).getMonth()", "1", kAt},
      {"timestamp(t).getDate()", "13", kAt},
      {"timestamp(t).getDayOfMonth()", "12", kAt},
      {"timestamp(t).getDayOfYear()", "43", kAt},
      {"timestamp(t).getDayOfWeek()", "5", kAt},
      {"timestamp(t).getHours()", "23", kAt},
      {"timestamp(t).getMinutes()", "31", kAt},
      {"timestamp(t).getSeconds()", "30", kAt},
      {"timestamp(t).getMilliseconds()", "456", kAt},
      {"timestamp(t).getHours('UTC')", "23", kAt},
      {"timestamp(t).getHours('+01:00')", "0", kAt},
      {"timestamp(t).getDate('+01:00')", "14", kAt},
      {"timestamp(t).getHours('02:00')", "1", kAt},
      {"timestamp(t).getHours('-08:30')", "15", kAt},
      {"timestamp(t).getMinutes('-08:30')", "1", kAt},
      {"timestamp(t).getDayOfWeek('+01:00')", "6", kAt},
      {"timestamp(t).getDayOfYear('+01:00')", "44", kAt},
      {"timestamp(t).getFullYear('-08:00')", "2009", kAt},
      {"timestamp(t).getMonth('-08:00')", "1", kAt},
      {"timestamp(t).getDayOfMonth('-08:00')", "12", kAt},
      {"timestamp(t).getSeconds('-08:00')", "30", kAt},
      {"timestamp(t).getMilliseconds('-08:00')", "456", kAt},
      {"timestamp(t).getHours('Mars/Olympus')", "!unknown time zone Mars/Olympus", kAt},
      {"timestamp(t).getHours('+25:00')", "!unknown time zone", kAt},
      {"timestamp(-1).getFullYear()", "1969"},
      {"timestamp(-1).getSeconds()", "59"},
      {"timestamp(-1).getDayOfWeek()", "3"},
      {"duration('3h5m').getHours()", "3"},
      {"duration('3h5m').getMinutes()", "185"},
      {"duration('90s').getSeconds()", "90"},
      {"duration('1.5s').getMilliseconds()", "1500"},
      {"duration('-90s').getMinutes()", "-1"},
      {"duration('1s').getFullYear()", "!found no matching overload"},
  });
}

}  // namespace
}  // namespace hearth::cel

#include <gtest/gtest.h>

#include "cel/testing/cases.h"

namespace hearth::cel {
namespace {

TEST(Literals, NumbersAreReadInEveryForm) {
  ExpectAll({
      {"0", "0"},
      {"42", "42"},
      {"-1", "-1"},
      {"- 1", "-1"},
      {"--1", "1"},
      {"---1", "-1"},
      {"0x2A", "42"},
      {"0XFf", "255"},
      {"-0x10", "-16"},
      {"0x10u", "16u"},
      {"7u", "7u"},
      {"7U", "7u"},
      {"9223372036854775807", "9223372036854775807"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"-0x8000000000000000", "-9223372036854775808"},
      {"18446744073709551615u", "18446744073709551615u"},
      {"1.5", "1.5"},
      {"-2.0", "-2.0"},
      {".5", "0.5"},
      {"1e3", "1000.0"},
      {"1E-2", "0.01"},
      {"2.5e+2", "250.0"},
      {"1.0e300 * 1e300", "+Inf"},
      {"4.9e-324 / 10.0", "0.0"},
      {"9223372036854775808", "!1:1: invalid int literal"},
      {"-9223372036854775809", "!invalid int literal"},
      {"18446744073709551616u", "!invalid uint literal"},
      {"1e999", "!invalid double literal"},
      {"1.", "!syntax error"},
      {"0x", "!syntax error"},
  });
}

TEST(Literals, StringsAreReadInEveryForm) {
  ExpectAll({
      {R"('')", R"("")"},
      {R"("a'b")", R"("a'b")"},
      {R"('a"b')", R"("a\"b")"},
      {R"('\a\b\f\n\r\t\v\\\'\"\`\?')", R"("\u0007\b\f\n\r\t\u000b\\'\"`?")"},
      {R"('\x41\X42')", R"("AB")"},
      {R"('\101')", R"("A")"},
      {R"('\u00e9')", R"("é")"},
      {R"('\U0001F600')", R"("😀")"},
      {R"(r'\n\d')", R"("\\n\\d")"},
      {R"(R"a\")", R"("a\\")"},
      {"'''a'b\nc'''", R"("a'b\nc")"},
      {"\"\"\"a\"\"b\"\"\"", R"("a\"\"b")"},
      {"r'''\\''''", "!string literal is not closed"},
      {"'''a\r\nb'''", R"("a\nb")"},
      {"'é' + 'ü'", R"("éü")"},
      {R"('\ud800')", "!names no character"},
      {R"('\U00110000')", "!names no character"},
      {R"('\q')", "!unknown escape"},
      {R"('\x4')", "!too few digits"},
      {R"('\400')", "!unknown escape"},
      {"'a\nb'", "!string literal is not closed"},
      {"'abc", "!string literal is not closed"},
      {"\"", "!string literal is not closed"},
  });
}

TEST(Literals, BytesAreReadInEveryForm) {
  ExpectAll({
      {"b''", R"(b"")"},
      {"b'abc'", R"(b"abc")"},
      {"B\"abc\"", R"(b"abc")"},
      {R"(b'\x00' == b'\000')", "true"},
      {R"(size(b'\xff\xfe'))", "2"},
      {"size(b'é')", "2"},
      {R"(br'\n' == b'\\n')", "true"},
      {R"(rb'\n' == b'\\n')", "true"},
      {"b'''a\nb''' == b'a\\nb'", "true"},
      {R"(b'\u0041')", "!unknown escape"},
  });
}

TEST(Literals, OthersAreReadToo) {
  ExpectAll({
      {"true", "true"},
      {"false", "false"},
      {"null", "null"},
      {"[]", "[]"},
      {"[1, 'a', [true]]", R"([1,"a",[true]])"},
      {"[1, 2,]", "[1,2]"},
      {"{}", "{}"},
      {"{'a': 1, 'b': {'c': null}}", R"({"a":1,"b":{"c":null}})"},
      {"{1: 'i', 2u: 'u', true: 'b', 's': 's',}", R"({true:"b",1:"i",2u:"u","s":"s"})"},
      {"{'a': 1, 'a': 2}", R"({"a":2})"},
      {"{1.5: 1}", "!unsupported key type: double"},
      {"{null: 1}", "!unsupported key type"},
      {"{[1]: 1}", "!unsupported key type"},
      {"1 // a comment", "1"},
      {"// first\n1", "1"},
      {" \t\n1 \f ", "1"},
      {"'// no comment'", R"("// no comment")"},
  });
}

}  // namespace
}  // namespace hearth::cel

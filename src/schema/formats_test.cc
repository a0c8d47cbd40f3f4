// Many more are compared with a real server in tests/contract/schemas/scalars.cases.yaml.
#include "schema/formats.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hearth::schema {
namespace {

struct Case {
  const char* format;
  std::vector<std::string> good;
  std::vector<std::string> bad;
};

class Formats : public testing::TestWithParam<Case> {};

TEST_P(Formats, TakesTheGoodAndRefusesTheBad) {
  const FormatCheck check = FindFormat(GetParam().format);
  ASSERT_NE(check, nullptr);
  for (const std::string& text : GetParam().good) {
    EXPECT_TRUE(check(text)) << text;
  }
  for (const std::string& text : GetParam().bad) {
    EXPECT_FALSE(check(text)) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Formats,
    testing::Values(
        Case{"date", {"2024-02-29"}, {"2026-02-29", "2026-1-01", "", "2026-01-01T"}},
        Case{"date-time",
             {"2026-11-16T01:02:03.5+01:00", "2026-11-16t01:02:03z"},
             {"2026-11-16T25:00:00Z", "", "T"}},
        Case{
            "duration", {"1h30m", "3 days", "1\xC2\xB5s"}, {"", "x", "5", "99999999999999999999s"}},
        Case{"email",
             {"a@b", "Foo <a@b>", "\"a b\"@c"},
             {"", "a", "a@", "a@b c@d", "(", "\"", "<a@b"}},
        Case{"uri",
             {"http://a/b?c", "/a", "mailto:x"},
             {"", "a", "http://a b", "/%z", ":x", "http://[::1"}},
        Case{"ipv4", {"1.2.3.4"}, {"1.2.3", "1.2.3.256", "::1", std::string("1.2.3.4\0", 8)}},
        Case{"ipv6", {"::1"}, {"1.2.3.4", "1:2:3:4:5:6:7:8:9", std::string("::1\0", 4)}},
        Case{"cidr", {"10.0.0.0/8", "::/0"}, {"10.0.0.0", "10.0.0.0/33", "::/129", "/8"}},
        Case{"mac",
             {"01:23:45:67:89:ab", "0123.4567.89ab"},
             {"01:23", "01:23:45:67:89:a", "0123456789abcd"}},
        Case{
            "hostname", {"a", "a-b.com", "\xC3\xA4.com"}, {"", "a..b", "-a", std::string(64, 'a')}},
        Case{"uuid", {"123e4567-e89b-12d3-a456-426614174000"}, {"", "x"}},
        Case{"byte", {"YQ=="}, {"", "YQ", "_w=="}},
        Case{"isbn", {"0-8044-2957-X", "978-0321751041"}, {"0321751044", "9780321751042"}},
        Case{"creditcard", {"4111 1111 1111 1111"}, {"4111 1111 1111 1112", ""}},
        Case{"password", {"", "anything"}, {}}),
    [](const auto& info) {
      std::string name = info.param.format;
      std::erase(name, '-');
      return name;
    });

TEST(Formats, OfWhichTheServerKnowsNothingAskNothing) {
  for (const char* name : {"int32", "int64", "double", "quantity", "ip", ""}) {
    EXPECT_EQ(FindFormat(name), nullptr) << name;
  }
}

TEST(Formats, DashesInNamesDoNotCount) {
  EXPECT_EQ(FindFormat("date-time"), FindFormat("datetime"));
}

}  // namespace
}  // namespace hearth::schema

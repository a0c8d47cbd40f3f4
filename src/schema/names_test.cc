#include "schema/names.h"

#include <gtest/gtest.h>

namespace hearth::schema {
namespace {

TEST(Names, ALabelHasNoDots) {
  EXPECT_TRUE(CheckDns1123Label("a-1").empty());
  EXPECT_EQ(CheckDns1123Label("a.b")[0], "must not contain dots");
  EXPECT_FALSE(CheckDns1123Label("").empty());
  EXPECT_FALSE(CheckDns1123Label("A").empty());
  EXPECT_EQ(CheckDns1123Label(std::string(64, 'a'))[0], "must be no more than 63 characters");
}

TEST(Names, ASubdomainIsOfLabels) {
  EXPECT_TRUE(CheckDns1123Subdomain("a.b-c.1").empty());
  EXPECT_FALSE(CheckDns1123Subdomain("a..b").empty());
  EXPECT_FALSE(CheckDns1123Subdomain("a.").empty());
  EXPECT_FALSE(CheckDns1123Subdomain(std::string(254, 'a')).empty());
}

TEST(Names, ADns1035LabelStartsWithALetter) {
  EXPECT_TRUE(CheckDns1035Label("a1").empty());
  EXPECT_FALSE(CheckDns1035Label("1a").empty());
  EXPECT_FALSE(CheckDns1035Label("").empty());
}

TEST(Names, AQualifiedNameMayHaveAPrefix) {
  EXPECT_TRUE(CheckQualifiedName("a.b/C_d.e").empty());
  EXPECT_EQ(CheckQualifiedName("/a")[0], "prefix part must be non-empty");
  EXPECT_EQ(CheckQualifiedName("a/")[0], "name part must be non-empty");
  EXPECT_EQ(CheckQualifiedName("a/b/c").size(), 1u);
  EXPECT_FALSE(CheckQualifiedName("A.b/c").empty());
}

TEST(Names, ALabelValueMayBeEmpty) {
  EXPECT_TRUE(CheckLabelValue("").empty());
  EXPECT_TRUE(CheckLabelValue("A_b").empty());
  EXPECT_FALSE(CheckLabelValue("-a").empty());
}

TEST(Names, APathSegmentIsNoPath) {
  EXPECT_TRUE(CheckPathSegment("A b", false).empty());
  EXPECT_EQ(CheckPathSegment("..", false)[0], "may not be '..'");
  EXPECT_TRUE(CheckPathSegment("..", true).empty());
  EXPECT_EQ(CheckPathSegment("a/%", true).size(), 2u);
}

}  // namespace
}  // namespace hearth::schema

#include "http/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hearth::http {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(Headers, NamesCompareWithoutCase) {
  Headers headers{{"Content-Type", "text/plain"}, {"ACCEPT", "a"}};
  headers.Add("accept", "b");
  EXPECT_EQ(headers.Get("content-type"), "text/plain");
  EXPECT_EQ(headers.Get("Accept"), "a");
  EXPECT_THAT(headers.GetAll("Accept"), ElementsAre("a", "b"));
  EXPECT_FALSE(headers.Has("Host"));
  EXPECT_EQ(headers.Get("Host"), "");
}

TEST(Headers, SetReplacesAllOfAName) {
  Headers headers{{"A", "1"}, {"B", "2"}, {"a", "3"}};
  headers.Set("A", "4");
  EXPECT_THAT(headers.fields(), ElementsAre(Pair("B", "2"), Pair("A", "4")));
  headers.Erase("b");
  EXPECT_THAT(headers.fields(), ElementsAre(Pair("A", "4")));
}

TEST(Escape, KeepsUnreservedCharactersOnly) {
  EXPECT_EQ(EscapeComponent("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(EscapeComponent("a/b c+\xff\n"), "a%2Fb%20c%2B%FF%0A");
}

TEST(Escape, EveryByteComesBack) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) {
    all += static_cast<char>(byte);
  }
  EXPECT_EQ(UnescapeComponent(EscapeComponent(all)), all);
}

TEST(Escape, BrokenEscapesStay) {
  EXPECT_EQ(UnescapeComponent("%"), "%");
  EXPECT_EQ(UnescapeComponent("%4"), "%4");
  EXPECT_EQ(UnescapeComponent("%zz%41%4g"), "%zzA%4g");
  EXPECT_EQ(UnescapeComponent("a+b"), "a+b");
}

TEST(Query, WritesAndParses) {
  const QueryPairs pairs = {{"labelSelector", "a=b,c!=d"}, {"watch", "1"}, {"empty", ""}};
  const std::string text = WriteQuery(pairs);
  EXPECT_EQ(text, "labelSelector=a%3Db%2Cc%21%3Dd&watch=1&empty=");
  EXPECT_EQ(ParseQuery(text), pairs);
  EXPECT_EQ(WriteQuery({}), "");
}

TEST(Query, TakesWhatPeopleWrite) {
  EXPECT_THAT(ParseQuery(""), IsEmpty());
  EXPECT_THAT(ParseQuery("&&a&b=&=c&d=e=f"),
              ElementsAre(Pair("a", ""), Pair("b", ""), Pair("", "c"), Pair("d", "e=f")));
}

TEST(StatusText, KnowsTheUsualOnes) {
  EXPECT_EQ(StatusText(200), "OK");
  EXPECT_EQ(StatusText(404), "Not Found");
  EXPECT_EQ(StatusText(599), "Unknown");
}

}  // namespace
}  // namespace hearth::http

#include "agent/files/path_list.h"

#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"

namespace hearth::agent {
namespace {

using Paths = std::vector<std::string>;

TEST(PathList, IsAnArrayOfStrings) {
  EXPECT_EQ(WritePathList({"etc/passwd", "a \"b\""}), R"(["etc/passwd","a \"b\""])");
}

TEST(PathList, NamesThatAreNotTextComeBack) {
  const Paths paths = {"a\xff", "line\nend", "\xc3\xa4"};
  ASSERT_OK_AND_ASSIGN(const Paths again, ParsePathList(WritePathList(paths)));
  EXPECT_EQ(again, paths);
}

TEST(PathList, EmptyListsOfOthersAreRead) {
  ASSERT_OK_AND_ASSIGN(const Paths none, ParsePathList("[]"));
  EXPECT_TRUE(none.empty());
  ASSERT_OK_AND_ASSIGN(const Paths null, ParsePathList("null"));
  EXPECT_TRUE(null.empty());
}

TEST(PathList, AnythingElseIsRefused) {
  for (const char* text :
       {"", "{}", "[1]", "[{}]", R"([{"base64":1}])", R"([{"base64":"?"}])", R"(["a")", "\"a\""}) {
    SCOPED_TRACE(text);
    EXPECT_CODE(Code::kInvalid, ParsePathList(text));
  }
}

TEST(CleanPath, IsRelativeAndWithinTheRoot) {
  EXPECT_EQ(CleanPath("./a//b/").value(), "a/b");
  EXPECT_EQ(CleanPath("/a/b").value(), "a/b");
  EXPECT_EQ(CleanPath("./").value(), "");
  EXPECT_EQ(CleanPath("a/..b/...").value(), "a/..b/...");
  EXPECT_CODE(Code::kInvalid, CleanPath("a/../../b"));
  EXPECT_CODE(Code::kInvalid, CleanPath(".."));
  EXPECT_CODE(Code::kInvalid, CleanPath(std::string("a\0b", 3)));
}

TEST(SplitPath, GivesTheDirectoryAndTheName) {
  EXPECT_EQ(SplitPath("a/b/c").parent, "a/b");
  EXPECT_EQ(SplitPath("a/b/c").name, "c");
  EXPECT_EQ(SplitPath("c").parent, "");
}

}  // namespace
}  // namespace hearth::agent

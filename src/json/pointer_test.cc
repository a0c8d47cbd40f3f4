#include "json/pointer.h"

#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/parse.h"

namespace hearth::json {
namespace {

// The document of RFC 6901, section 5.
constexpr std::string_view kDocument =
    R"({"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8})";

struct Row {
  const char* pointer;
  const char* json;  // empty: nothing there
};
const Row kRows[] = {
    {"/foo", R"(["bar","baz"])"},
    {"/foo/0", R"("bar")"},
    {"/foo/1", R"("baz")"},
    {"/", "0"},
    {"/a~1b", "1"},
    {"/c%d", "2"},
    {"/e^f", "3"},
    {"/g|h", "4"},
    {"/i\\j", "5"},
    {"/k\"l", "6"},
    {"/ ", "7"},
    {"/m~0n", "8"},
    {"/foo/2", ""},
    {"/foo/-", ""},
    {"/foo/00", ""},
    {"/foo/01", ""},
    {"/foo/+1", ""},
    {"/foo/99999999999999999999999", ""},
    {"/foo/bar", ""},
    {"/nope", ""},
    {"/foo/0/x", ""},
    {"//", ""},
};

TEST(Pointer, FindsInViewsAndValues) {
  ASSERT_OK_AND_ASSIGN(const Blob blob, Parse(kDocument));
  ASSERT_OK_AND_ASSIGN(Value value, ParseValue(kDocument));
  for (const Row& row : kRows) {
    ASSERT_OK_AND_ASSIGN(const Pointer pointer, Pointer::Parse(row.pointer));
    EXPECT_EQ(pointer.Find(blob.view()).raw(), row.json) << row.pointer;
    const Value* found = pointer.Find(std::as_const(value));
    EXPECT_EQ(found == nullptr ? "" : found->Write(), row.json) << row.pointer;
    EXPECT_EQ(pointer.Find(value), found) << row.pointer;
  }
}

TEST(Pointer, EmptyIsTheRoot) {
  ASSERT_OK_AND_ASSIGN(const Pointer pointer, Pointer::Parse(""));
  EXPECT_TRUE(pointer.tokens().empty());
  const Value value(7);
  EXPECT_EQ(pointer.Find(value), &value);
}

TEST(Pointer, WritesBackAsRead) {
  for (const Row& row : kRows) {
    EXPECT_EQ(Pointer::Parse(row.pointer)->ToString(), row.pointer);
  }
  EXPECT_EQ(Pointer({"a/b", "~1", ""}).ToString(), "/a~1b/~01/");
}

TEST(Pointer, RefusesWhatIsNone) {
  EXPECT_CODE(Code::kInvalid, Pointer::Parse("foo"));
  EXPECT_CODE(Code::kInvalid, Pointer::Parse("/~"));
  EXPECT_CODE(Code::kInvalid, Pointer::Parse("/a~2"));
  EXPECT_CODE(Code::kInvalid, Pointer::Parse("/a~/b"));
}

TEST(ArrayIndex, HasOneSpellingOnly) {
  EXPECT_EQ(ArrayIndex("0"), 0u);
  EXPECT_EQ(ArrayIndex("10"), 10u);
  for (const char* token :
       {"", "-", "-1", "+1", "01", "1 ", "1.0", "1e1", "a", "18446744073709551616"}) {
    EXPECT_EQ(ArrayIndex(token), std::nullopt) << token;
  }
}

}  // namespace
}  // namespace hearth::json

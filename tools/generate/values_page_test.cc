#include "values_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"

namespace hearth::generate {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

TEST(ValuesPage, HasARowForEachValueWithTheCommentAboveIt) {
  const auto page = ValuesPage(R"(
# Of everything.
image:
  # Where it
  # is from.
  repository: hearth
  # More.
  labels: {a: b}
# How many.
count: 2
)");
  ASSERT_OK(page);
  EXPECT_THAT(page->text, EndsWith("|---|---|---|\n"
                                   "| `image.repository` | `\"hearth\"` | Where it is from. |\n"
                                   "| `image.labels` | `{\"a\":\"b\"}` | More. |\n"
                                   "| `count` | `2` | How many. |\n"));
}

TEST(ValuesPage, AValueWithoutACommentIsRefused) {
  const auto page = ValuesPage("# One.\na: 1\n\nb: 2\n");
  EXPECT_THAT(page.status().message(), HasSubstr("b has no comment"));
}

}  // namespace
}  // namespace hearth::generate

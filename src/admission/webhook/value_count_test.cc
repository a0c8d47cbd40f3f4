#include "admission/webhook/internal/value_count.h"

#include <gtest/gtest.h>

namespace hearth::admission::webhook::internal {
namespace {

TEST(MostValues, CountsContainersAndWhatTheyHold) {
  EXPECT_EQ(MostValues("7"), 1U);
  EXPECT_EQ(MostValues("[0,0,0]"), 4U);
  EXPECT_EQ(MostValues(R"({"a": 1, "b": [true, null]})"), 5U);
}

TEST(MostValues, CountsAnEmptyContainerTwice) { EXPECT_EQ(MostValues("[{},{}]"), 5U); }

TEST(MostValues, TakesAStringForOneValueWhateverIsInIt) {
  EXPECT_EQ(MostValues(R"("[,,,{")"), 1U);
  EXPECT_EQ(MostValues(R"(["a\",[", "\\", 1])"), 4U);
}

TEST(MostValues, EndsWithTheText) {
  EXPECT_EQ(MostValues(""), 1U);
  EXPECT_EQ(MostValues("[\"never closed,,"), 2U);
  EXPECT_EQ(MostValues("[\"never closed\\"), 2U);
}

}  // namespace
}  // namespace hearth::admission::webhook::internal

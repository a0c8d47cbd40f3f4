#include "kube/model/resource_version.h"

#include <gtest/gtest.h>

namespace hearth::kube {
namespace {

TEST(ResourceVersion, IsAPlainPositiveInteger) {
  EXPECT_EQ(ParseResourceVersion("1"), 1u);
  EXPECT_EQ(ParseResourceVersion("18446744073709551615"), UINT64_MAX);
}

TEST(ResourceVersion, AnythingElseIsOpaque) {
  for (const char* text :
       {"", "0", "01", "-1", "+1", " 1", "1 ", "1a", "a", "18446744073709551616"}) {
    EXPECT_EQ(ParseResourceVersion(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace hearth::kube

#include "agent/host/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hearth::agent {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(MissingFeatures, AreThoseThatProgramsUse) {
  EXPECT_THAT(MissingFeatures({"avx512f", "constant_tsc", "sse2", "fma"}, "x86_64", {"sse2"}),
              ElementsAre("avx512f", "fma"));
  EXPECT_THAT(MissingFeatures({"sse2"}, "x86_64", {"avx2", "sse2"}), IsEmpty());
  EXPECT_THAT(MissingFeatures({}, "x86_64", {}), IsEmpty());
}

TEST(MissingFeatures, ElsewhereAllCount) {
  EXPECT_THAT(MissingFeatures({"sve", "asimd"}, "aarch64", {"asimd"}), ElementsAre("sve"));
}

}  // namespace
}  // namespace hearth::agent

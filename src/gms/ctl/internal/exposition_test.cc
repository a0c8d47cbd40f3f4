#include "gms/ctl/internal/exposition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hearth::gms::ctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Exposition, NamesLabelsAndValues) {
  EXPECT_THAT(ReadExposition("# HELP a Counts.\n# TYPE a counter\n"
                             "a 1\n"
                             "b{x=\"1\",y=\"two\"} 0.25\n"
                             "c_bucket{le=\"+Inf\"} +Inf 1700000000\n"),
              ElementsAre(Sample{"a", {}, "1"}, Sample{"b", {{"x", "1"}, {"y", "two"}}, "0.25"},
                          Sample{"c_bucket", {{"le", "+Inf"}}, "+Inf"}));
}

TEST(Exposition, QuotedLabelsMayHoldAnything) {
  EXPECT_THAT(ReadExposition(R"(a{x="q\"},{ \\ \n"} 7)"),
              ElementsAre(Sample{"a", {{"x", "q\"},{ \\ \n"}}, "7"}));
}

TEST(Exposition, WhatMakesNoSenseIsLeftOut) {
  EXPECT_THAT(ReadExposition("\n{} 1\na\na{\na{x\na{x=\na{x=\"\na{x=\"1\"\na{x=\"1\"}\n"),
              IsEmpty());
}

}  // namespace
}  // namespace hearth::gms::ctl

#include "agent/files/internal/overlay_marks.h"

#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"

namespace hearth::agent::files {
namespace {

TEST(OverlayMarks, AreTakenOutAndUnderstood) {
  for (const std::string prefix : {"trusted.overlay.", "user.overlay."}) {
    std::vector<Xattr> xattrs = {
        {prefix + "opaque", "y"}, {prefix + "origin", "bytes"}, {"user.mine", "1"}};
    OverlayMarks marks;
    ASSERT_OK(TakeOverlayMarks(xattrs, marks));
    EXPECT_TRUE(marks.opaque);
    EXPECT_FALSE(marks.whiteout);
    EXPECT_EQ(xattrs, (std::vector<Xattr>{{"user.mine", "1"}}));
  }
}

TEST(OverlayMarks, ADirectoryWithWhiteoutsOfTheOtherKindIsNotOpaque) {
  std::vector<Xattr> xattrs = {{"trusted.overlay.opaque", "x"}};
  OverlayMarks marks;
  ASSERT_OK(TakeOverlayMarks(xattrs, marks));
  EXPECT_FALSE(marks.opaque);
}

TEST(OverlayMarks, WhatIsPartlyElsewhereIsRefused) {
  for (const char* name : {"trusted.overlay.redirect", "trusted.overlay.metacopy"}) {
    std::vector<Xattr> xattrs = {{name, ""}};
    OverlayMarks marks;
    SCOPED_TRACE(name);
    EXPECT_CODE(Code::kUnsupported, TakeOverlayMarks(xattrs, marks));
  }
}

TEST(OverlayMarks, ThoseOfAnOverlayInTheContainerAreItsFiles) {
  std::vector<Xattr> xattrs = {{"trusted.overlay.overlay.opaque", "y"}};
  OverlayMarks marks;
  ASSERT_OK(TakeOverlayMarks(xattrs, marks));
  EXPECT_FALSE(marks.opaque);
  ASSERT_EQ(xattrs.size(), 1U);
  ShortenNestedMarks(xattrs);
  EXPECT_EQ(xattrs[0].name, "trusted.overlay.opaque");
}

}  // namespace
}  // namespace hearth::agent::files

#pragma once

#include <string_view>
#include <vector>

#include "agent/files/file_entry.h"
#include "base/status.h"

namespace hearth::agent::files {

// How the kernel's overlay keeps its books in extended attributes of the upper layer:
// trusted.overlay.*, or user.overlay.* when it was mounted without privileges.
// Those of overlays within the container are not of these.
bool IsOverlayMark(std::string_view name);

struct OverlayMarks {
  bool opaque = false;    // a directory that hides what is below it in lower layers
  bool whiteout = false;  // an empty file that stands for something deleted
};

// Takes the marks out of `xattrs` and says what they mean. kUnsupported: the layer refers to files
// elsewhere by name (redirect_dir) or keeps only part of one (metacopy).
Status TakeOverlayMarks(std::vector<Xattr>& xattrs, OverlayMarks& marks);

// Marks of an overlay within the container are kept by that of its root under a longer name
// (trusted.overlay.overlay.*). Gives them the one that the container knows.
void ShortenNestedMarks(std::vector<Xattr>& xattrs);

}  // namespace hearth::agent::files

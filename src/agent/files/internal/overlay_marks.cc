#include "agent/files/internal/overlay_marks.h"

#include <array>
#include <string>

#include "base/result.h"

namespace hearth::agent::files {
namespace {

constexpr std::array<std::string_view, 2> kPrefixes = {"trusted.overlay.", "user.overlay."};
constexpr std::string_view kNested = "overlay.";

// The name without the prefix of overlays; empty for another one.
std::string_view MarkOf(std::string_view name) {
  for (const std::string_view prefix : kPrefixes) {
    if (name.starts_with(prefix) && !name.substr(prefix.size()).starts_with(kNested)) {
      return name.substr(prefix.size());
    }
  }
  return "";
}

Status Understand(std::string_view mark, const std::string& value, OverlayMarks& marks) {
  if (mark == "opaque") {
    marks.opaque = value == "y";  // "x" says that there are whiteouts of the other kind in it
  } else if (mark == "whiteout") {
    marks.whiteout = true;
  } else if (mark == "redirect") {
    return UnsupportedError(
        "was renamed from a lower layer (overlay redirect_dir), which cannot be saved: mount the "
        "container's root with redirect_dir=off");
  } else if (mark == "metacopy") {
    return UnsupportedError(
        "has its content in a lower layer (overlay metacopy), which cannot be saved: mount the "
        "container's root with metacopy=off");
  }
  return Status::Ok();
}

}  // namespace

bool IsOverlayMark(std::string_view name) { return !MarkOf(name).empty(); }

Status TakeOverlayMarks(std::vector<Xattr>& xattrs, OverlayMarks& marks) {
  for (const Xattr& xattr : xattrs) {
    RETURN_IF_ERROR(Understand(MarkOf(xattr.name), xattr.value, marks));
  }
  std::erase_if(xattrs, [](const Xattr& xattr) { return IsOverlayMark(xattr.name); });
  return Status::Ok();
}

void ShortenNestedMarks(std::vector<Xattr>& xattrs) {
  for (Xattr& xattr : xattrs) {
    for (const std::string_view prefix : kPrefixes) {
      if (xattr.name.starts_with(std::string(prefix) + std::string(kNested))) {
        xattr.name.erase(prefix.size(), kNested.size());
        break;
      }
    }
  }
}

}  // namespace hearth::agent::files

#include "snapshot/operator/namespaces.h"

#include <algorithm>

namespace hearth::snapshot {
namespace {

bool Matches(std::string_view pattern, std::string_view text) {
  const bool open_begin = pattern.starts_with('*');
  pattern.remove_prefix(open_begin ? 1 : 0);
  const bool open_end = pattern.ends_with('*');
  pattern.remove_suffix(open_end ? 1 : 0);
  if (open_begin && open_end) {
    return text.find(pattern) != std::string_view::npos;
  }
  if (open_begin) {
    return text.ends_with(pattern);
  }
  return open_end ? text.starts_with(pattern) : text == pattern;
}

}  // namespace

bool Namespaces::Include(std::string_view name_space) const {
  if (!restricted_to.empty()) {
    return name_space == restricted_to;
  }
  return std::none_of(excluded.begin(), excluded.end(),
                      [&](const std::string& pattern) { return Matches(pattern, name_space); });
}

}  // namespace hearth::snapshot

#include "kube/model/internal/label_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/result.h"
#include "base/strings.h"
#include "kube/model/names.h"

namespace hearth::kube::internal {
namespace {

constexpr size_t kMaxBytes = 63;

bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool IsInner(char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; }

bool LooksRight(std::string_view text) {
  return !text.empty() && text.size() <= kMaxBytes && IsAlphanumeric(text.front()) &&
         IsAlphanumeric(text.back()) && std::all_of(text.begin(), text.end(), IsInner);
}

Status Wrong(std::string_view what, std::string_view text) {
  return InvalidError(
      fmt::format("the label {} \"{}\" must have at most {} letters, digits, '-', '_' and '.', and "
                  "begin and end with a letter or digit",
                  what, Excerpt(text, 80), kMaxBytes));
}

}  // namespace

Status CheckLabelKey(std::string_view key) {
  const size_t slash = key.find('/');
  if (slash != std::string_view::npos) {
    RETURN_IF_ERROR(CheckDnsSubdomain(key.substr(0, slash))
                        .WithContext(fmt::format("prefix of label key {}", Excerpt(key, 80))));
    key.remove_prefix(slash + 1);
  }
  return LooksRight(key) ? Status::Ok() : Wrong("key", key);
}

Status CheckLabelValue(std::string_view value) {
  return value.empty() || LooksRight(value) ? Status::Ok() : Wrong("value", value);
}

}  // namespace hearth::kube::internal

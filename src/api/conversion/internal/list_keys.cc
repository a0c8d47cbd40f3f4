#include "api/conversion/internal/list_keys.h"

#include <algorithm>
#include <vector>

namespace hearth::api::conversion::internal {
namespace {

bool TellsApart(const Tree& list, std::string_view key) {
  std::vector<std::string_view> texts;
  texts.reserve(list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    const Tree text = list.at(i).Find(key);
    if (!text.IsString()) {
      return false;
    }
    texts.push_back(text.text());
  }
  std::sort(texts.begin(), texts.end());
  return std::adjacent_find(texts.begin(), texts.end()) == texts.end();
}

std::optional<size_t> Look(const Tree& list, std::string_view key, std::string_view value,
                           size_t& looks) {
  for (size_t i = 0; i < list.size() && list.IsArray(); ++i) {
    const Tree item = list.at(i);
    const Tree found = item.Find(key);
    looks += 1 + item.size();
    if (found.IsString() && found.text() == value) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view CommonKey(const Tree& a, const Tree& b) {
  // Mounts of one volume at two places have one name and two paths.
  for (const std::string_view key : {"name", "mountPath", "mountPoint"}) {
    if (TellsApart(a, key) && TellsApart(b, key)) {
      return key;
    }
  }
  return {};
}

std::optional<size_t> FindItem(const Tree& list, std::string_view key, std::string_view value) {
  size_t looks = 0;
  return Look(list, key, value, looks);
}

std::optional<size_t> FindItem(const Tree& list, std::string_view key, std::string_view value,
                               Arena& arena) {
  size_t looks = 0;
  const auto place = Look(list, key, value, looks);
  arena.SpendLooks(looks);
  return place;
}

}  // namespace hearth::api::conversion::internal

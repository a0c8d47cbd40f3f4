#include <algorithm>
#include <array>

#include "json/equal.h"
#include "json/internal/list_keys.h"

namespace hearth::json {
namespace {

using Path = std::vector<std::string_view>;

// Maps from a resource's name to how much of it.
constexpr std::array<std::string_view, 7> kResourceMaps = {
    "limits", "requests", "capacity", "allocatable", "hard", "used", "overhead"};
// Single fields.
constexpr std::array<std::string_view, 3> kQuantityFields = {"sizeLimit", "divisor", "storage"};

template <size_t N>
bool IsOneOf(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool IsQuantity(const Path& path) {
  if (path.empty()) {
    return false;
  }
  return IsOneOf(kQuantityFields, path.back()) ||
         std::any_of(path.begin(), path.end() - 1,
                     [](std::string_view name) { return IsOneOf(kResourceMaps, name); });
}

std::string_view KeyOfList(const Path& path) {
  const internal::ListKey* row = internal::FindListKey(path);
  return row == nullptr ? std::string_view() : row->key;
}

}  // namespace

const Sameness& Sameness::Kubernetes() {
  static const Sameness kSameness = {
      .empty_is_absent = true, .is_quantity = IsQuantity, .list_key = KeyOfList};
  return kSameness;
}

}  // namespace hearth::json

#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "json/view.h"

namespace hearth::json {

// What counts as the same. The default is exact: same kinds, same strings, numbers by value,
// members in any order.
struct Sameness {
  // {} , [] , null and absent are one thing.
  bool empty_is_absent = false;
  // Strings and numbers at these places are compared as quantities ("1000m" and 1). `path` holds
  // the member names from the root; elements of arrays add nothing.
  std::function<bool(const std::vector<std::string_view>& path)> is_quantity;
  // Arrays of objects at these places are matched by this member instead of by position; empty: by
  // position.
  std::function<std::string_view(const std::vector<std::string_view>& path)> list_key;

  // As Kubernetes sees its own objects: empty is absent; quantities below limits, requests,
  // capacity, allocatable, hard, used, overhead, and in sizeLimit, divisor, storage; containers,
  // env, volumes and the like by their keys.
  static const Sameness& Kubernetes();
};

bool Equal(View a, View b, const Sameness& sameness = {});
// Equal values have equal hashes under the same sameness.
uint64_t Hash(View value, const Sameness& sameness = {});

// Whether everything in `wanted` stands in `actual` with the same value; more in `actual`
// (defaults, other owners' fields) is fine. Arrays that are matched by key may hold more in
// `actual`; other arrays must be equal in length.
bool Covers(View actual, View wanted, const Sameness& sameness);

}  // namespace hearth::json

#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace hearth::dynamo::recovery {

// Whose pods are looked after.
struct Whose {
  std::function<bool(std::string_view name_space)> includes;  // empty: all
  std::string name_space;                                     // what is watched; empty: all

  bool Has(std::string_view pods_name_space) const {
    return !includes || includes(pods_name_space);
  }
};

}  // namespace hearth::dynamo::recovery

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "admission/dynamo/internal/component_facts.h"

// How long the names of Grove's objects become. A pod of Grove is called after set, scaling group
// and clique, and has room for so many characters of theirs.
namespace hearth::admission::dynamo {

inline constexpr size_t kMaxGroveNames = 45;

struct CliqueNames {
  std::string scaling_group;  // empty: there is none
  std::string longest;        // name of a clique

  explicit CliqueNames(const ComponentFacts& component);
  // Of what a component adds to the name of the set.
  size_t length() const { return scaling_group.size() + longest.size(); }
};

// Of the PodCliqueSet of a graph: its own name, cut to what the component with the longest names
// leaves, which is never less than 8 characters.
size_t SetNameLength(std::string_view graph, size_t longest_component);

}  // namespace hearth::admission::dynamo

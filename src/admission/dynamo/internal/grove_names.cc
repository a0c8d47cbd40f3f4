#include "admission/dynamo/internal/grove_names.h"

#include <algorithm>

namespace hearth::admission::dynamo {
namespace {

std::string LowerName(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return lower;
}

// The first rank whose number is as long as that of the last one.
std::string LongestRank(int64_t ranks) {
  const size_t digits = std::to_string(ranks - 1).size();
  return digits == 1 ? "0" : "1" + std::string(digits - 1, '0');
}

}  // namespace

CliqueNames::CliqueNames(const ComponentFacts& component) : longest(LowerName(component.name)) {
  if (component.nodes > 1 || component.InterPodMemory()) {
    scaling_group = longest;
    longest += component.InterPodMemory() ? "-gms-" + LongestRank(component.nodes) : "-ldr";
  }
}

size_t SetNameLength(std::string_view graph, size_t longest_component) {
  constexpr size_t kLeast = 8;
  const size_t left = kMaxGroveNames - std::min(kMaxGroveNames, longest_component);
  return std::min(graph.size(), std::max(left, kLeast));
}

}  // namespace hearth::admission::dynamo

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "grove/view/composition.h"

// What somebody wants to scale, before it is done.
namespace hearth::grove {

struct Scaling {
  std::string name;  // of the set, or the full name of a scaling group or clique
  int32_t replicas = 0;
};

// "NAME=N". kInvalid says what is wrong with it.
Result<Scaling> ParseScaling(std::string_view text);

// The sizes after all of them. kInvalid: the set has no such part at these sizes, with what was
// probably meant, or one is named twice.
Result<Sizes> Scaled(const SetFacts& set, Sizes sizes, const std::vector<Scaling>& scalings);

// How many replicas the set, group or clique of that name has; 0 when there is none.
int32_t CurrentSize(const SetFacts& set, const Sizes& sizes, const std::string& name);

// What becomes of being scaled below a minimum; a sentence for each. `scalings` fit the set.
std::vector<std::string> BelowMinimum(const SetFacts& set, const std::vector<Scaling>& scalings);

}  // namespace hearth::grove

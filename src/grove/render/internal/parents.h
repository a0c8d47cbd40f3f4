#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grove/model/facts.h"

namespace hearth::grove::internal {

// A PodClique that another one waits for.
struct Parent {
  std::string name;                                    // full
  const api::grove::CliqueTemplate* clique = nullptr;  // in the set; never null
};

// As Parents, with the template of each: a name alone does not tell which one it was made from.
std::vector<Parent> ParentsOf(const SetFacts& set, const api::grove::CliqueTemplate& clique,
                              int32_t i, std::optional<int32_t> j);

}  // namespace hearth::grove::internal

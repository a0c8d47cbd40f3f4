#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grove/model/facts.h"

namespace hearth::grove {

// The cliques of the template that must have started before this one: none, the one before it, or
// those it names.
std::vector<std::string> ParentTemplates(const SetFacts& set,
                                         const api::grove::CliqueTemplate& clique);

// The full names of the PodCliques that a clique outside of scaling groups, or in replica j of one,
// waits for. In a scaled gang only those of its own group's replica count.
std::vector<std::string> Parents(const SetFacts& set, const api::grove::CliqueTemplate& clique,
                                 int32_t i, std::optional<int32_t> j);

}  // namespace hearth::grove

#pragma once

#include <string>
#include <string_view>

#include "grove/model/facts.h"

// Whether pods are of the template that the set has now. Hashes begin with kHashPrefix; those that
// do not were made by another operator, which cannot be reproduced.
namespace hearth::grove {

inline constexpr std::string_view kHashPrefix = "c1-";

// Over a clique's labels, annotations and pod spec with the set's priority class: canonical, so the
// order of members and of lists that are keyed by name does not matter. Fits a label.
std::string TemplateHash(const SetFacts& set, const api::grove::CliqueTemplate& clique);
// Over all of them.
std::string GenerationHash(const SetFacts& set);

bool IsOurHash(std::string_view hash);

}  // namespace hearth::grove

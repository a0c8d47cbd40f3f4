#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "claims/level.h"
#include "claims/place.h"
#include "json/value.h"

namespace hearth::claims {

// The names of the claims that such a pod uses, in the order in which they are injected: the set's
// for all and for the replica, the group's, the clique's; each in the order of the entries. A
// filter's cliques are compared with cliques and its groups with groups.
std::vector<std::string> ClaimsOf(const grove::SetFacts& set, const PodPlace& place);

// The name by which a pod calls a claim: its own when that is a DNS label, else the end of it,
// where the template's name is, and a hash of all of it.
std::string LocalName(std::string_view claim);

// Appends them to resourceClaims of a pod's spec and to resources.claims of each container and init
// container. What the user wrote stays and stays first: a claim that the user refers to already is
// not referred to twice, a container that names it, or one request of it, is left alone, and when
// the user calls something else by its name, it gets a name with a hash. Idempotent.
void Inject(const std::vector<std::string>& claims, json::Value& pod_spec);

}  // namespace hearth::claims

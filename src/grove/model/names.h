#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Names of what a set consists of. i is the index of a replica of the set, j of a replica of a
// scaling group. Formatting and reading back are exact: nothing is guessed from how a name ends.
namespace hearth::grove {

// "<set>-<i>": the headless service of a replica of the set and its base gang.
std::string ReplicaName(std::string_view set, int32_t i);
// "<set>-<i>.<namespace>.svc.cluster.local"
std::string HeadlessAddress(std::string_view set, int32_t i, std::string_view name_space);
std::string CliqueName(std::string_view set, int32_t i, std::string_view clique);
std::string GroupName(std::string_view set, int32_t i, std::string_view group);
// Of a clique in a scaling group; `group` is the full name.
std::string MemberName(std::string_view group, int32_t j, std::string_view clique);
// Of the gang of a replica j >= min_available of a scaling group.
std::string ScaledGangName(std::string_view group, int32_t j, int32_t min_available);
// "<group>-<j>": what belongs together in a gang's topology.
std::string GroupReplicaName(std::string_view group, int32_t j);
std::string RoleName(std::string_view set);         // "grove.io:pcs:<set>"
std::string TokenSecretName(std::string_view set);  // "<set>-ic-sat"
std::string Hostname(std::string_view clique, int32_t index);

// The index at the end of "<prefix>-<index>"; nothing when the text is not exactly that, in the way
// we write numbers (no sign, no leading zeros, 32 bits).
std::optional<int32_t> IndexAfter(std::string_view prefix, std::string_view text);
// What follows "<prefix>-<index>-"; nothing when the text is not of that form.
std::optional<std::string_view> NameAfter(std::string_view prefix, int32_t index,
                                          std::string_view text);

}  // namespace hearth::grove

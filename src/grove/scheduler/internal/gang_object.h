#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "grove/model/facts.h"
#include "json/value.h"
#include "kube/model/names.h"

// What the objects that schedulers read for a gang have in common.
namespace hearth::grove::internal {

// Of the gang's name and owned by it, with its labels, to fill further.
json::Value NewGangObject(const kube::ResourceType& type, const GangFacts& gang,
                          const Labels& labels);

std::string Get(const Labels& labels, std::string_view key);

// How many pods the gang needs to start: those of all its groups.
int32_t MinMembers(const GangFacts& gang);

}  // namespace hearth::grove::internal

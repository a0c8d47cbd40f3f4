#pragma once

#include <string>
#include <vector>

#include "json/value.h"
#include "schema/schema.h"

namespace hearth::schema {

// Takes out of an object what its schema does not know, as the API server does: what stands below
// x-kubernetes-preserve-unknown-fields stays unless the schema knows better there, embedded objects
// keep apiVersion, kind and metadata, and so does the object itself (its metadata is not looked
// at). Returns the places of what was taken, sorted: "spec.foo", "spec.list[3].bar"; kMostPruned of
// them at most, and how many more there were in `more` when it is not null.
inline constexpr size_t kMostPruned = 1000;
std::vector<std::string> Prune(json::Value& object, const Schema& schema, size_t* more = nullptr);

// The same for a value within an object, a default say.
std::vector<std::string> PruneValue(json::Value& value, const Schema& schema);

// Takes out nulls that may not be null and have no default: as if they had not been given. Items of
// lists stay.
void PruneNulls(json::Value& object, const Schema& schema);

}  // namespace hearth::schema

#pragma once

#include <string>

#include "json/value.h"
#include "kube/model/names.h"

// What is deployed. Sets are complete as they are: nobody fills in defaults here.
namespace hearth::bench {

const kube::ResourceType& PodCliqueSets();
const kube::ResourceType& PodCliques();
const kube::ResourceType& PodGangs();
const kube::ResourceType& ResourceClaims();

inline constexpr const char* kManagedBy = "app.kubernetes.io/managed-by";
inline constexpr const char* kManager = "grove-operator";  // its value

// One clique of two small pods in every replica, as upstream's own scale tests have it.
json::Value MakeSet(const kube::ObjectKey& key, int replicas);
// The same with a claim for the set and one for each replica.
json::Value MakeSharingSet(const kube::ObjectKey& key, int replicas);

// An object as somebody else would create it: what the server filled in is left out, it is in that
// name space, belongs to `owner` and is nobody's business: it does not carry the operators' label.
json::Value AsRaw(json::Value object, const std::string& name_space, const json::Value& owner);

// A pod of the operators' without any of their objects behind it, on no node yet: theirs to cache,
// not to change.
json::Value AsCopy(json::Value pod, const kube::ObjectKey& key, const json::Value& owner);

}  // namespace hearth::bench
